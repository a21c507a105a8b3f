"""Contents of fetched documents, held in memory until their chunk is in the tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from propsync.documents.csv_rows import CsvTable, Row, csv_tables
from propsync.documents.inspect import Content
from propsync.documents.zips.bundle import Bundle
from propsync.errors import DocumentDamaged

_MOST = 50_000_000  # characters of texts and cells in all; propsync reads the others again
_MOST_OF_ONE = 2_000_000  # of one bundle: a larger one is read again, row by row


@dataclass(frozen=True)
class HeldCsv:
    """The rows of a CSV; `damage` says why it has no further ones."""

    table: CsvTable
    rows: tuple[Row, ...]
    damage: DocumentDamaged | None

    def lots(self) -> Iterator[list[Row]]:
        """The rows at once; raises the damage after them."""
        yield list(self.rows)
        if self.damage is not None:
            raise self.damage


@dataclass(frozen=True)
class HeldBundle(Bundle):
    """A bundle with the rows of its CSVs, for documents whose file is far away by the time of the tables."""

    csvs: tuple[HeldCsv, ...]
    damage: DocumentDamaged | None
    """Why it has no further CSVs."""

    @property
    def tables(self) -> Iterator[tuple[CsvTable, Iterator[list[Row]]]]:
        """The same as `csv_tables` gives."""
        for one in self.csvs:
            yield one.table, one.lots()
        if self.damage is not None:
            raise self.damage


class HeldContents(dict[str, Content]):
    """Contents by the hash of their document; of those beyond a bound, no texts and no rows."""

    def __init__(self) -> None:
        super().__init__()
        self._characters = 0

    def hold(self, sha256: str, content: Content) -> None:
        """Holds a content, or as much of it as there is room for."""
        self._characters += _size(content)
        if self._characters <= _MOST:
            self[sha256] = content
        elif isinstance(content, HeldBundle):
            self[sha256] = Bundle(content.members, content.refused)
        elif isinstance(content, Bundle):
            self[sha256] = content

    def clear(self) -> None:
        """Forgets them: they are in the tables."""
        super().clear()
        self._characters = 0


def with_rows(path: Path, bundle: Bundle) -> Bundle:
    """The bundle with the rows of its CSVs; without them if they are too many to hold."""
    if bundle.refused is not None:
        return bundle
    csvs: list[HeldCsv] = []
    size, damage = 0, None
    try:
        for table, lots in csv_tables(path, bundle):
            held = _held(table, lots, _MOST_OF_ONE - size)
            if held is None:
                return bundle
            csvs.append(held)
            size += sum(map(_cells, held.rows))
    except DocumentDamaged as error:
        damage = error
    return HeldBundle(bundle.members, bundle.refused, tuple(csvs), damage)


def _held(table: CsvTable, lots: Iterator[list[Row]], room: int) -> HeldCsv | None:
    """The rows of one CSV; None if they are more than there is room for."""
    rows: list[Row] = []
    try:
        for lot in lots:
            rows += lot
            room -= sum(map(_cells, lot))
            if room < 0:
                return None
    except DocumentDamaged as error:
        return HeldCsv(table, tuple(rows), error)
    return HeldCsv(table, tuple(rows), None)


def _size(content: Content) -> int:
    if isinstance(content, HeldBundle):
        return sum(_cells(row) for one in content.csvs for row in one.rows)
    return 0 if isinstance(content, Bundle) else sum(map(len, content))


def _cells(row: Row) -> int:
    return sum(len(cell or "") for cell in row) + len(row)
