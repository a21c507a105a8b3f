"""Reads one of people's own lists from its file and checks it for mistakes; it stores nothing."""

from __future__ import annotations

import difflib
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from propsync.merge.reference.error_cells import WITHOUT_RESULT, is_error
from propsync.merge.reference.spreadsheet import SHORTENED, is_sheet, sheets_of
from propsync.merge.reference.text_file import ListUnreadable, decoded, lines_of
from propsync.warehouse import TABLES, snake_case, unique_name

_MOST_BYTES = 100_000_000
_MOST_MISTAKES = 1_000
_TRIES, _PAUSE = 10, 0.2  # seconds, for a file that somebody is saving
_QUIET = 0.5  # seconds since somebody last wrote to it
_BLANKS = " \t\r\n\v\f\u00a0\u200b\ufeff"
_AS_TEXT = re.compile(r'="([^"]*)"')  # other programs write ="0012" into a CSV, so that Excel keeps the zeros
_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DATE = re.compile(
    rf"\d{{4}}-\d\d-\d\d(T.*)?|\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}}|\d{{1,2}}-{_MONTH}(-\d{{2,4}})?|{_MONTH}-\d{{2,4}}",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"((sub|grand)[ -]?)?totals?", re.IGNORECASE)
MANAGED = ("managed_from", "managed_until")
"""The first and the last day on which people manage a property, both inclusive; an empty cell leaves that side open."""
OF_PROPERTIES = ("name", "address", "postcode", "region", "uprn", "homes", "height_m", "built_year", *MANAGED)
"""Columns of a list of properties that propsync reads, beside the key."""
_OF_USERS = ("full_name", "display_name", "title", "team", "email")
_OF_REQUIREMENTS = ("assessment_type_id", "property_id", "condition", "every_months")
_NAMES = {"properties": "properties", "property": "properties", "users": "users", "requirements": "requirements"}
_LIKENESS = 0.85
_READ = frozenset((*OF_PROPERTIES, *_OF_USERS, *_OF_REQUIREMENTS))
"""Columns of people's lists that propsync reads, beside the key."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in a list: the line, None if it concerns the file; the key, and the fault."""

    line: int | None
    key: str | None
    issue: str


