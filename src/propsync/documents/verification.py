"""What `documents` says of its files: which are to be hashed anew, which are lost, and what no version names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from propsync.documents.ledger import WantedDocument
from propsync.documents.lost_files import LOST
from propsync.merge import mark_tables
from propsync.warehouse import Models, Warehouse, statement

_MOST_BYTES = 8_000_000_000  # that are hashed between two notes: what a kill costs, a minute or so


@dataclass(frozen=True)
class StoredFile:
    """A file that versions name, of bytes hashed `sha256`; `path` is relative to home.

    `latest` are the documents whose latest version it is: to ask for one of them may bring it back. `mark` tells how it
    was lost, None for one that was there when last looked for.
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
    """A file that is lost, a document that it was, and how it was lost in words."""

    path: str
    kind: str
    assessment_id: str
    why: str


class Verification:
    """Reads and writes of `main.documents` what concerns its files."""

    def __init__(self, warehouse: Warehouse) -> None:
        self._warehouse = warehouse

    def due(self, began: datetime, most: int) -> tuple[list[StoredFile], int]:
        """Files not verified since `began`, a chunk of at most `most`, and how many there are in all."""
        count = Models(self._warehouse, {"began": began}).stage("staging/files_to_verify")
        chunk = {"most": most, "most_bytes": _MOST_BYTES}
        rows = self._warehouse.rows(statement("documents/files_to_verify"), chunk)
        return [_stored_file(row) for row in rows], count

    def note(self, verified: Sequence[str], lost: Mapping[str, str], at: datetime, run_id: str) -> None:
        """Notes which files were hashed or looked for, and how those that are not there were lost (`LOST` …)."""
        with self._warehouse.transaction():
            found = {"verified_at": at, "paths": list(verified)}
            self._warehouse.execute(statement("documents/note_verified"), found)
            if lost:
                marks = {"paths": list(lost), "marks": list(lost.values())}
                self._warehouse.execute(statement("documents/note_lost"), marks)
            mark_tables(self._warehouse, run_id, "main", ["documents"])

    def lost(self, most: int) -> tuple[list[LostFile], int]:
        """The first `most` files that are lost, and how many are."""
        rows = self._warehouse.rows(statement("documents/lost_files"), {"lost": LOST, "most": most})
        found = [LostFile(path, kind, key, why.removeprefix(LOST)) for path, kind, key, why, _ in rows]
        return found, rows[0][-1] if rows else 0

    def unnamed(self, files: Iterable[str]) -> list[str]:
        """Those of some files that no version names, sorted."""
        unnamed = set(files)
        for lot in self._warehouse.batches(statement("documents/paths")):
            unnamed.difference_update(path for (path,) in lot)
        return sorted(unnamed)


def _stored_file(row: Sequence[Any]) -> StoredFile:
    path, sha256, size_bytes, kind, assessment_id, mark, latest = row
    wanted = tuple(WantedDocument(one["assessment_id"], kind, one["changed_at"], sha256, path) for one in latest)
    return StoredFile(path, sha256, size_bytes, kind, assessment_id, mark, wanted)
