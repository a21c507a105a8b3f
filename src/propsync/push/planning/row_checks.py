"""One row of a file against one record: the changes that its cells ask for, and the cells that propsync refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from itertools import chain, islice
from typing import Any, TypeVar

from propsync.push.files.damage import CellRefused, check_shortened, plain
from propsync.push.files.source import BLANKS, Cell, Row, Source, is_blank, is_empty, shortened
from propsync.push.plan import FieldChange, Refusal
from propsync.push.values.cells import KEPT, planned
from propsync.push.values.exchanged import check_passed_on
from propsync.push.values.fields import Field, RecordType
from propsync.push.values.sameness import is_same
from propsync.push.values.shown import has_cell, has_lost_tabs, without_quote

T = TypeVar("T")
_NAMED = 10  # cells that a note names
_AS_NOW: Mapping[str, Any] = {}


class RowRefused(ValueError):
    """The refusals of one row."""

    def __init__(self, refusals: list[Refusal]) -> None:
        super().__init__("a row is refused")
        self.refusals = refusals


@dataclass
class Aged:
    """Cells of a file from before: `stale` show what the records had then, `unseen` replace what they have since.

    `moved` show the property that an asset had.
    """

    stale: list[str] = dataclass_field(default_factory=list)
    unseen: list[str] = dataclass_field(default_factory=list)
    moved: list[str] = dataclass_field(default_factory=list)

    def add(self, other: Aged) -> None:
        """Adds the cells of a row."""
        self.stale += other.stale
        self.unseen += other.unseen


class RowChecks:
    """Judges the cells of a file's rows, and adds those of a file from before to `aged`.

    In a template, an empty cell whose record has a value gets a note: the plan leaves that value as it is.
    """

    def __init__(self, source: Source, aged: Aged, *, is_template: bool) -> None:
        self._source, self._aged, self._is_template = source, aged, is_template
        self._tabless: list[str] = []
        self._emptied: dict[int, list[str]] = {}
        self._unnamed = [place for place, name in enumerate(source.header) if not name]

    def changes(
        self,
        row: Row,
        fields: Mapping[int, Field],
        old: Callable[[str], Any],
        then: Mapping[str, Any] = _AS_NOW,
    ) -> list[FieldChange]:
        """The changes that the row asks for. Raises RowRefused with every cell that cannot be planned.

        `then` are the values that the file was made from, of fields that somebody has changed since.
        """
        changes: list[FieldChange] = []
        refusals: list[Refusal] = list(self._without_name(row))
        aged, tabless, emptied = Aged(), [], []
        for place, field in fields.items():
            cell, before = row.cell(place), old(field.id)
            if field.id in then and self._is_stale(cell, field, before, then[field.id]):
                aged.stale.append(self._place(row, place))
                continue
            try:
                new = self._planned(cell, field, before)
            except CellRefused as error:
                refusals.append(self.refusal(row, place, error.reason))
                continue
            if self._has_lost_tabs(cell, before):
                tabless.append(self._place(row, place))
            if self._is_template and is_empty(cell) and has_cell(field, then.get(field.id, before)):
                emptied.append(self._place(row, place))
            if new is not KEPT:
                changes.append(field_change(field, before, new))
                if field.id in then and not is_same(then[field.id], before):
                    aged.unseen.append(self._place(row, place))
        if refusals:
            raise RowRefused(refusals)
        self._aged.add(aged)
        self._tabless += tabless
        if emptied:
            self._emptied[row.number] = emptied
        return changes

    def note_deleted(self, row: Row) -> None:
        """Notes that a row deletes its record: no value stays then, so no note says that one does."""
        self._emptied.pop(row.number, None)

    @property
    def notes(self) -> list[str]:
        """Lines for people about cells that lack the tabs of the record's text, and about emptied ones."""
        notes = []
        if self._tabless:
            shown = f"{cells_that(self._tabless, 'shows', 'show')} a text without its tabs, which an .ods file loses"
            step = "The plan leaves that out. To remove tabs, use --sql"
            notes.append(f"Tabs: {shown}: {first_of(self._tabless)}. {step}")
        if emptied := [*chain.from_iterable(self._emptied.values())]:
            shown = f"{cells_that(emptied, 'is', 'are')} empty where the template had a value"
            step = "The plan leaves these values as they are. To remove one, write [clear]"
            notes.append(f"Emptied: {shown}: {first_of(emptied)}. {step}")
        return notes

    def _is_stale(self, cell: Cell, field: Field, before: Any, then: Any) -> bool:
        """Whether a cell shows what the file was made from, and not what the record has now."""
        return not self._shows(cell, field, before) and self._shows(cell, field, then)

    def _shows(self, cell: Cell, field: Field, value: Any) -> bool:
        try:
            return self._planned(cell, field, value) is KEPT
        except CellRefused:
            return False

    def _has_lost_tabs(self, cell: Cell, old: Any) -> bool:
        return not self._source.is_query and isinstance(cell, str) and isinstance(old, str) and has_lost_tabs(cell, old)

    def _planned(self, cell: Cell, field: Field, old: Any) -> Any:
        if self._has_lost_tabs(cell, old):
            return KEPT
        check_passed_on(cell, field)
        return planned(cell, field, old, is_lossy=self._source.is_lossy, is_exact=self._source.is_query)

    def _place(self, row: Row, place: int) -> str:
        return f"row {row.number}, {self._source.column(place, row.number)}"

    def key(self, row: Row, places: Iterable[int]) -> tuple[str, int | None]:
        """The first of these cells that is not blank as an id or a name, with its place. Raises RowRefused."""
        for place in places:
            if not is_blank(row.cell(place)):
                try:
                    return without_quote(plain(row.cell(place)).strip(BLANKS)), place
                except CellRefused as error:
                    raise self.refused(row, place, error.reason) from error
        return "", None

    def unknown(self, row: Row, place: int, text: str, reason: str) -> RowRefused:
        """The refusal of an id or a name that propsync does not know: damaged, or wrong."""
        try:
            check_shortened(text)
        except CellRefused as error:
            return self.refused(row, place, error.reason)
        return self.refused(row, place, reason)

    def only_type(self, row: Row, place: int, text: str, types: Iterable[RecordType]) -> RecordType:
        """The type that a cell names. Raises RowRefused for none and for several."""
        found = [one for one in types if one.is_called(text)]
        if len(found) > 1:
            ids = " or ".join(one.id for one in found)
            raise self.refused(row, place, f"{len(found)} types have this name; write the id {ids}")
        if not found:
            raise self.unknown(row, place, text, "propsync knows no such type; write its name or its id")
        return found[0]

    def refuse_second_type(self, row: Row, place: int, found: RecordType | None, named: RecordType) -> None:
        """Raises RowRefused for a cell that names a type other than the one found before."""
        if found is not None and named is not found:
            raise self.refused(row, place, f"the row is of the type {found.shown}, and this names a different one")

    def unknown_property(self, row: Row, place: int, text: str) -> RowRefused:
        """The refusal of a property that no table and no list has."""
        reason = "propsync knows no such property; correct the id, or add it to your list of properties and sync"
        return self.unknown(row, place, text, reason)

    def refuse_others(self, row: Row, places: Iterable[int], of: str) -> None:
        """Raises RowRefused for a cell in a column of other types."""
        wrong = [place for place in places if not is_blank(row.cell(place))]
        if wrong:
            raise RowRefused([self.refusal(row, place, f"{of} has no such field; empty the cell") for place in wrong])

    def refused(self, row: Row, place: int | None, reason: str) -> RowRefused:
        """A row with one refusal."""
        return RowRefused([self.refusal(row, place, reason)])

    def refusal(self, row: Row, place: int | None, reason: str) -> Refusal:
        """The words for one cell; for the row if `place` is None."""
        if place is None:
            return Refusal(row.number, None, None, reason)
        found = None if is_blank(row.cell(place)) else shortened(row.cell(place))
        return Refusal(row.number, self._source.column(place, row.number), found, reason)

    def check_width(self, row: Row) -> None:
        """Raises RowRefused for a row with too many cells: a text without quotes has moved them into wrong columns.

        Fewer are sound, because Excel leaves out blank cells at the end of a row.
        """
        width = len(self._source.header)
        if len(row.cells) > width:
            what = f"it has {len(row.cells)} cells, and the header has {width}"
            raise self.refused(row, None, f"{what}: a text with a comma needs quotes around it")

    def _without_name(self, row: Row) -> Iterator[Refusal]:
        for place in self._unnamed:
            if not is_blank(row.cell(place)):
                yield self.refusal(
                    row, place, "its column has no name; name it, begin its name with #, or empty the cell"
                )


def field_change(field: Field, old: Any, new: Any) -> FieldChange:
    """A change with the names of the ids in it."""
    ids = [one for value in (old, new) if isinstance(value, list) for one in value if isinstance(one, str)]
    names = {one: name for one in ids if (name := field.name_of(one))}
    return FieldChange(field.id, field.label or field.column, field.kind, old, new, names)


def cells_that(places: Sequence[str], one: str, several: str) -> str:
    """The number of cells of a note, with its verb."""
    return f"1 cell {one}" if len(places) == 1 else f"{len(places):,} cells {several}"


def first_of(places: Sequence[str]) -> str:
    """The first places of a note, and how many more there are."""
    more = len(places) - _NAMED
    return "; ".join(places[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def lots_of(rows: Iterable[T], most: int) -> Iterator[list[T]]:
    """The rows in batches."""
    rest = iter(rows)
    while lot := list(islice(rest, most)):
        yield lot
