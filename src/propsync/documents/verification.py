"""The files of `documents`: those to hash again, the lost ones, and those that no version names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from propsync.documents.ledger import WantedDocument
from propsync.documents.lost_files import LOST
from propsync.merge import mark_tables
from propsync.warehouse import Models, Warehouse, statement

_MOST_BYTES = 8_000_000_000  # to hash between two notes: a kill costs this much work, a minute or so


@dataclass(frozen=True)
class StoredFile:
    """A file that versions name, of bytes hashed `sha256`; `path` is relative to home.

    `latest` are the documents whose latest version it is: a request for one of them may bring it back. `mark` says
    how the file was lost; None if it was present at the last check.
    """

    path: str
    sha256: str
    size_bytes: int
    kind: str
    assessment_id: str
    mark: str | None
    latest: tuple[WantedDocument, ...]


@dataclass(frozen=True)
class LostFile:
    """A lost file, a document that it was, and how it was lost, in words."""

    path: str
    kind: str
    assessment_id: str
    why: str


class Verification:
    """Reads and writes the facts about files in `main.documents`."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse

    def due(self, began: datetime, most: int) -> tuple[list[StoredFile], int]:
        """Files not verified since `began`, a chunk of at most `most`, and the number of all."""
        count = Models(self._warehouse, {"began": began}).stage("staging/files_to_verify")
        chunk = {"most": most, "most_bytes": _MOST_BYTES}
        rows = self._warehouse.rows(statement("documents/files_to_verify"), chunk)
        return [_stored_file(row) for row in rows], count

    def note(self, verified: Sequence[str], lost: Mapping[str, str], at: datetime, run_id: str) -> None:
        """Notes the checked files, and how the lost ones among them were lost (`LOST` …)."""
        with self._warehouse.transaction():
            found = {"verified_at": at, "paths": list(verified)}
            self._warehouse.execute(statement("documents/note_verified"), found)
            if lost:
                marks = {"paths": list(lost), "marks": list(lost.values())}
                self._warehouse.execute(statement("documents/note_lost"), marks)
            mark_tables(self._warehouse, run_id, "main", ["documents"])

    def lost(self, most: int) -> tuple[list[LostFile], int]:
        """The first `most` lost files, and the number of all."""
        rows = self._warehouse.rows(statement("documents/lost_files"), {"lost": LOST, "most": most})
        found = [LostFile(path, kind, key, why.removeprefix(LOST)) for path, kind, key, why, _ in rows]
        return found, rows[0][-1] if rows else 0

    def unnamed(self, files: Iterable[str]) -> list[str]:
        """The files that no version names, sorted."""
        unnamed = set(files)
        for lot in self._warehouse.batches(statement("documents/paths")):
            unnamed.difference_update(path for (path,) in lot)
        return sorted(unnamed)

    def missing(self, files: Iterable[str]) -> list[str]:
        """The files that versions name and that are not among these, sorted."""
        here = set(files)
        rows = self._warehouse.batches(statement("documents/paths"))
        return sorted(path for lot in rows for (path,) in lot if path not in here)


def _stored_file(row: Sequence[Any]) -> StoredFile:
    path, sha256, size_bytes, kind, assessment_id, mark, latest = row
    wanted = tuple(WantedDocument(one["assessment_id"], kind, one["changed_at"], sha256, path) for one in latest)
    return StoredFile(path, sha256, size_bytes, kind, assessment_id, mark, wanted)
