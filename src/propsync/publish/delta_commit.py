"""Adds versions to a Delta table. deltalake writes the log in a folder of its own; propsync puts it into place.

So a reader sees a log file whole, dated and readable for all, or not at all.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pyarrow.parquet as pq
from deltalake import CommitProperties, DeltaTable, Field, PostCommitHookProperties, Schema
from deltalake.exceptions import DeltaError
from deltalake.transaction import AddAction, create_table_with_add_actions

from propsync.errors import DiskFull, HomeUnusable
from propsync.publish.delta_log import LAST_CHECKPOINT, LOG, PROPERTIES, Commit, DeltaLog, shown, system_number
from propsync.storage import PARTIAL, disk_errors, remove_folder
from propsync.storage import replace as put_in_place

_READ_ONLY = 0o444
_TRACE = re.compile(r"\n\s*\d+: ")  # lines of the program that follow some errors
_CHECKPOINT_EVERY = 10  # versions; a reader opens each log file since the last checkpoint


@dataclass(frozen=True)
class Described:
    """Facts that no file of rows has: comments by column, the table's own under an empty name, and the days."""

    name: str
    comments: Mapping[str, str]
    keep_days: int

    @property
    def words(self) -> str:
        """The description of the table."""
        return self.comments.get("", "")

    @property
    def properties(self) -> dict[str, str]:
        """These say to other engines how long propsync keeps older versions."""
        return dict.fromkeys(PROPERTIES, f"interval {self.keep_days} days")


class Workshop:
    """A folder with links to a table's log, in which deltalake adds to it; `work` is on the same file system.

    Its methods raise DiskFull and HomeUnusable.
    """

    def __init__(self, log: DeltaLog, work: Path) -> None:
        self._log = log
        self._shop = work

    @classmethod
    @contextmanager
    def opened(cls, log: DeltaLog, work: Path) -> Iterator[Workshop]:
        """A workshop in `work`; propsync removes what a killed run left there."""
        shop = work / f"delta{PARTIAL}"
        remove_folder(shop)
        try:
            with disk_errors(log.folder), delta_errors(log.folder):
                (shop / LOG).mkdir(parents=True)
                for path in log.path.iterdir() if log.path.is_dir() else ():
                    os.link(path, shop / LOG / path.name)
                yield cls(log, shop)
        finally:
            remove_folder(shop)

    def add(self, rows: Path, before: Commit | None, made: Commit, described: Described) -> Commit:
        """Puts the Parquet file `rows` into place as all rows of a version after `before`; returns that version."""
        if before is not None:
            before = self._describe(before, described)
        number = 0 if before is None else before.version + 1
        file = f"{made.published_by}-{number}.parquet"
        made = replace(made, version=number, file=file, shows=shown(made.moment, before))
        schema = _schema(rows, described.comments)
        added = _added(rows, file)
        self._make_folders()
        put_in_place(rows, self._log.folder / file, mode=_READ_ONLY)
        if before is None:
            self._begin(schema, added, made, described)
        else:
            table = DeltaTable(self._shop)
            table.create_write_transaction([added], "overwrite", schema, **_noted(made))
        self._put_commit(made)
        return made

    def _begin(self, schema: Schema, added: AddAction, made: Commit, described: Described) -> None:
        create_table_with_add_actions(
            str(self._shop),
            schema,
            [added],
            name=described.name,
            description=described.words,
            configuration=described.properties,
            **_noted(made),
        )

    def _describe(self, before: Commit, described: Described) -> Commit:
        """Adds a version with the rows of `before` for each part of the description that changed; returns the last."""
        known = DeltaTable(self._shop).metadata()
        if (known.description or "") != described.words:
            before = self._altered(before, lambda table, noted: table.set_table_description(described.words, **noted))
        if known.configuration != described.properties:
            before = self._altered(
                before, lambda table, noted: table.set_table_properties(described.properties, **noted)
            )
        return before

    def _altered(self, before: Commit, alter: Callable[[Any, dict[str, Any]], None]) -> Commit:
        made = replace(before, version=before.version + 1, shows=shown(before.moment, before))
        alter(DeltaTable(self._shop).alter, _noted(made))
        self._put_commit(made)
        return made

    def _make_folders(self) -> None:
        schema = self._log.folder.parent
        for folder in (schema.parent, schema, self._log.folder, self._log.path):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)

    def _put_commit(self, made: Commit) -> None:
        """Puts the log file of a version into place, dated with the moment that it shows: people travel by that."""
        name = f"{made.version:020}.json"
        written = self._shop / LOG / name
        lines = written.read_text(encoding="utf-8").splitlines()
        dated = (_dated(line, made) if line.startswith('{"commitInfo"') else line for line in lines)
        written.write_text("".join(f"{line}\n" for line in dated), encoding="utf-8")
        self._put(name, made)
        if made.version and made.version % _CHECKPOINT_EVERY == 0:
            self._checkpoint(made)

    def _checkpoint(self, made: Commit) -> None:
        DeltaTable(self._shop).create_checkpoint()
        for name in (f"{made.version:020}.checkpoint.parquet", LAST_CHECKPOINT):
            self._put(name, made)

    def _put(self, name: str, made: Commit) -> None:
        """Puts a link into place: the workshop needs the file for the version after it.

        Engines see milliseconds. The rest of its time tells it from the log file of that name in a damaged table. A
        copy in a bucket compares sizes and times.
        """
        written, link = self._shop / LOG / name, self._shop / name
        os.utime(written, ns=(made.milliseconds * 10**6 + crc32(made.published_by.encode()) % 10**6,) * 2)
        os.link(written, link)
        put_in_place(link, self._log.path / name, mode=_READ_ONLY)


