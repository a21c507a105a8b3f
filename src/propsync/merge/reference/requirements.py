"""People's list of requirements: which assessment a property must have, one row a rule."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from propsync.merge.reference.list_file import Mistake, ReferenceList
from propsync.warehouse import snake_case

REQUIREMENTS = "requirements"
TYPE = "assessment_type_id"
_BESIDE = ("property_id", "condition", "every_months")
"""The columns that a list may leave out: without one, its rules are wider, or have no interval."""
_OF_TIME = frozenset(
    {
        *("from", "since", "until", "till", "start", "starts", "begin", "begins", "end", "ends", "effective", "valid"),
        *("expiry", "expires", "date", "day", "days", "weeks", "months", "years"),
        *("interval", "frequency", "cycle", "period", "every"),
    }
)
"""Words of columns that seem to say when a row holds, or how often."""
_LIKENESS = 0.8  # "property" is meant, "property_name" is not
_MOST_MONTHS = 1200
_CONDITION = re.compile(r"\s*([^\W\d][\w .()-]*+)\s*+(!=|<=|>=|=|<|>)\s*(.*)", re.DOTALL)
_NUMBER = re.compile(r"-?\d{1,15}([.,]\d{1,15})?")
_THOUSANDS_OR_FRACTION = re.compile(r"-?\d{1,3},\d{3}")
_OPERATORS = "= != < <= > >="
_QUOTES = ("''", '""', "\u2018\u2019", "\u201c\u201d")  # word processors write the curly ones
_FURTHER = re.compile(r"[<>=!]|\s(and|or)\s", re.IGNORECASE)


class ConditionUnreadable(ValueError):
    """A condition that is none; the text says why."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A column of people's list of properties, an operator and a value; `number` is the value if it is one."""

    column: str
    operator: str
    value: str
    number: float | None

    @classmethod
    def of(cls, written: str) -> Condition:
        """Reads `height_m >= 11` or `region = North`. Raises ConditionUnreadable."""
        found = _CONDITION.fullmatch(written)
        if found is None:
            raise ConditionUnreadable(f"write a column, one of {_OPERATORS}, and a value, such as height_m >= 11")
        column, operator, written_value = found[1].rstrip(), found[2], found[3].rstrip()
        value = _unquoted(written_value)
        if not value:
            raise ConditionUnreadable(f"it has no value after {operator}")
        if value == written_value and _FURTHER.search(value):
            raise ConditionUnreadable("a row takes one comparison; if this is one value, put it in quotes")
        is_ambiguous = _THOUSANDS_OR_FRACTION.fullmatch(value)
        if value == written_value and is_ambiguous:
            raise ConditionUnreadable(
                f"{value} may be thousands or a fraction: write {value.replace(',', '')}, or {value.replace(',', '.')}"
            )
        number = float(value.replace(",", ".")) if _NUMBER.fullmatch(value) and not is_ambiguous else None
        if number is None and operator not in ("=", "!="):
            raise ConditionUnreadable(f"{operator} compares numbers, and {value!r} is not one")
        return cls(snake_case(column, "column"), operator, value, number)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One row: the type, the one property or the condition if the row has one, and how often."""

    type_id: str
    property_id: str | None
    condition: Condition | None
    every_months: int | None

    @classmethod
    def of(cls, row: Mapping[str, str | None]) -> Requirement:
        """Reads a row by its columns. Raises ValueError with the reason."""
        type_id, property_id, written = row.get(TYPE), row.get("property_id"), row.get("condition")
        if not type_id:
            raise ValueError(f"it has no {TYPE}")
        if property_id and written:
            raise ValueError("it has both a property_id and a condition: give one of them")
        return cls(type_id, property_id, _condition(written), _months(row.get("every_months")))

    @property
    def rule(self) -> tuple[str, str | None, Condition | None]:
        """Two rows with the same rule are one requirement written twice."""
        return (self.type_id, self.property_id, self.condition)


@dataclass(frozen=True)
class Known:
    """The names that rows may use: ids that propsync has seen, and columns of the list of properties.

    No ids at all mean that propsync has not seen any yet, so that it cannot judge.
    """

    types: Collection[str] = ()
    properties: Collection[str] = ()
    columns: Collection[str] | None = None


def check_requirements(found: ReferenceList, known: Known) -> list[Mistake]:
    """The mistakes in a list of requirements."""
    if found.mistakes:
        return []
    if TYPE not in found.columns:
        return [Mistake(found.heading, None, f"it has no column {TYPE}, only {', '.join(found.columns)[:200]}")]
    mistakes = [Mistake(found.heading, None, reason) for reason in _nearly_named(found.columns)]
    first: dict[tuple[str, str | None, Condition | None], int] = {}
    for line, row in zip(found.lines, found.rows, strict=True):
        reason, key = _fault(dict(zip(found.columns, row, strict=True)), known, first, line)
        if reason:
            mistakes.append(Mistake(line, key, reason))
    return mistakes


def unused_columns(found: ReferenceList) -> list[Mistake]:
    """A note for each column that seems to say when a row holds, or how often, and that nothing reads."""
    seem = (one for one in found.columns if one not in _BESIDE and _OF_TIME.intersection(one.lower().split("_")))
    said = "a row counts on every day, and every_months alone says how often"
    return [Mistake(found.heading, None, f"propsync does not use the column {one}: {said}") for one in seem]


def _nearly_named(columns: Collection[str]) -> Iterator[str]:
    """The reason for each column with nearly the name of one that the list lacks: its cells would say nothing."""
    for meant in _BESIDE:
        near = difflib.get_close_matches(meant, columns, n=1, cutoff=_LIKENESS) if meant not in columns else []
        yield from (f"requirements have a column {meant}, not {one}; call it {meant}" for one in near)


def _fault(
    row: Mapping[str, str | None], known: Known, first: dict[tuple[str, str | None, Condition | None], int], line: int
) -> tuple[str | None, str | None]:
    """The reason why a row is a mistake, and the id concerned."""
    try:
        read = Requirement.of(row)
    except ValueError as error:
        return str(error), row.get(TYPE)
    before = first.setdefault(read.rule, line)
    if before != line:
        return f"the same requirement appears more than once, first in line {before}", read.type_id
    return _stranger(read, known)


def _stranger(read: Requirement, known: Known) -> tuple[str | None, str | None]:
    if known.types and read.type_id not in known.types:
        reason = f"the API has no assessment type with the id {read.type_id}, or [privacy] hides it"
        return f"{reason}; assessment_types lists them", read.type_id
    if known.properties and read.property_id and read.property_id not in known.properties:
        return f"neither the API nor the list properties has the property {read.property_id}", read.property_id
    if read.condition and known.columns is not None and read.condition.column not in known.columns:
        return _no_column(read.condition.column, known.columns), read.type_id
    return None, None


def _no_column(column: str, columns: Collection[str]) -> str:
    if not columns:
        return f"its condition needs the column {column} of a list properties, and [reference] gives no such list"
    return f"the list properties has no column {column}, only {', '.join(columns)[:200]}"


def _condition(written: str | None) -> Condition | None:
    if not written:
        return None
    try:
        return Condition.of(written)
    except ConditionUnreadable as error:
        raise ValueError(f"its condition {written[:100]!r} cannot be read: {error}") from None


def _months(written: str | None) -> int | None:
    if not written:
        return None
    if not re.fullmatch(r"[1-9]\d{0,3}(\.0+)?", written) or (months := int(float(written))) > _MOST_MONTHS:
        raise ValueError(f"every_months is {written[:40]!r}: write a whole number from 1 to {_MOST_MONTHS}")
    return months


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] + value[-1] in _QUOTES
    return value[1:-1].strip() if is_quoted else value
