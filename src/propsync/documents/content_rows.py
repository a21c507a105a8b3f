"""Rows of what is in documents, on their way into tables: many at a time, as one statement a document costs more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from propsync.documents.bundle import Bundle
from propsync.documents.tables import CsvTable
from propsync.warehouse import TABLES, Warehouse, comment_on_column, quoted, texts, whole_numbers

BUNDLE_TABLES = ("bundle_actions", "bundle_controls", "bundle_elements")
CONTENT_TABLES = ("bundle_members", "document_text", *BUNDLE_TABLES)
_MOST_COLUMNS = 300  # of one table, whatever CSVs bring
_NUMBER = "row_number"
_MOST_CELLS = 200_000  # that wait to be written


class ContentRows:
    """Takes rows and writes them in lots, inside the caller's transaction; `flush` writes what is left."""

    def __init__(self, warehouse: Warehouse, run_id: str) -> None:
        self._warehouse = warehouse
        self._run_id = run_id
        self._columns = {name: self._known(name) for name in BUNDLE_TABLES}
        self._lots: dict[tuple[str, tuple[str, ...]], list[list[object]]] = {}
        self._numbers = Counter[tuple[str, str]]()
        self._cells = 0

    def clear(self, hashes: Collection[str], assessments: Collection[str]) -> None:
        """Takes out what there is of documents with these hashes, and the rows of these assessments' bundles."""
        for name in ("bundle_members", "document_text"):
            self._delete(name, "document_sha256", hashes)
        for name in BUNDLE_TABLES:
            self._delete(name, "assessment_id", assessments)

    def members(self, sha256: str, bundle: Bundle) -> None:
        """What is in a bundle; one row that says why, where it is not opened or holds nothing."""
        for member in bundle.members:
            row = [sha256, member.name, member.size_bytes, member.crc32, member.sha256, member.refused]
            self._put("bundle_members", (), row)
        if not bundle.members:
            self._put("bundle_members", (), [sha256, None, None, None, None, bundle.refused or "it holds nothing"])

    def text(self, sha256: str, pages: Sequence[str]) -> None:
        """A report's text, a row a page."""
        for number, page in enumerate(pages, 1):
            self._put("document_text", (), [sha256, number, page.replace("\0", "")])

    def csv(
        self, assessment_id: str, sha256: str, table: CsvTable, lots: Iterator[list[tuple[str | None, ...]]]
    ) -> None:
        """The rows of one CSV of a bundle; a bundle may have two of one name, in two folders."""
        target = f"bundle_{table.name}"
        places = self._places(target, table)
        names = ("assessment_id", "document_sha256", _NUMBER, *places)
        for lot in lots:
            for row in lot:
                self._numbers[target, assessment_id] += 1
                number = self._numbers[target, assessment_id]
                self._put(target, names, [assessment_id, sha256, number, *(row[place] for place in places.values())])

    def flush(self) -> None:
        """Writes all that waits."""
        for (target, names), rows in self._lots.items():
            if names:
                by_name = zip(names, zip(*rows, strict=True), strict=True)
                columns = {name: (whole_numbers if name == _NUMBER else texts)(values) for name, values in by_name}
                self._warehouse.append(f"main.{target}", **columns)
            else:
                self._warehouse.add(f"main.{target}", rows)
        self._lots.clear()
        self._cells = 0

    def _put(self, target: str, names: tuple[str, ...], row: list[object]) -> None:
        self._lots.setdefault((target, names), []).append(row)
        self._cells += len(row)
        if self._cells >= _MOST_CELLS:
            self.flush()

    def _delete(self, name: str, column: str, values: Collection[str]) -> None:
        self._warehouse.execute(f"delete from main.{name} where {column} in (select unnest(?))", [list(values)])

    def _known(self, target: str) -> set[str]:
        return {name for (name,) in self._warehouse.rows(f"select column_name from (describe main.{target})")}

    def _places(self, target: str, table: CsvTable) -> dict[str, int]:
        """The places in a row of the columns that the table has; those that it lacks are made."""
        known, fixed = self._columns[target], TABLES[f"main.{target}"].columns
        places: dict[str, int] = {}
        for place, (name, header) in enumerate(zip(table.columns, table.headers, strict=True)):
            if name not in known and len(known) < _MOST_COLUMNS:
                self._make_column(target, name, header)
                known.add(name)
            if name in known and name not in fixed:
                places[name] = place
        return places

    def _make_column(self, target: str, name: str, header: str) -> None:
        self._warehouse.execute(f"alter table main.{target} add column {quoted(name)} VARCHAR")
        self._warehouse.execute(comment_on_column(f"main.{target}", name, f"{header}, as the CSV has it"))
        self._warehouse.add("ops.columns", [("main", target, name, header, "VARCHAR", self._run_id, self._run_id)])
