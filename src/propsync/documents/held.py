"""Contents of fetched documents, held in memory until their chunk is in the tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from propsync.documents.csv_rows import CsvTable, Row, csv_tables
from propsync.documents.inspect import Content
from propsync.documents.zips.bundle import Bundle
from propsync.errors import DocumentDamaged

_MOST = 50_000_000  # characters of texts and cells in all; propsync reads the others again
_MOST_OF_ONE = 2_000_000  # of one bundle: a larger one is read again, row by row


@dataclass(frozen=True)
class HeldBundle(Bundle):
    """A bundle with the rows of its CSVs, for documents whose file is far away by the time of the tables.

    `damage` says why a CSV has no further rows.
    """

    tables: tuple[tuple[CsvTable, tuple[Row, ...]], ...]
    damage: str | None


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
    tables: list[tuple[CsvTable, tuple[Row, ...]]] = []
    rows: list[Row] = []
    size, damage = 0, None
    try:
        for table, lots in csv_tables(path, bundle):
            rows = []
            tables.append((table, ()))
            for lot in lots:
                rows += lot
                size += sum(map(_cells, lot))
                if size > _MOST_OF_ONE:
                    return bundle
            tables[-1] = (table, tuple(rows))
    except DocumentDamaged as error:
        damage = str(error)
        tables[-1:] = [(table, tuple(rows)) for table, _ in tables[-1:]]
    return HeldBundle(bundle.members, bundle.refused, tuple(tables), damage)


def _size(content: Content) -> int:
    if isinstance(content, HeldBundle):
        return sum(_cells(row) for _, rows in content.tables for row in rows)
    return 0 if isinstance(content, Bundle) else sum(map(len, content))


def _cells(row: Row) -> int:
    return sum(len(cell or "") for cell in row) + len(row)