def _schema(rows: Path, comments: Mapping[str, str]) -> Schema:
    """The types are those of the file, so that a column without values keeps its own; any column may have gaps."""
    typed = Schema.from_arrow(pq.read_schema(rows)).fields
    noted = {one.name: {"comment": comments[one.name]} if one.name in comments else {} for one in typed}
    return Schema([Field(one.name, one.type, nullable=True, metadata=noted[one.name]) for one in typed])


def _added(rows: Path, file: str) -> AddAction:
    found = rows.stat()
    stats = json.dumps({"numRecords": pq.read_metadata(rows).num_rows})
    return AddAction(file, found.st_size, {}, found.st_mtime_ns // 10**6, True, stats)


def _noted(made: Commit) -> dict[str, Any]:
    hooks = PostCommitHookProperties(create_checkpoint=False, cleanup_expired_logs=False)
    return {
        "commit_properties": CommitProperties(custom_metadata=made.metadata),
        "post_commithook_properties": hooks,
    }


def _dated(line: str, made: Commit) -> str:
    """A `commitInfo` with the moment that the version shows, and without the path of the workshop."""
    info = json.loads(line)["commitInfo"]
    info["timestamp"] = made.milliseconds
    for name in ("location", "metadata", "protocol"):
        info.get("operationParameters", {}).pop(name, None)
    return json.dumps({"commitInfo": info}, separators=(",", ":"))


@contextmanager
def delta_errors(where: Path) -> Iterator[None]:
    """Turns deltalake's own errors into propsync's; an OSError of it has the system's number in its words alone."""
    try:
        yield
    except (DeltaError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        words = " ".join(_TRACE.split(str(error))[0].split())
        if "No space left" in words or "quota" in words.lower():
            raise DiskFull(str(where), "the disk is full") from error
        if (number := system_number(error) or 0) not in (0, errno.ENOENT):
            with disk_errors(where):
                raise OSError(number, os.strerror(number)) from error
        raise HomeUnusable(str(where), f"its Delta table cannot be written: {words}") from error
