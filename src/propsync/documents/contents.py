"""What documents hold, as tables: members of bundles, rows of their CSVs, the text of reports."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from propsync.documents.blobs import Blobs
from propsync.documents.bundle import Bundle
from propsync.documents.content_rows import CONTENT_TABLES, ContentRows
from propsync.documents.kinds import KINDS
from propsync.documents.reading import Content, DocumentReader
from propsync.documents.tables import csv_tables
from propsync.errors import DocumentDamaged
from propsync.merge import mark_tables
from propsync.runs import Run
from propsync.warehouse import Warehouse

_log = logging.getLogger("propsync.archive")
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
            self._write(told, run.run_id)
            done = [one for one, found in told.items() if found is not None]
            self._warehouse.execute(
                "update main.documents set read_at = ? where list_contains(?, kind) "
                "and (assessment_id, sha256) in (select unnest(?), unnest(?))",
                [run.time, kinds, [one.assessment_id for one in done], [one.sha256 for one in done]],
            )
            mark_tables(self._warehouse, run.run_id, "main", [*CONTENT_TABLES, "documents"])
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

    def _write(self, told: Mapping[Unread, Content | None], run_id: str) -> None:
        rows = ContentRows(self._warehouse, run_id)
        found = {one: content for one, content in told.items() if content is not None}
        shown = [one for one in found if one.kind == "bundle" and one.is_latest]
        rows.clear({one.sha256 for one in found}, {one.assessment_id for one in shown})
        # two assessments may have the same document, whose members and text are told once
        for sha256, content in {one.sha256: content for one, content in found.items()}.items():
            if isinstance(content, Bundle):
                rows.members(sha256, content)
            else:
                rows.text(sha256, content)
        for one in shown:
            content = found[one]
            if isinstance(content, Bundle) and content.refused is None:
                self._write_csvs(rows, one, content)
        rows.flush()

    def _write_csvs(self, rows: ContentRows, one: Unread, bundle: Bundle) -> None:
        """The rows of its CSVs; a CSV that cannot be read to its end gives what came before that."""
        try:
            for table, lots in csv_tables(self._blobs.path(one.path), bundle):
                rows.csv(one.assessment_id, one.sha256, table, lots)
        except (DocumentDamaged, FileNotFoundError) as error:
            _log.warning("%s of assessment %s: %s", one.path, one.assessment_id, error)


def _kinds_read(*, with_text: bool) -> list[str]:
    return ["bundle", *(["report"] if with_text else [])]
