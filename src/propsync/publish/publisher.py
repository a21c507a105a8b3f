"""Publishes: propsync builds each file beside the old one and replaces it in one step, so that readers see either."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from propsync.progress import progress
from propsync.publish.note import DELTA, NOTE, THROUGH, published_through, read_note
from propsync.publish.sums import Sums, sums_of, xxh3_of
from propsync.publish.table_files import FOLDERS, TableFile, delta_files, of_unended_run, table_files
from propsync.storage import PARTIAL, copy, disk_errors, remove, remove_folder, replace
from propsync.warehouse import (
    Earlier,
    Warehouse,
    in_published,
    make_published_copy,
    refuse_damaged,
    renew_views,
    statement,
)

WAREHOUSE = "warehouse.duckdb"
_READ_ONLY = 0o444
_HIDDEN, _ERASED = "hidden", "erased"
_log = logging.getLogger("propsync.publish")
_DAMAGED = "has changed since it was published: it was damaged, altered or removed. propsync writes it again"


@dataclass(frozen=True)
class DeltaOptions:
    """The schemas that are Delta tables too, and the days for which their older versions stay."""

    schemas: Collection[str] = ()
    keep_days: int = 30


class Publisher:
    """Writes the folder `published/`. `work` is a folder on the same file system for unfinished files.

    `memory_limit` is DuckDB's, for the file that people open. The flat files have their times in `time_zone`. `permit`
    raises an error if this machine may no longer publish. Files that came from a bucket have no note here;
    `restored_erasures` is the mark of the erasures that they know.
    """

    def __init__(
        self,
        folder: Path,
        work: Path,
        memory_limit: str,
        time_zone: str,
        permit: Callable[[], None] = lambda: None,
        delta: DeltaOptions = DeltaOptions(),
        restored_erasures: str | None = None,
    ) -> None:
        self._folder = folder
        self._work = work
        self._memory_limit = memory_limit
        self._time_zone = time_zone
        self._permit = permit
        self._delta = delta
        self._restored_erasures = restored_erasures

    def note(self) -> dict[str, Any]:
        """The note of the last publication; empty if there was none."""
        return read_note(self._folder)

    def is_there(self) -> bool:
        """Whether a published warehouse file exists, whatever the note says."""
        return (self._folder / WAREHOUSE).exists()

    def is_whole(self) -> bool:
        """Whether there is a published warehouse file, as the note says, whose tables could stay."""
        return bool(self._looked_at(self.note(), [WAREHOUSE])[0])

    def is_behind(self, warehouse: Warehouse) -> bool:
        """Whether the state has unpublished changes, because somebody killed a run before it could publish."""
        latest = warehouse.value(statement("publish/latest_change"))
        return latest is not None and latest > published_through(self.note())

    def publish(
        self,
        warehouse: Warehouse,
        run_id: str,
        withheld: Collection[str] = (),
        pages: Mapping[str, bytes] | None = None,
        *,
        has_ended: bool = True,
    ) -> list[str]:
        """Publishes everything as of `run_id`: warehouse.duckdb, tables, `pages`, Delta tables, and the note last.

        The tables in `withheld` stay as they were published before, and so do views of them, and pages that are not
        among `pages`. Returns a line for each file that differs from the note, because the disk or somebody altered it.
        It empties staging first, since writing the tables needs the memory. Without `has_ended`, the run publishes its
        own changes later. Raises StateUnusable, and changes nothing, if the disk has damaged a block of the state.
        """
        warehouse.empty_staging()
        with disk_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o755)
        before, unshown = self.note(), _unshown(warehouse)
        may_stay = self._unshown_before(before) == unshown
        if not may_stay:
            before = {}
            self._remove_pages_and_delta()
        unended = None if has_ended else run_id
        noted_before = before.get("tables", {})
        tables = of_unended_run(table_files(warehouse, run_id, self._time_zone, withheld, noted_before), unended)
        whole, damaged = self._looked_at(before, self._unchanged(tables, before))
        if self._is_latest(warehouse, before, run_id):
            damaged += self._looked_at(before, [WAREHOUSE])[1]
        earlier = Earlier(self._folder / WAREHOUSE if may_stay else None, withheld) if withheld else None
        files = {WAREHOUSE: self._put(WAREHOUSE, lambda partial: self._write_edition(warehouse, partial, earlier))}
        remove(self._folder / f"{WAREHOUSE}.wal")
        files |= self._put_tables(warehouse, tables, whole)
        files |= self._pages(before, pages or {})
        self._remove_others(set(tables))
        delta, altered = self._put_delta(warehouse, run_id, withheld, before.get(DELTA, {}), unended)
        noted: dict[str, Any] = {"tables": {name: table.version for name, table in tables.items()}}
        noted |= {name: one for name, one in {DELTA: delta, **unshown}.items() if one}
        noted |= {} if has_ended else {THROUGH: published_through(before)}
        self._write_note(run_id, files, noted, withheld)
        return damaged + altered

    def _unshown_before(self, note: Mapping[str, Any]) -> dict[str, str | None]:
        """The marks of the last publication; if those of now differ, nothing of it may stay."""
        return {_HIDDEN: note.get(_HIDDEN), _ERASED: note.get(_ERASED, self._restored_erasures)}

    def _remove_pages_and_delta(self) -> None:
        """Removes pages, and Delta tables with their older versions: each may show what is hidden now."""
        remove_folder(self._folder / DELTA)
        for path in self._folder.rglob("*.html"):
            remove(path)

    def publish_page(self, name: str, body: bytes) -> Path:
        """Replaces a page of what is published; returns its path."""
        before = self.note()
        sums = self._put(name, lambda partial: partial.write_bytes(body))
        if before:
            for kind, value in zip(("files", "xxh3"), sums, strict=True):
                before[kind][name] = value
            self._put(NOTE, lambda partial: partial.write_text(_as_json(before), encoding="utf-8"))
        return self._folder / name

    def _pages(self, before: dict[str, Any], pages: Mapping[str, bytes]) -> dict[str, Sums]:
        """Writes the pages; returns the sums of these and of earlier ones."""
        kept = [name for name in before.get("files", {}) if name.endswith(".html") and (self._folder / name).exists()]
        noted = {name: (before["files"][name], before["xxh3"][name]) for name in kept if name in before["xxh3"]}
        return noted | {
            name: self._put(name, lambda partial, body=body: partial.write_bytes(body))  # type: ignore[misc]
            for name, body in pages.items()
        }

    @staticmethod
    def _unchanged(tables: dict[str, TableFile], before: dict[str, Any]) -> list[str]:
        """Files whose tables have not changed since propsync wrote them."""
        known = before.get("tables", {})
        return [name for name, table in tables.items() if known.get(name) == table.version and not table.is_news]

    @staticmethod
    def _is_latest(warehouse: Warehouse, before: dict[str, Any], run_id: str) -> bool:
        """Whether no run since the note can have replaced a file: a killed one dies before it writes a note."""
        runs = {"noted": str(before.get("run", "")), "run_id": run_id}
        return bool(before) and not warehouse.value(statement("publish/count_runs_between"), runs)

    def _looked_at(self, before: dict[str, Any], names: list[str]) -> tuple[dict[str, Sums], list[str]]:
        """Files that match the note, by name with their sums; and a line for each that does not.

        It reads every byte: a damaged disk leaves size and time as they were.
        """
        noted = {name: before["xxh3"][name] for name in names if name in before.get("xxh3", {})}
        same = [name for name, xxh3 in noted.items() if xxh3_of(self._folder / name) == xxh3]
        lines = [f"{self._folder / name} {_DAMAGED}" for name in noted if name not in same]
        for line in lines:
            _log.warning("%s", line)
        return {name: (before["files"][name], noted[name]) for name in same if name in before["files"]}, lines

    def _write_edition(self, warehouse: Warehouse, partial: Path, earlier: Earlier | None) -> None:
        renew_views(warehouse)
        warehouse.checkpoint()
        copy(warehouse.path, partial)
        try:
            make_published_copy(partial, memory_limit=self._memory_limit, folder=self._work, earlier=earlier)
            if self.is_there():  # a first load has read what it has just written
                refuse_damaged(partial, warehouse.path, memory_limit=self._memory_limit, folder=self._work)
        finally:
            remove(partial.with_name(f"{partial.name}.wal"))

    def _put_tables(
        self, warehouse: Warehouse, tables: Mapping[str, TableFile], whole: Mapping[str, Sums]
    ) -> dict[str, Sums]:
        """Writes the files of all tables but those that are `whole`; returns the sums of all."""
        files: dict[str, Sums] = {}
        with progress("Publishing", len(tables), "files") as bar:
            for name, table in tables.items():
                files[name] = whole.get(name) or self._put_table(warehouse, table, files.keys() - whole.keys())
                bar.advance()
        return files

    def _put_table(self, warehouse: Warehouse, table: TableFile, fresh: Collection[str]) -> Sums:
        """Writes a file, or copies its twin if that is among the `fresh` ones of this publication."""
        if table.twin and table.twin in fresh:
            twin = self._folder / table.twin
            return self._put(table.name, lambda partial: copy(twin, partial))
        return self._put(table.name, lambda partial: self._write_rows(warehouse, table, partial))

    def _write_rows(self, warehouse: Warehouse, table: TableFile, partial: Path) -> None:
        sql = table.sql(partial)
        if table.is_withheld:
            in_published(self._folder / WAREHOUSE, sql, memory_limit=self._memory_limit, folder=self._work)
        else:
            warehouse.execute(sql)

    def _put_delta(
        self,
        warehouse: Warehouse,
        run_id: str,
        withheld: Collection[str],
        noted: Mapping[str, Mapping[str, Any]],
        unended: str | None,
    ) -> tuple[dict[str, dict[str, Any]], list[str]]:
        """The result of `DeltaTables.publish`; without schemas it removes the Delta tables of earlier settings."""
        folder = self._folder / DELTA
        if not self._delta.schemas:
            remove_folder(folder)
            return {}, []
        from propsync.publish.delta import DeltaTables  # its library is an extra

        versions = {name: str(one.get("table")) for name, one in noted.items()}
        tables = of_unended_run(delta_files(warehouse, run_id, self._delta.schemas, withheld, versions), unended)
        writer = DeltaTables(
            folder,
            self._work,
            self._delta.keep_days,
            lambda table, partial: self._write_rows(warehouse, table, partial),
            self._permit,
        )
        return writer.publish(tables, noted, run_id)

    def _put(self, name: str, write: Callable[[Path], object]) -> Sums:
        target = self._folder / name
        with disk_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            for folder in target.relative_to(self._folder).parents[:-1]:
                (self._folder / folder).chmod(0o755)
            handle, partial_name = tempfile.mkstemp(dir=self._work, suffix=PARTIAL)
            partial = Path(partial_name)
            try:
                os.close(handle)
                write(partial)
                sums = sums_of(partial)
                self._permit()
                replace(partial, target, mode=_READ_ONLY)
            finally:
                remove(partial)
        return sums

    def _remove_others(self, names: set[str]) -> None:
        for path in (path for folder in FOLDERS for path in (self._folder / folder).rglob("*.parquet")):
            if str(path.relative_to(self._folder)) not in names:
                remove(path)

    def _write_note(
        self, run_id: str, files: dict[str, Sums], versions: Mapping[str, Any], withheld: Collection[str]
    ) -> None:
        time = datetime.now(UTC).isoformat(timespec="seconds")
        sha256, xxh3 = ({name: sums[at] for name, sums in files.items()} for at in (0, 1))
        note = {"run": run_id, "time": time, "files": sha256, "xxh3": xxh3, **versions}
        note |= {"withheld": sorted(withheld)} if withheld else {}
        self._put(NOTE, lambda partial: partial.write_text(_as_json(note), encoding="utf-8"))


def _unshown(warehouse: Warehouse) -> dict[str, str | None]:
    """Marks of what the state hides, and of what was erased from it."""
    return {
        _HIDDEN: warehouse.value(statement("merge/hidden/remembered")),
        _ERASED: warehouse.value(statement("publish/erased")),
    }


def _as_json(note: Mapping[str, Any]) -> str:
    return json.dumps(note, indent=1) + "\n"
