"""The base: history up to a run, in place of pruned snapshots. propsync puts its manifest last, as with a snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from propsync.errors import BaseLost
from propsync.resources import Definition
from propsync.storage import LocalStorage, sha256_of_file, why_unread
from propsync.storage.seals import sealed, unsealed

_FOLDER = "landing/base"
_FILE = "manifest.json"


@dataclass(frozen=True)
class BaseFile:
    """One table's rows, as Parquet."""

    key: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True)
class Base:
    """History as of `run_id`, including that run's changes, and whatever else a rebuild needs.

    `files` has a file for each table, by name. `forms` has, for each resource, the canonical forms that its records
    were compared in, `definitions` those of the further lists.
    """

    run_id: str
    files: dict[str, BaseFile]
    forms: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)


class Bases:
    """`landing/base/<run>/<table>.parquet` and `landing/base/<run>/manifest.json`."""

    def __init__(self, storage: LocalStorage) -> None:
        self._storage = storage

    def newest(self) -> Base | None:
        """The latest complete base; None if nothing was ever pruned. Raises BaseLost if it is damaged."""
        run_id = self.newest_run()
        if run_id is None:
            return None
        key = _manifest_key(run_id)
        try:
            return msgspec.json.decode(unsealed(self._storage.get(key)), type=Base)
        except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors, and SealBroken is too
            raise BaseLost(key, why_unread(error)) from error

    def newest_run(self) -> str | None:
        """The run up to which the latest base holds history, even if its manifest is unreadable."""
        found = [key for key in self._storage.list(_FOLDER) if key.endswith(f"/{_FILE}")]
        return found[-1].split("/")[2] if found else None

    def put_file(self, run_id: str, table: str, source: Path) -> BaseFile:
        """Takes a finished file into the unfinished base."""
        key = f"{_FOLDER}/{run_id}/{table}.parquet"
        written = BaseFile(key, sha256_of_file(source), source.stat().st_size)
        self._storage.put_file(key, source)
        return written

    def put(self, base: Base) -> None:
        """Makes the base exist; the caller has stored every file that it names."""
        body = msgspec.json.format(msgspec.json.encode(base), indent=1)
        self._storage.put(_manifest_key(base.run_id), sealed(body))

    def paths(self, base: Base) -> Mapping[str, Path]:
        """The file of each table. Raises BaseLost if one is missing or has changed."""
        return {table: self._checked(one) for table, one in base.files.items()}

    def is_sound(self, one: BaseFile) -> bool:
        """Whether a file of a base has the bytes that its manifest names."""
        try:
            return sha256_of_file(self._storage.path(one.key)) == one.sha256
        except OSError:
            return False

    def keep_only(self, base: Base | None) -> int:
        """Removes older bases, manifests first, and files that `base` does not name; returns how many."""
        named = {_manifest_key(base.run_id), *(one.key for one in base.files.values())} if base else set()
        others = [key for key in self._storage.list(_FOLDER) if key not in named]
        for key in sorted(others, key=lambda key: not key.endswith(f"/{_FILE}")):
            self._storage.delete(key)
        return len(others)

    def _checked(self, one: BaseFile) -> Path:
        try:
            path = self._storage.path(one.key)
            is_same = sha256_of_file(path) == one.sha256
        except OSError as error:
            raise BaseLost(one.key, why_unread(error)) from error
        if not is_same:
            raise BaseLost(one.key, "it has changed since propsync wrote it")
        return path


def _manifest_key(run_id: str) -> str:
    return f"{_FOLDER}/{run_id}/{_FILE}"
