"""What documents hold, as tables: members of bundles, rows of their CSVs, the text of reports."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from propsync.documents.blobs import Blobs
from propsync.documents.bundle import Bundle
from propsync.documents.kinds import KINDS
from propsync.documents.reading import Content, DocumentReader
from propsync.documents.tables import CsvTable, csv_tables
from propsync.errors import DocumentDamaged
from propsync.merge import mark_tables
from propsync.runs import Run
from propsync.warehouse import TABLES, Warehouse, comment_on_column, quoted

_TABLES = ("bundle_members", "bundle_actions", "bundle_controls", "bundle_elements", "document_text")
_log = logging.getLogger("propsync.archive")
_MOST_COLUMNS = 300  # of one table, whatever CSVs bring
_MOST_UNKNOWN = 50  # documents that are opened while the run lock is held


@dataclass(frozen=True)
class Unread:
    """A version whose content is in no table yet."""

    assessment_id: str
    kind: str
    sha256: str
    path: str
    is_latest: bool


class Contents:
    """Puts what is in documents into tables. Reading twice is reading once."""

    def __init__(self, warehouse: Warehouse, blobs: Blobs, reader: DocumentReader) -> None:
        self._warehouse = warehouse
        self._blobs = blobs
        self._reader = reader

    def read(self, known: Mapping[str, Content], run: Run, *, with_text: bool) -> int:
        """Reads versions that were not read yet, a bounded lot; `known` has what is in some of them, by their hash.

        Returns how many were read: 0 where all are, or where none of the lot can be.
        """
        kinds = _kinds_read(with_text=with_text)
        unread = self._unread(kinds, known)
        if not unread:
            return 0
        told = {one: self._told(one, known) for one in unread}
        with self._warehouse.transaction():
            for one, found in told.items():
                if isinstance(found, Bundle):
                    self._add_bundle(one, found, run.run_id)
                elif found is not None:
                    self._add_text(one, found)
            done = [one for one, found in told.items() if found is not None]
            self._warehouse.execute(
                "update main.documents set read_at = ? where list_contains(?, kind) "
                "and (assessment_id, sha256) in (select unnest(?), unnest(?))",
                [run.time, kinds, [one.assessment_id for one in done], [one.sha256 for one in done]],
            )
            mark_tables(self._warehouse, run.run_id, "main", [*_TABLES, "documents"])
        return len(done)

    def is_behind(self, *, with_text: bool) -> bool:
        """Whether there are versions that were not read yet."""
        return bool(self._unread(_kinds_read(with_text=with_text), {}))

    def _unread(self, kinds: Sequence[str], known: Mapping[str, Content]) -> list[Unread]:
        rows = self._warehouse.rows(
            "select assessment_id, kind, sha256, path, is_latest from main.documents "
            "where state = 'stored' and read_at is null and list_contains(?, kind) "
            "order by assessment_id, kind, version",
            [list(kinds)],
        )
        found = [Unread(*row) for row in rows]
        others = [one for one in found if one.sha256 not in known]
        return [one for one in found if one.sha256 in known] + others[:_MOST_UNKNOWN]

    def _told(self, one: Unread, known: Mapping[str, Content]) -> Content | None:
        """What is in it; None where its file cannot be read now: `archive verify` tells of that."""
        if one.sha256 in known:
            return known[one.sha256]
        try:
            return self._reader.content(KINDS[one.kind], self._blobs.path(one.path))
        except FileNotFoundError:
            return None
        except DocumentDamaged:
            return [] if one.kind == "report" else None

    def _add_bundle(self, one: Unread, bundle: Bundle, run_id: str) -> None:
        self._add_members(one.sha256, bundle)
        if not one.is_latest:
            return
        for name in _TABLES[1:4]:
            self._warehouse.execute(f"delete from main.{name} where assessment_id = ?", [one.assessment_id])
        if bundle.refused is None:
            self._add_tables(one, bundle, run_id)

    def _add_tables(self, one: Unread, bundle: Bundle, run_id: str) -> None:
        """The rows of its CSVs; a CSV that cannot be read to its end gives what came before that."""
        first = Counter[str]()
        try:
            for table, lots in csv_tables(self._blobs.path(one.path), bundle):
                self._add_rows(one, table, lots, first, run_id)
        except (DocumentDamaged, FileNotFoundError) as error:
            _log.warning("%s of assessment %s: %s", one.path, one.assessment_id, error)

    def _add_members(self, sha256: str, bundle: Bundle) -> None:
        self._warehouse.execute("delete from main.bundle_members where document_sha256 = ?", [sha256])
        rows: list[tuple[object, ...]] = [
            (sha256, member.name, member.size_bytes, member.crc32, member.sha256, member.refused)
            for member in bundle.members
        ]
        if not rows:
            rows = [(sha256, None, None, None, None, bundle.refused or "it holds nothing")]
        self._warehouse.add("main.bundle_members", rows)

    def _add_rows(
        self,
        one: Unread,
        table: CsvTable,
        lots: Iterator[list[tuple[str | None, ...]]],
        rows: Counter[str],
        run_id: str,
    ) -> None:
        target = f"bundle_{table.name}"
        places = self._columns(target, table, run_id)
        for lot in lots:
            first = rows[target] + 1  # a bundle may have a CSV of one name in two folders
            given: dict[str, Sequence[object]] = {"row_number": range(first, first + len(lot))}
            given |= {name: [row[place] for row in lot] for name, place in places.items()}
            same = {"assessment_id": one.assessment_id, "document_sha256": one.sha256}
            self._warehouse.append(f"main.{target}", given, **same)
            rows[target] += len(lot)

    def _columns(self, target: str, table: CsvTable, run_id: str) -> dict[str, int]:
        """The places in a row of the columns that the table has; those that it lacks are made."""
        known = {name for (name,) in self._warehouse.rows(f"select column_name from (describe main.{target})")}
        places: dict[str, int] = {}
        for place, (name, header) in enumerate(zip(table.columns, table.headers, strict=True)):
            if name not in known and len(known) < _MOST_COLUMNS:
                self._make_column(target, name, header, run_id)
                known.add(name)
            if name in known and name not in TABLES[f"main.{target}"].columns:
                places[name] = place
        return places

    def _make_column(self, target: str, name: str, header: str, run_id: str) -> None:
        self._warehouse.execute(f"alter table main.{target} add column {quoted(name)} VARCHAR")
        self._warehouse.execute(comment_on_column(f"main.{target}", name, f"{header}, as the CSV has it"))
        self._warehouse.add("ops.columns", [("main", target, name, header, "VARCHAR", run_id, run_id)])

    def _add_text(self, one: Unread, pages: Sequence[str]) -> None:
        self._warehouse.execute("delete from main.document_text where document_sha256 = ?", [one.sha256])
        rows = [(one.sha256, number, page.replace("\0", "")) for number, page in enumerate(pages, 1)]
        self._warehouse.add("main.document_text", rows)


def _kinds_read(*, with_text: bool) -> list[str]:
    return ["bundle", *(["report"] if with_text else [])]
