"""Rows of documents' contents on their way into tables: many at a time, as one statement per document costs more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from propsync.documents.csv_rows import CsvTable
from propsync.documents.zips.bundle import Bundle
from propsync.suppression import Suppression
from propsync.warehouse import Warehouse, comment_on_column, quoted, statement, texts, whole_numbers

BUNDLE_TABLES = ("bundle_actions", "bundle_controls", "bundle_elements")
CONTENT_TABLES = ("bundle_members", "document_text", *BUNDLE_TABLES)
_MOST_COLUMNS = 300  # of one table, however many CSVs have
_MOST_BY_WIDE = 200  # of them that a CSV with more columns may fill, so that later CSVs find room
_NUMBER = "row_number"
_FURTHER = "further"
_MOST_NAMES = 20  # of columns without room, in the row of ops.value_issues
_MOST_CELLS = 200_000  # that may wait to be written


class ContentRows:
    """Takes rows and writes them in batches, inside the caller's transaction; `flush` writes the rest.

    It cuts erased ids out of them, as a rebuild does: a document may name a record that somebody erased.
    """

    def __init__(self, warehouse: Warehouse, run_id: str, suppression: Suppression) -> None:
        self._warehouse = warehouse
        self._run_id = run_id
        self._suppression = suppression
        self._columns = {name: self._known(name) for name in BUNDLE_TABLES}
        self._batches: dict[tuple[str, tuple[str, ...]], list[list[object]]] = {}
        self._numbers = Counter[tuple[str, str, str]]()
        self._cells = 0

    def clear(self, hashes: Collection[str], assessments: Collection[str]) -> None:
        """Deletes the rows of documents with these hashes, and the rows of these assessments' bundles."""
        for name in ("bundle_members", "document_text"):
            self._delete(name, "document_sha256", hashes)
        for name in BUNDLE_TABLES:
            self._delete(name, "assessment_id", assessments)
            issues = {"assessment_ids": list(assessments), "names": [name, f"{name}.{_FURTHER}"]}
            self._warehouse.execute(statement("documents/forget_issues"), issues)

    def members(self, sha256: str, bundle: Bundle) -> None:
        """Adds the members of a bundle, equal ones once; if it is unopened or empty, one row that says why."""
        for member in {(member.name, member.crc32): member for member in bundle.members}.values():
            row = [sha256, member.name, member.size_bytes, member.crc32, member.sha256, member.refused]
            self._put("bundle_members", (), row)
        if not bundle.members:
            self._put("bundle_members", (), [sha256, None, None, None, None, bundle.refused or "it is empty"])

    def text(self, sha256: str, pages: Sequence[str]) -> None:
        """Adds a report's text, one row per page."""
        for number, page in enumerate(pages, 1):
            self._put("document_text", (), [sha256, number, page.replace("\0", "")])

    def csv(
        self, assessment_id: str, sha256: str, table: CsvTable, lots: Iterator[list[tuple[str | None, ...]]]
    ) -> None:
        """Adds the rows of one CSV of a bundle; a bundle may have two of one name, in two folders.

        Cells without a column in the table go to its column `further`, and `ops.value_issues` says so.
        """
        target = f"bundle_{table.name}"
        places, beyond = self._places(target, table)
        names = ("assessment_id", "document_sha256", _NUMBER, *places, *([_FURTHER] if beyond else []))
        if beyond:
            self._put("value_issues", (), _too_many(assessment_id, target, list(beyond), self._run_id))
        for lot in lots:
            for row in lot:
                self._numbers[target, assessment_id, sha256] += 1
                number = self._numbers[target, assessment_id, sha256]
                cells = [row[place] for place in places.values()]
                further = [_further(row, beyond)] if beyond else []
                self._put(target, names, [assessment_id, sha256, number, *cells, *further], len(beyond))

    def cut_short(self, assessment_id: str, table: CsvTable, why: str) -> None:
        """Notes in `ops.value_issues` that a CSV has no further rows."""
        self.unread(assessment_id, table.name, "the table lacks rows of the CSV", why)

    def unread(self, assessment_id: str, table: str, issue: str, value: str) -> None:
        """Notes in `ops.value_issues` that a bundle gives a table no rows, or not all."""
        self._put("value_issues", (), ["documents", assessment_id, f"bundle_{table}", issue, value, self._run_id])

    def flush(self) -> None:
        """Writes all waiting rows."""
        for (target, names), rows in self._batches.items():
            if names:
                by_name = zip(names, zip(*rows, strict=True), strict=True)
                columns = {name: (whole_numbers if name == _NUMBER else texts)(values) for name, values in by_name}
                self._warehouse.append(f"main.{target}", **columns)
            else:
                self._warehouse.add(f"{'ops' if target == 'value_issues' else 'main'}.{target}", rows)
        self._batches.clear()
        self._cells = 0

    def _put(self, target: str, names: tuple[str, ...], row: list[object], more: int = 0) -> None:
        """`more` are the cells that one value of the row holds."""
        if self._suppression:
            row = [self._suppression.document(cell) if isinstance(cell, str) else cell for cell in row]
        self._batches.setdefault((target, names), []).append(row)
        self._cells += len(row) + more
        if self._cells >= _MOST_CELLS:
            self.flush()

    def _delete(self, name: str, column: str, values: Collection[str]) -> None:
        query = statement("documents/forget_contents", table=name, column=column)
        self._warehouse.execute(query, {"values": list(values)})

    def _known(self, target: str) -> set[str]:
        return {name for (name,) in self._warehouse.rows(statement("documents/columns", table=target))}

    def _places(self, target: str, table: CsvTable) -> tuple[dict[str, int], dict[str, int]]:
        """Places in a row: of the columns that the table has or gets, and of those for which it has no room."""
        known, fixed = self._columns[target], {"assessment_id", "document_sha256", _NUMBER, _FURTHER}
        most = _MOST_COLUMNS if len(table.columns) <= _MOST_COLUMNS else _MOST_BY_WIDE
        new = [name for name in table.columns if name not in known][: max(0, most - len(known))]
        if new:
            self._make_columns(target, new, dict(zip(table.columns, table.headers, strict=True)))
            known.update(new)
        places = {name: place for place, name in enumerate(table.columns) if name not in fixed}
        return (
            {name: place for name, place in places.items() if name in known},
            {name: place for name, place in places.items() if name not in known},
        )

    def _make_columns(self, target: str, names: Sequence[str], headers: Mapping[str, str]) -> None:
        """Makes columns, and moves cells of earlier CSVs into them from `further`."""
        self.flush()
        for name in names:
            self._warehouse.execute(f"alter table main.{target} add column {quoted(name)} VARCHAR")
            comment = comment_on_column(f"main.{target}", name, f"{headers[name]}, as in the CSV")
            self._warehouse.execute(comment)
        rows = [("main", target, name, headers[name], "VARCHAR", self._run_id, self._run_id) for name in names]
        self._warehouse.add("ops.columns", rows)
        held = statement("documents/further_names", table=target)
        for name in sorted({name for (name,) in self._warehouse.rows(held)}.intersection(names)):
            moved = statement("documents/move_further", table=f"main.{target}", column=quoted(name))
            self._warehouse.execute(moved, {"name": name})


def _further(row: Sequence[str | None], beyond: Mapping[str, int]) -> str:
    """Cells that have no column, by the names that their columns would have."""
    cells = {name: row[place] for name, place in beyond.items() if row[place] is not None}
    return msgspec.json.encode(cells).decode()


def _too_many(assessment_id: str, target: str, beyond: Sequence[str], run_id: str) -> list[object]:
    """A row for `ops.value_issues`."""
    issue = f"{len(beyond):,} columns of the CSV are in {_FURTHER}: the table has no room for more"
    more = ", …" if len(beyond) > _MOST_NAMES else ""
    return ["documents", assessment_id, f"{target}.{_FURTHER}", issue, ", ".join(beyond[:_MOST_NAMES]) + more, run_id]
