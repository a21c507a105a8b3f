"""The contents of documents as tables: members of bundles, rows of their CSVs, the text of reports."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from propsync.documents.blobs import Blobs
from propsync.documents.content_rows import CONTENT_TABLES, ContentRows
from propsync.documents.csv_rows import CsvTable, Row, csv_tables
from propsync.documents.earlier_actions import EarlierActions
from propsync.documents.held import HeldBundle
from propsync.documents.inspect import Content, DocumentReader
from propsync.documents.kinds import KINDS
from propsync.documents.unread_tables import unread_tables
from propsync.documents.zips.bundle import Bundle
from propsync.errors import DocumentDamaged
from propsync.merge import mark_tables
from propsync.runs import Run
from propsync.storage import why_unread
from propsync.suppression import Suppression
from propsync.warehouse import Warehouse, statement

_log = logging.getLogger("propsync.archive")
_ACTIONS = "actions"
_MOST_UNKNOWN = 50  # documents that it opens while it holds the run lock


@dataclass(frozen=True)
class Unread:
    """A version whose content is in no table yet."""

    assessment_id: str
    kind: str
    sha256: str
    path: str
    is_latest: bool
    is_earlier: bool
    """Whether it is an earlier bundle whose actions are kept."""


class _Unreadable(Exception):
    """The disk fails to give the bytes of `file`, so nothing of it goes into the tables."""

    def __init__(self, file: Unread, error: OSError) -> None:
        super().__init__(why_unread(error))
        self.file = file


class Contents:
    """Puts the contents of documents into tables, without erased ids. Reading twice equals reading once."""

    def __init__(
        self,
        warehouse: Warehouse,
        blobs: Blobs,
        reader: DocumentReader,
        suppression: Suppression,
        faults: dict[str, str],
    ) -> None:
        """`faults` gets the path of each file that cannot be read now, with the reason."""
        self._faults = faults
        self._warehouse = warehouse
        self._blobs = blobs
        self._reader = reader
        self._suppression = suppression

    def read(self, known: Mapping[str, Content], run: Run, *, with_text: bool) -> int:
        """Reads a bounded batch of unread versions; `known` has the contents of some of them, by hash.

        Returns how many it read: 0 if none is left, or if it can read none of the batch.
        """
        kinds = _kinds_read(with_text=with_text)
        found = dict(self._batch(kinds, known))
        while found:
            try:
                self._put(found, run, kinds)
                break
            except _Unreadable as failed:
                self._faults[failed.file.path] = str(failed)
                del found[failed.file]
        return len(found)

    def _put(self, found: Mapping[Unread, Content], run: Run, kinds: Sequence[str]) -> None:
        with self._warehouse.transaction():
            self._write(found, run.run_id)
            read = {"assessment_ids": [one.assessment_id for one in found], "hashes": [one.sha256 for one in found]}
            note = read | {"read_at": run.time, "kinds": kinds}
            self._warehouse.execute(statement("documents/note_read"), note)
            mark_tables(self._warehouse, run.run_id, "main", [*CONTENT_TABLES, "documents"])
            mark_tables(self._warehouse, run.run_id, "history", ["bundle_actions"])

    def is_behind(self, *, with_text: bool) -> bool:
        """Whether any unread version can be read."""
        return any(self._blobs.exists(one.path) for one in self._unread(_kinds_read(with_text=with_text)))

    def _batch(self, kinds: Sequence[str], known: Mapping[str, Content]) -> Iterator[tuple[Unread, Content]]:
        """All known versions, and as many others as the bound allows; an unreadable one takes no other's place."""
        opened = 0
        for one in self._unread(kinds):
            is_known = one.sha256 in known
            if not is_known and opened == _MOST_UNKNOWN:
                continue
            content = known[one.sha256] if is_known else self._opened(one)
            if content is not None:
                opened += not is_known
                yield one, content

    def _unread(self, kinds: Sequence[str]) -> list[Unread]:
        hidden = self._warehouse.unshown("assessments")
        is_opened = f"assessment_id not in (select assessment_id from {hidden})" if hidden else "true"
        rows = self._warehouse.rows(statement("documents/unread", is_opened=is_opened), {"kinds": list(kinds)})
        return [Unread(*row) for row in rows]

    def _opened(self, one: Unread) -> Content | None:
        """Its contents; None if its file cannot be read now, which `archive verify` reports.

        A report of which the disk has every byte may hold no text.
        """
        try:
            return self._reader.content(KINDS[one.kind], self._blobs.path(one.path))
        except FileNotFoundError:
            return None
        except DocumentDamaged:
            return [] if self._is_as_stored(one) and one.kind == "report" else None
        except OSError as error:
            self._faults[one.path] = why_unread(error)
            return None

    def _is_as_stored(self, one: Unread) -> bool:
        try:
            is_same = self._blobs.sha256(one.path) == one.sha256
        except OSError as error:
            self._faults[one.path] = why_unread(error)
            return False
        if not is_same:
            self._faults[one.path] = "its bytes have changed since propsync stored it"
        return is_same

    def _write(self, found: Mapping[Unread, Content], run_id: str) -> None:
        rows = ContentRows(self._warehouse, run_id, self._suppression)
        actions = EarlierActions(self._warehouse, run_id)
        shown = [one for one in found if one.kind == "bundle" and one.is_latest]
        earlier = {(one.assessment_id, one.sha256): one for one in found if one.is_earlier}
        actions.keep({one.assessment_id for one in shown})
        actions.forget(earlier)
        rows.clear({one.sha256 for one in found}, {one.assessment_id for one in shown})
        # two assessments may have the same document, whose members and text go into the tables once
        for sha256, content in {one.sha256: content for one, content in found.items()}.items():
            if isinstance(content, Bundle):
                rows.members(sha256, content)
            else:
                rows.text(sha256, content)
        for one in (*shown, *earlier.values()):
            content = found[one]
            if isinstance(content, Bundle):
                self._write_bundle(rows, one, content)
        rows.flush()
        of_earlier = {one.assessment_id for one in earlier.values()}
        actions.keep(of_earlier)
        actions.remove(of_earlier)

    def _write_bundle(self, rows: ContentRows, one: Unread, bundle: Bundle) -> None:
        if bundle.refused is None:
            self._write_csvs(rows, one, bundle)
        for table, (issue, value) in unread_tables(bundle).items() if one.is_latest else ():
            rows.unread(one.assessment_id, table, issue, value)

    def _write_csvs(self, rows: ContentRows, one: Unread, bundle: Bundle) -> None:
        """Writes the rows of its CSVs (of an earlier bundle, actions); of a damaged CSV, the rows before the damage."""
        try:
            for table, lots in self._csvs(one, bundle):
                if one.is_latest or table.name == _ACTIONS:
                    self._write_csv(rows, one, table, lots)
        except (DocumentDamaged, FileNotFoundError) as error:
            _log.warning("%s of assessment %s: %s", one.path, one.assessment_id, error)
        except OSError as error:
            raise _Unreadable(one, error) from error

    def _write_csv(self, rows: ContentRows, one: Unread, table: CsvTable, lots: Iterator[list[Row]]) -> None:
        try:
            rows.csv(one.assessment_id, one.sha256, table, lots)
        except DocumentDamaged as error:
            _log.warning("%s of assessment %s: %s", one.path, one.assessment_id, error)
            if one.is_latest:
                rows.cut_short(one.assessment_id, table, error.what)

    def _csvs(self, one: Unread, bundle: Bundle) -> Iterator[tuple[CsvTable, Iterator[list[Row]]]]:
        if isinstance(bundle, HeldBundle):
            return bundle.tables
        return csv_tables(self._blobs.path(one.path), bundle)


def _kinds_read(*, with_text: bool) -> list[str]:
    return ["bundle", *(["report"] if with_text else [])]
