"""Finds which column of a table plays a part, by what the columns hold and by their names.

The API's document shows no member of a flag, and no column of a bundle's CSVs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from propsync.desk.choices import DeskChoices
from propsync.desk.words import YES_MEANS
from propsync.warehouse import Warehouse, quoted, statement, text

_MOST_CELLS = 6_000  # of a table that a search reads
_MOST_WORDS = 30  # different words that a column of states or priorities may hold
_ENOUGH = 0.5  # of a column's cells that fit, if its name speaks for it too
_ANY = 1e-9  # so few are enough if people named the words
_NEARLY_ALL = 0.9
_NO_WORDS: Mapping[str, list[str]] = {"open_words": [], "closed_words": []}
_WORDS = {
    "state": "words that mean open or closed",
    "priority": "words of priority_order",
    "day": "dates",
    "other_day": "days in another form",
    "other_amount": "amounts in another form",
    "person": "names of two words",
    "amount": "numbers",
    "text": "text",
}
_OTHER_FORMS = {"day": "other_day", "amount": "other_amount"}
"""The kind that propsync reports and does not read, for each kind that it reads."""
_NO_DAY = ("by", "id", "ref", "code", "number", "phone")  # `raised_by` 1000000012 is a person and no moment


@dataclass(frozen=True)
class Part:
    """A part that a column may play.

    `names` are words of its name, the surest first; a column with one of the words `never` is not it. `usual` is the
    column that plays it if any cell is filled, whatever it holds, and if no other column does. Without `needs_name`,
    the only column with fitting values plays the part under any name.
    """

    name: str
    holds: str
    names: tuple[str, ...]
    never: tuple[str, ...] = ()
    usual: str | None = None
    needs_name: bool = True


@dataclass(frozen=True)
class Member:
    """The column that plays a part; none if `column` is None, and `evidence` says why."""

    part: str
    column: str | None
    evidence: str
    truths: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The words for `true` and `false` in each column of yes and no."""
    is_filled: bool = True
    """Whether any cell of the column is filled."""
    is_read: bool = True
    """Whether propsync can read its days or amounts: `31.01.2026`, numbers of seconds and `£1,200` are reported, and
    not read."""
    others: tuple[str, ...] = ()
    """Columns that play the part in rows where `column` is NULL: those of CSVs with other headers."""
    is_configured: bool = False
    """Whether propsync.toml names the column, or says that there is none."""

    @property
    def source(self) -> str:
        """What says so, as `ops.desk` has it."""
        if self.is_configured:
            return "configured"
        return "found" if self.is_found else "absent"

    @property
    def columns(self) -> str | None:
        """All its columns, with commas between; None if no column plays the part."""
        return None if self.column is None else ", ".join((self.column, *self.others))

    @property
    def is_found(self) -> bool:
        """Whether any column plays the part."""
        return self.column is not None

    def read(self, alias: str) -> str:
        """The column's text; a piece of SQL."""
        if self.column is None:
            return "null::varchar"
        return f"staging.said(coalesce({', '.join(self._cell(alias, name) for name in (self.column, *self.others))}))"

    def _cell(self, alias: str, name: str) -> str:
        cell = f"{alias}.{quoted(name)}::varchar"
        if name not in self.truths:
            return cell
        yes, no = map(text, self.truths[name])
        # a cell that its CSV has counts, whatever it holds: NULL would give way to another column
        return f"case lower({cell}) when 'true' then {yes} when 'false' then {no} else if({cell} is null, null, '') end"


@dataclass(frozen=True)
class _Column:
    """The content of a column: the number of its filled cells, and the share of each kind."""

    name: str
    filled: int
    shares: Mapping[str, float]

    @property
    def words(self) -> list[str]:
        return self.name.split("_")

    def fits(self, kind: str, enough: float = _ENOUGH) -> bool:
        """Whether enough of its cells are of this kind."""
        return self.shares[kind] >= enough


