"""The log of one Delta table, to read: its versions, and the file of rows of each."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from propsync.storage import disk_errors, remove, remove_folder

LOG = "_delta_log"
LAST_CHECKPOINT = "_last_checkpoint"
PROPERTIES = ("delta.deletedFileRetentionDuration", "delta.logRetentionDuration")
_PROTOCOL = (1, 2)  # the versions that a reader and a writer must know at least
_OURS = "propsync"
_NUMBER = re.compile(r"\(os error (\d+)\)")
_NO_DAMAGE = (errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE)
_NUMBERED = re.compile(r"(\d{20})\.(json|checkpoint\.parquet)")


@dataclass(frozen=True)
class Commit:
    """A version: it shows the table as of `run`, which changed it last, and the run `published_by` wrote it.

    `mark` is the table's version (see `table_files`), `file` has the rows, and `shows` is the moment of `run` in UTC.
    """

    version: int
    run: str
    published_by: str
    mark: str
    file: str
    shows: str

    @property
    def moment(self) -> datetime:
        """`shows` as a time, in whole milliseconds: Delta knows no shorter ones."""
        return datetime.fromisoformat(self.shows)

    @property
    def milliseconds(self) -> int:
        """`shows` since 1970."""
        return round(self.moment.timestamp() * 1000)

    @property
    def metadata(self) -> dict[str, Any]:
        """Its part of the log's `commitInfo`; Spark shows `userMetadata`."""
        return {"userMetadata": f"propsync run {self.run}", _OURS: json.dumps(asdict(self))}


def shown(run_time: datetime, before: Commit | None) -> str:
    """The moment that a version shows: later than any before it, so that no two answer for one moment."""
    time = run_time.astimezone(UTC)
    if before is not None:
        time = max(time, before.moment + timedelta(milliseconds=1))
    return time.isoformat(timespec="milliseconds")


def system_number(error: Exception) -> int | None:
    """The system's number of an error, which deltalake gives in its words alone; None if there is none."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = _NUMBER.search(str(error))
    return int(found[1]) if found else None


class DeltaLog:
    """The table in `folder`, as it was when propsync read its log first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def path(self) -> Path:
        """The folder of the log itself."""
        return self.folder / LOG

    @cached_property
    def table(self) -> DeltaTable | None:
        """The table; None if there is none, or its log lacks a file or has one that nobody can read.

        Nor may it need what propsync never asks for: deltalake could not write the next version of such a table. Raises
        HomeUnusable for a lack of rights or of open files: propsync would begin a sound table from scratch.
        """
        try:
            found = DeltaTable(self.folder) if self.path.is_dir() else None
        except (DeltaError, OSError, ValueError) as error:
            if (number := system_number(error) or 0) in _NO_DAMAGE:
                with disk_errors(self.folder):
                    raise OSError(number, os.strerror(number)) from error
            return None
        return found if found and _is_plain(found) else None

    def newest(self) -> Commit | None:
        """The newest version; None if there is no readable table."""
        return _commit_of(self.table.history(1)[0]) if self.table else None

    def is_whole(self) -> bool:
        """Whether the rows of the newest version are in files with the size and the time that the log says."""
        files = pa.table(self.table.get_add_actions()).to_pylist() if self.table else []
        return bool(files) and all(self._is_noted(one) for one in files)

    def commits(self) -> list[Commit]:
        """The versions that the log still has, the oldest first."""
        return [_commit_of(info) for info in reversed(self.table.history())] if self.table else []

    def identity(self) -> str:
        """The id that the table got when propsync made it; a table that propsync had to begin again has another."""
        return str(self.table.metadata().id) if self.table else ""

    def files(self) -> set[str]:
        """The names of its files of rows."""
        with os.scandir(self.folder) as entries:
            return {entry.name for entry in entries if entry.name != LOG}

    def keep_from(self, oldest: Commit, files: Collection[str]) -> None:
        """Removes all files of rows but these, and of the log what no reader of `oldest` or a later version needs."""
        with disk_errors(self.folder):
            for name in self.files() - {*files}:
                remove(self.folder / name)
            numbers = {path: _number(path.name) for path in self.path.iterdir() if path.name != LAST_CHECKPOINT}
            checkpoints = (number for path, number in numbers.items() if path.suffix == ".parquet")
            begin = max((number for number in checkpoints if number <= oldest.version), default=0)
            for path, number in sorted(numbers.items()):
                if number < begin:
                    remove(path)

    def remove(self) -> None:
        """Removes the whole table."""
        with disk_errors(self.folder):
            remove_folder(self.folder)

    def _is_noted(self, add: Mapping[str, Any]) -> bool:
        try:
            found = (self.folder / add["path"]).stat()
        except OSError:
            return False
        return (found.st_size, found.st_mtime_ns // 10**6) == (add["size_bytes"], add["modification_time"])


def _is_plain(table: DeltaTable) -> bool:
    """Whether no other program turned on features of Delta, such as deletion vectors, which stay on for good."""
    protocol = table.protocol()
    needs = (protocol.min_reader_version, protocol.min_writer_version)
    return needs == _PROTOCOL and set(table.metadata().configuration) <= {*PROPERTIES}


def _commit_of(info: Mapping[str, Any]) -> Commit:
    """A version; one of another program has no run, no mark and no file."""
    try:
        noted = {**json.loads(info[_OURS]), "version": info["version"]}
        return Commit(**{field.name: noted[field.name] for field in fields(Commit)})
    except (KeyError, TypeError, ValueError):
        time = datetime.fromtimestamp(info.get("timestamp", 0) / 1000, UTC)
        return Commit(info["version"], "", "", "", "", shown(time, None))


def _number(name: str) -> int:
    """The version in the name of a log file; -1 for what is none, which nobody reads."""
    found = _NUMBERED.fullmatch(name)
    return int(found[1]) if found else -1
