"""Files beside landing and the tables that may have what is erased: plans, journals, results of an archive run."""

from __future__ import annotations

import gzip
import logging
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from propsync.errors import UsageError
from propsync.storage import PARTIAL, LocalStorage, files_below, open_file
from propsync.storage.places import DOCUMENTS, ROTTEN
from propsync.suppression import Suppression

_PLANS, _JOURNALS, _TAKEN, _ASIDE = "state/plans", "state/push", "archive/taken.jsonl", "state/aside"
_BACKFILLS = "state/backfill"
_DOCUMENTS = (f"{DOCUMENTS}/", f"{ROTTEN}/")
_FOLDERS = (_PLANS, _BACKFILLS, _JOURNALS, _ASIDE)
_OWN = ("landing/", "published/", *_DOCUMENTS, *(f"{folder}/" for folder in _FOLDERS), _TAKEN)
_OWN_DATABASES = "state/"
_GZIP, _PARQUET, _DUCKDB = b"\x1f\x8b", b"PAR1", b"DUCK"
_log = logging.getLogger("propsync.erase")
_MOST = 64 << 20  # bytes of a file of others that propsync looks at


class OtherFiles:
    """The files of a home that a rebuild neither reads nor writes."""

    def __init__(self, storage: LocalStorage, suppression: Suppression) -> None:
        self._storage = storage
        self._suppression = suppression

    def found(self) -> list[str]:
        """Plans and other files that have it, and copies that propsync once put aside."""
        taken = [_TAKEN] if self._is_in_taken() else []
        return [*self._plans_and_notes(), *taken, *self._storage.list(_ASIDE)]

    def refuse_unfinished(self) -> None:
        """Raises UsageError if a push that names it is not finished: its journal is still needed."""
        for key in self._storage.list(_JOURNALS):
            if self._sees(key):
                what = "a push that names it is not finished"
                step = "Finish it with `propsync push apply`, or end it with --give-up; then erase"
                raise UsageError(key, what, step)

    def remove(self) -> None:
        """Removes them. A plan can be made again; a result without its document is asked for again."""
        self._remove(self._storage.list(_ASIDE))

    def remove_restored(self) -> None:
        """Removes those that came back with a backup, or that this machine put aside while another one erased.

        Of the files aside, those stay that show nothing of it.
        """
        aside = [key for key in self._storage.list(_ASIDE) if self._may_have_it(key)]
        if aside:
            _log.warning("%d files in %s may have what was erased; propsync removed them", len(aside), _ASIDE)
        self._remove(aside)

    def _remove(self, aside: Iterable[str]) -> None:
        for key in (*self._plans_and_notes(), *aside):
            self._storage.delete(key)
        if self._is_in_taken():
            self._rewrite_taken()

    def _plans_and_notes(self) -> list[str]:
        """Plans, and notes of stopped backfills, which have lines about records."""
        return [key for folder in (_PLANS, _BACKFILLS) for key in self._storage.list(folder) if self._sees(key)]

    def _is_in_taken(self) -> bool:
        return self._storage.exists(_TAKEN) and self._sees(_TAKEN)

    def _may_have_it(self, key: str) -> bool:
        """Whether a file aside has it, or holds tables, or is too large for a body of the API."""
        path = self._storage.root / key
        with open_file(path) as file:
            head = file.read(12)
        if _holds_tables(head) or key.endswith(".wal") or path.stat().st_size > _MOST:
            return True
        body = self._storage.get(key)
        if body.startswith(_GZIP):
            try:
                body = gzip.decompress(body)
            except (OSError, EOFError, zlib.error):
                return True
        return _holds_tables(body) or self._suppression.sees(body.decode("utf-8", "replace"))

    def documents(self, assessment_id: str) -> Iterator[str]:
        """The hashes of documents of an assessment that no table has yet."""
        for line in self._taken():
            one = msgspec.json.decode(line)
            if one.get("assessment_id") == assessment_id and one.get("sha256"):
                yield one["sha256"]

    def elsewhere(self) -> Iterator[str]:
        """A line about each file of other programs below home that has it, or that propsync cannot read.

        propsync leaves them alone. A pipe or a broken link among them has nothing.
        """
        unlisted: list[OSError] = []
        for path in files_below(self._storage.root, unlisted.append):
            name = os.path.relpath(path, self._storage.root)
            try:
                if not _is_ours(name) and self._has_it(Path(path), name):
                    yield f"{name} below this home has it too, and propsync does not write that file"
            except OSError as error:
                yield _unknown(name, error)
        yield from (_unknown(os.path.relpath(one.filename, self._storage.root), one) for one in unlisted)

    def _has_it(self, path: Path, name: str) -> bool:
        return path.is_file() and path.stat().st_size <= _MOST and self._sees(name)

    def _taken(self) -> list[bytes]:
        if not self._storage.exists(_TAKEN):
            return []
        return [line for line in self._storage.get(_TAKEN).split(b"\n") if line.endswith(b"}")]

    def _rewrite_taken(self) -> None:
        stay = [line for line in self._taken() if not self._suppression.sees(line.decode("utf-8", "replace"))]
        self._storage.put(_TAKEN, b"".join(b"\n%b\n" % line for line in stay))

    def _sees(self, key: str) -> bool:
        return self._suppression.sees(self._storage.get(key).decode("utf-8", "replace"))


def _is_ours(name: str) -> bool:
    is_database = name.startswith(_OWN_DATABASES) and name.endswith((".duckdb", ".duckdb.wal"))
    return name.startswith(_OWN) or is_database or PARTIAL in name


def _unknown(name: str, error: OSError) -> str:
    return f"{name} cannot be read ({error.strerror}), so propsync does not know whether it has it"


def _holds_tables(body: bytes) -> bool:
    """Whether a file begins as Parquet or a database of DuckDB does."""
    return body.startswith(_PARQUET) or body[8:12] == _DUCKDB
