"""The Delta tables: each is written whole when its table changed, and older versions stay for some days."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from propsync.errors import LOOK_AT_DISK, HomeUnusable
from propsync.progress import progress
from propsync.publish.delta_commit import Described, Workshop, delta_errors
from propsync.publish.delta_log import Commit, DeltaLog
from propsync.publish.table_files import TableFile
from propsync.runs import is_run_id, time_of
from propsync.storage import PARTIAL, disk_errors, remove, remove_folder

_log = logging.getLogger("propsync.publish")
_DAMAGED = "has changed since it was published: its log or its rows are damaged, altered or removed. {}"
_AGAIN = "propsync writes it again, as a new version"
_FROM_SCRATCH = "propsync writes it again, without its older versions"

Write = Callable[[TableFile, Path], object]
"""Writes the rows of a table to a file."""


class DeltaTables:
    """The folder of Delta tables, a table in `<schema>/<table>`; `work` is on the same file system.

    `permit` raises an error if this machine may no longer publish.
    """

    def __init__(
        self, folder: Path, work: Path, keep_days: int, write: Write, permit: Callable[[], None] = lambda: None
    ) -> None:
        self._folder = folder
        self._work = work
        self._keep = timedelta(days=keep_days)
        self._keep_days = keep_days
        self._write = write
        self._permit = permit

    def publish(
        self, tables: Mapping[str, TableFile], noted: Mapping[str, Mapping[str, Any]], run_id: str
    ) -> tuple[dict[str, dict[str, Any]], list[str]]:
        """Writes the tables that changed, and removes what is none of them.

        Returns what the note keeps of each, by name, and a line for each that differs from `noted`, the earlier note.
        """
        kept: dict[str, dict[str, Any]] = {}
        damaged: list[str] = []
        with progress("Publishing", len(tables), "Delta tables") as bar:
            for name, table in tables.items():
                log = DeltaLog(self._folder / name)
                with delta_errors(log.folder):
                    kept[name] = self._settled(log, table, run_id, damaged, noted.get(name, {}).get("table"))
                bar.advance()
        self._remove_others(tables)
        return kept, damaged

    def _settled(
        self, log: DeltaLog, table: TableFile, run_id: str, damaged: list[str], noted: str | None
    ) -> dict[str, Any]:
        newest = log.newest()
        if newest is None or newest.mark != table.version or table.is_news or not log.is_whole():
            is_known = noted == table.version and not table.is_news
            is_unread = newest is None and noted is not None and log.path.is_dir()  # an erasure removes the folder
            if is_known or is_unread:
                damaged.append(_told(log, newest))
            newest = self._overwrite(log, table, newest, run_id)
            log = DeltaLog(log.folder)
            if log.newest() is None:
                what = "it cannot be read, though propsync has just written it"
                raise HomeUnusable(str(log.folder), what, LOOK_AT_DISK)
        self._expire(log, newest, time_of(run_id))
        return {"version": newest.version, "id": log.identity(), "table": newest.mark}

    def _overwrite(self, log: DeltaLog, table: TableFile, before: Commit | None, run_id: str) -> Commit:
        mark = table.version.split(" ")[0]
        run = mark if is_run_id(mark) else run_id
        made = Commit(0, run, run_id, table.version, "", time_of(run).isoformat())
        described = Described(table.table, table.comments, self._keep_days)
        with disk_errors(log.folder), tempfile.NamedTemporaryFile(dir=self._work, suffix=PARTIAL, delete=False) as one:
            rows = Path(one.name)
        try:
            self._write(table, rows)
            self._permit()
            if before is None:
                log.remove()
            with Workshop.opened(log, self._work) as shop:
                return shop.add(rows, before, made, described)
        finally:
            remove(rows)

    def _expire(self, log: DeltaLog, newest: Commit, now: datetime) -> None:
        """Removes versions that a later one replaced too long ago, and files of rows that no version names."""
        if log.files() == {newest.file}:
            return
        commits = log.commits()
        later = [*commits[1:], None]
        kept = [
            commit
            for commit, after in zip(commits, later, strict=True)
            if after is None or now - _published(after) <= self._keep
        ]
        log.keep_from(kept[0], {commit.file for commit in kept})

    def _remove_others(self, tables: Mapping[str, TableFile]) -> None:
        """Removes tables that are gone or no longer asked for."""
        for schema in _folders(self._folder):
            for folder in _folders(schema):
                if f"{schema.name}/{folder.name}" not in tables:
                    DeltaLog(folder).remove()
            if not _folders(schema):
                remove_folder(schema)


def _told(log: DeltaLog, newest: Commit | None) -> str:
    line = f"{log.folder} {_DAMAGED.format(_AGAIN if newest else _FROM_SCRATCH)}"
    _log.warning("%s", line)
    return line


def _published(commit: Commit) -> datetime:
    return time_of(commit.published_by) if is_run_id(commit.published_by) else commit.moment


def _folders(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