@dataclass
class ReferenceList:
    """Names of columns and rows of text, NULL for a blank cell or an error; usable if it has no mistake.

    `heading` is the line of the header, and `lines` has that of each row. `suspects` are keys that Excel seems to have
    changed, and those of a total or a second header. They are mistakes, unless the API has exactly these ids. `notes`
    are about cells that count as empty, and columns that nothing reads.
    """

    columns: list[str] = field(default_factory=list)
    heading: int | None = None
    rows: list[list[str | None]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    suspects: list[Mistake] = field(default_factory=list)
    notes: list[Mistake] = field(default_factory=list)


def read_list(table: str, path: Path, key: str | None = None, *, column: str | None = None) -> ReferenceList:
    """Reads the list for `main.<table>`, whose rows `key` identifies; without a key, `column` marks its sheet.

    A list that `column` marks has rules, and an empty cell may widen a rule: an error such as #N/A stays a text there.
    Raises no error for any content of a file: the mistakes list it.
    """
    try:
        _check_name(table)
        if key is None:
            _check_likeness(table)
        return _checked(key, _sheet(key or column, _content(path)), with_errors=column is not None)
    except ListUnreadable as error:
        return ReferenceList(mistakes=[Mistake(error.line, None, error.reason)])


def _check_name(table: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", table):
        raise ListUnreadable(f"{table!r} cannot be the name of a table; write {snake_case(table, 'properties')}")
    if f"main.{table}" in TABLES:
        raise ListUnreadable("propsync has a table of that name itself; give the list another name")


def _check_likeness(table: str) -> None:
    """Refuses a list without a key that has nearly the name of one that marts read: they would not see it."""
    near = difflib.get_close_matches(table, _NAMES, n=1, cutoff=_LIKENESS)
    name = _NAMES[near[0]] if near else table
    if name != table:
        raise ListUnreadable(f"marts read a list called {name}, not {table}; call it {name} under [reference]")


def _content(path: Path) -> bytes:
    """The bytes of a file that nobody wrote to meanwhile."""
    try:
        for _ in range(_TRIES):
            if (content := _steady(path)) is not None:
                return content
            time.sleep(_PAUSE)
    except ListUnreadable:
        raise
    except FileNotFoundError:
        raise ListUnreadable("there is no such file") from None
    except ValueError:
        raise ListUnreadable("its path holds a character that a path cannot hold") from None
    except OSError as error:
        raise ListUnreadable(f"it cannot be read: {error.strerror}") from None
    raise ListUnreadable("it changed while propsync read it; the next sync reads it again")


def _steady(path: Path) -> bytes | None:
    if path.exists() and not path.is_file():
        raise ListUnreadable("it is not a file")
    with path.open("rb") as file:
        before = os.fstat(file.fileno())
        if before.st_size > _MOST_BYTES:
            raise ListUnreadable(f"it is larger than {_MOST_BYTES:,} bytes")
        content = file.read(_MOST_BYTES + 1)
        after = os.fstat(file.fileno())
    is_same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    is_quiet = not 0 <= time.time() - after.st_mtime < _QUIET
    return content if is_same and is_quiet and len(content) == after.st_size else None


def _sheet(column: str | None, content: bytes) -> list[tuple[int, list[str]]]:
    """The records that are not blank; of a spreadsheet, the first sheet with that column, else the first."""
    if not is_sheet(content):
        return _filled(lines_of(decoded(content)))
    sheets = [filled for sheet in sheets_of(content) if (filled := _filled(sheet))]
    return next((sheet for sheet in sheets if column in [_name(cell) for cell in sheet[0][1]]), [*sheets, []][0])


def _filled(records: Iterable[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    stripped = ((line, [_stripped(cell) for cell in cells]) for line, cells in records)
    return [(line, cells) for line, cells in stripped if any(cells)]


def _stripped(cell: str) -> str:
    written = cell.strip(_BLANKS)
    as_text = _AS_TEXT.fullmatch(written)
    return as_text[1].strip(_BLANKS) if as_text else written


def _name(heading: str) -> str:
    return snake_case(heading, "column")


def _checked(key: str | None, records: list[tuple[int, list[str]]], *, with_errors: bool) -> ReferenceList:
    if not records:
        raise ListUnreadable("it is empty")
    (line, heading), *rows = records
    if not rows:
        raise ListUnreadable("it has a header and no row", line)
    width = max(number for number, name in enumerate(heading, 1) if name)
    if any(cell for _, cells in rows for cell in cells[width : len(heading)]):
        width = len(heading)  # a column without a name that has values
    _check_once(heading[:width], line)
    found = ReferenceList(_columns(heading[:width]), line)
    place = _place_of(key, heading, line) if key else None
    _take(found, rows if with_errors else _without_errors(found, rows), place)
    return found


def _without_errors(found: ReferenceList, rows: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """The rows with an empty cell in place of each error, and a note about it."""
    for line, cells in rows:
        for name, cell in zip(found.columns, cells, strict=False):
            if is_error(cell):
                _note(found.notes, line, None, f"{name} is {cell}, which counts as empty: correct the formula")
        yield line, ["" if is_error(cell) else cell for cell in cells]


def _check_once(heading: Sequence[str], line: int) -> None:
    """Refuses a column twice that propsync reads: it would have to guess which one people mean."""
    names = [_name(name) for name in heading if name]
    if twice := next((name for name in names if name in _READ and names.count(name) > 1), None):
        raise ListUnreadable(f"{names.count(twice)} columns are called {twice}", line)


def _columns(heading: Sequence[str]) -> list[str]:
    names: list[str] = []
    for name in heading:
        names.append(unique_name(_name(name), names))
    return names


def _place_of(key: str, heading: Sequence[str], line: int) -> int:
    places = [place for place, name in enumerate(heading) if _name(name) == key]
    if len(places) == 1:
        return places[0]
    if places:
        raise ListUnreadable(f"{len(places)} columns are called {key}", line)
    named = ", ".join(name for name in heading if name)[:200]
    raise ListUnreadable(f"it has no column {key}, only {named}", line)


def _take(found: ReferenceList, rows: Iterable[tuple[int, list[str]]], key: int | None) -> None:
    first: dict[str, int] = {}
    width = len(found.columns)
    for line, cells in rows:
        if any(cells[width:]):
            _note(found.mistakes, line, None, f"it has {len(cells)} cells, but the header has {width}")
        if WITHOUT_RESULT in cells:
            _note(
                found.mistakes,
                line,
                None,
                f"it has {WITHOUT_RESULT}; open the file in a spreadsheet program and save it",
            )
        padded = [*cells[:width], *[""] * (width - len(cells))]
        if key is not None:
            _check_key(found, first, line, padded[key], found.columns[key])
        found.rows.append([cell or None for cell in padded])
        found.lines.append(line)


def _check_key(found: ReferenceList, first: dict[str, int], line: int, key: str, column: str) -> None:
    if not key:
        _note(found.mistakes, line, None, f"it has no {column}")
    elif key in first:
        _note(found.mistakes, line, key, f"{column} {key} appears more than once, first in line {first[key]}")
    elif SHORTENED.fullmatch(key):
        _note(found.suspects, line, key, f"Excel has shortened {column} to {key}; format its column as text")
    elif _DATE.fullmatch(key):
        _note(found.suspects, line, key, f"Excel has made {column} a date, {key}; format its column as text")
    elif _TOTAL.fullmatch(key) or _name(key) == column:
        _note(found.suspects, line, key, f"its {column} is {key}: remove totals and headers from among the rows")
    first.setdefault(key, line)


def _note(into: list[Mistake], line: int, key: str | None, issue: str) -> None:
    if len(into) < _MOST_MISTAKES:
        into.append(Mistake(line, key, issue))