class MemberSearch:
    """The columns of one table that has `assessment_id`, of which `excluded` play no part.

    `states` begins the entries of `[desk]` with the words that mean open and closed in this table.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        table: str,
        excluded: Iterable[str],
        choices: DeskChoices,
        states: str | None = None,
    ) -> None:
        self._warehouse = warehouse
        self._table = table
        entries = {f"{one}_words": f"{states}_{one}" for one in ("open", "closed")} if states else {}
        words = {name: list(getattr(choices, entry)) for name, entry in entries.items()}
        self._values = {**_NO_WORDS, **words, "priority_order": list(choices.priority_order)}
        self._enough = {} if set(choices.configured).isdisjoint(entries.values()) else {"state": _ANY}
        described = warehouse.rows(statement("warehouse/describe", table=table))
        self._names = [name for name, kind, *_ in described if name not in {*excluded} and kind != "JSON"]
        self._columns = list(self._profiled(self._names))

    def find(self, parts: Sequence[Part], named: Mapping[str, Sequence[str]]) -> dict[str, Member]:
        """The member for each part, by its name; a column plays one part at most.

        `named` has the columns that people name for a part. Nothing else decides about such a part.
        """
        found = {part.name: self._named(part, named[part.name]) for part in parts if part.name in named}
        for part in parts:
            if part.name not in found:
                taken = {name for member in found.values() for name in (member.column, *member.others)}
                free = replace(part, usual=None) if part.usual in taken else part  # people gave it another part
                found[part.name] = self._member(free, [one for one in self._columns if one.name not in taken])
        return {part.name: found[part.name] for part in parts}

    def _named(self, part: Part, names: Sequence[str]) -> Member:
        """The columns that people name: the first one with cells, and the others for rows in which it is NULL."""
        if not names:
            return Member(
                part.name, None, "propsync.toml says that no column does", is_filled=False, is_configured=True
            )
        filled = {one.name: one for one in self._profiled(names) if one.filled}
        first = next((name for name in names if name in filled), names[0])
        meant = [self._yes_or_no([one]) for one in filled.values()] if part.holds == "state" else []
        return Member(
            part.name,
            first,
            "propsync.toml says so",
            {column: words for one in meant if one for column, words in one.truths.items()},
            is_filled=bool(filled),
            others=tuple(name for name in names if name != first),
            is_configured=True,
        )

    def of_each_form(self, parts: Iterable[Part], found: Mapping[str, Member]) -> dict[str, Member]:
        """The same members, with the columns that play their parts in rows of another form.

        One CSV may have `target_date` in place of `due_date`. No row has cells of both: an empty cell is '', and a
        cell that a form lacks is NULL.
        """
        joined = dict(found)
        for part in parts:
            member = joined[part.name]
            if member.column is None or not member.is_filled or member.truths or member.is_configured:
                continue
            taken = {name for one in joined.values() for name in (one.column, *one.others)}
            for name in sorted({*self._names}.difference(taken), key=lambda name: (_rank(part, name) or 0, name)):
                if self._plays_apart(part, member, name):
                    member = replace(member, others=(*member.others, name))
            if member.others:
                why = f"{member.evidence}; {', '.join(member.others)} in CSVs with other headers"
                joined[part.name] = replace(member, evidence=why)
        return joined

    def _plays_apart(self, part: Part, member: Member, name: str) -> bool:
        """Whether the column's name and cells fit, and no row has a cell in it and in a column of the member."""
        if _rank(part, name) is None or set(part.never).intersection(name.split("_")):
            return False
        present = ", ".join(map(quoted, (str(member.column), *member.others)))
        if self._warehouse.value(
            statement("desk/members/together", table=self._table, present=present, other=quoted(name))
        ):
            return False
        enough = self._enough.get(part.holds, _ENOUGH)
        return any(one.fits(part.holds, enough) or _is_in_another_form(part, one) for one in self._profiled([name]))

    def _member(self, part: Part, columns: Sequence[_Column]) -> Member:
        if any(one.name == part.usual for one in columns):
            return Member(part.name, part.usual, "the usual column")
        possible = [one for one in columns if not set(part.never).intersection(one.words)]
        fitting = [one for one in possible if one.fits(part.holds)]
        likely = [one for one in possible if one.fits(part.holds, self._enough.get(part.holds, _ENOUGH))]
        named = sorted((rank, one.name, one) for one in likely if (rank := _rank(part, one.name)) is not None)
        if named:
            return self._chosen(part, named[0][2], "by its name and values")
        if part.holds == "state" and (flag := self._yes_or_no(columns)):
            return flag
        if len(fitting) == 1 and not part.needs_name and fitting[0].fits(part.holds, _NEARLY_ALL):
            return self._chosen(part, fitting[0], "the only column with such values")
        if unread := self._in_another_form(part, possible):
            return unread
        if part.usual:
            return Member(part.name, part.usual, "the usual column, empty so far", is_filled=False)
        return Member(part.name, None, _absence(part, fitting), is_filled=False)

    def _in_another_form(self, part: Part, columns: Sequence[_Column]) -> Member | None:
        """The column whose name has the surest word, of those with days or amounts that propsync cannot read.

        Nothing says which part of `01/02/2026` is the month. People see then how each of them is written.
        """
        fitting = [one for one in columns if _is_in_another_form(part, one)]
        ranked = [(rank, one.name) for one in fitting if (rank := _rank(part, one.name)) is not None]
        if not ranked:
            return None
        evidence = f"by its name: its values are {_WORDS[_OTHER_FORMS[part.holds]]}, which propsync does not read"
        return Member(part.name, min(ranked)[1], evidence, is_read=False)

    def filled(self, words: Iterable[str]) -> list[str]:
        """The columns with any filled cell whose names have one of the words."""
        return [one.name for one in self._columns if set(words).intersection(one.words)]

    def _yes_or_no(self, columns: Sequence[_Column]) -> Member | None:
        """A column of yes and no whose name says what yes means, such as `is_open`."""
        for means, words in YES_MEANS.items():
            for one in columns:
                if one.fits("truth", _NEARLY_ALL) and set(words).intersection(one.words):
                    said = self._word("open"), self._word("closed")
                    truths = {one.name: said if means == "open" else said[::-1]}
                    return Member("status", one.name, f"yes and no: true means {means}", truths)
        return None

    def _word(self, state: str) -> str:
        """A word that means the state in this tenant: people's words may be in another language."""
        words = self._values[f"{state}_words"]
        return state if state in words else next(iter(words), state)

    def _chosen(self, part: Part, column: _Column, why: str) -> Member:
        share = f"{column.shares[part.holds]:.0%} of its values are {_WORDS[part.holds]}"
        return Member(part.name, column.name, why if part.holds == "text" else f"{why}: {share}")

    def _profiled(self, names: Sequence[str]) -> Iterator[_Column]:
        if not names:
            return
        cells = ", ".join(f"rows.{quoted(name)}::varchar" for name in names)
        query = statement(
            "desk/members/profile",
            table=self._table,
            cells=f"[{cells}]",
            members=f"[{', '.join(map(text, names))}]",
            most=str(max(1, _MOST_CELLS // len(names))),
            most_words=str(_MOST_WORDS),
        )
        for name, filled, *shares in self._warehouse.rows(query, self._values):
            kinds = ("state", "priority", "day", "other_day", "amount", "other_amount", "truth", "person", "text")
            yield _Column(name, filled, {kind: share or 0.0 for kind, share in zip(kinds, shares, strict=True)})


def _rank(part: Part, name: str) -> int | None:
    """The place of the surest word that a column's name has, or of words beside each other; None if it has none."""
    return next((place for place, word in enumerate(part.names) if f"_{word}_" in f"_{name}_"), None)


def _is_in_another_form(part: Part, column: _Column) -> bool:
    """Whether the column has days or amounts, whichever the part is, that propsync reports and does not read."""
    form = _OTHER_FORMS.get(part.holds)
    return form is not None and column.fits(form) and not set(_NO_DAY).intersection(column.words)


def _absence(part: Part, fitting: Sequence[_Column]) -> str:
    if len(fitting) > 1 and not part.needs_name:
        return f"several columns hold {_WORDS[part.holds]}, and no name decides: {_listed(fitting)}"
    return f"no column holds {_WORDS[part.holds]} under a name such as {', '.join(part.names[:3])}"


def _listed(columns: Sequence[_Column]) -> str:
    return ", ".join(one.name for one in columns[:5])
