"""Publishes: each file is built beside and put in place in one step, so that readers see the old one or the new one."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from propsync.progress import progress
from propsync.storage import PARTIAL, copy, disk_errors, remove, replace
from propsync.warehouse import Warehouse, quoted, text

WAREHOUSE = "warehouse.duckdb"
NOTE = "_published.json"
_READ_ONLY = 0o444
# a row group of long payloads is held in memory whole, one for each thread
_OPTIONS = "(format parquet, compression zstd, compression_level 1, row_group_size_bytes 33554432)"
_EVERY_RUN = "ops"  # its tables are news even of a quiet night


class Publisher:
    """Writes the folder `published/`. `work` is a folder on the same file system for what is not finished yet."""

    def __init__(self, folder: Path, work: Path) -> None:
        self._folder = folder
        self._work = work

    def note(self) -> dict[str, Any]:
        """What was published last: run, time, files with their sha256; empty where nothing was."""
        try:
            found = json.loads((self._folder / NOTE).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        is_ours = isinstance(found, dict) and all(isinstance(found.get(name), dict) for name in ("files", "tables"))
        return found if is_ours else {}

    def is_there(self) -> bool:
        """Whether a warehouse file is published, whatever the note says."""
        return (self._folder / WAREHOUSE).exists()

    def is_behind(self, warehouse: Warehouse) -> bool:
        """Whether the state holds changes that were never published, because a run was killed before it could."""
        latest = warehouse.value("select max(changed_run_id) from ops.tables")
        return latest is not None and latest > str(self.note().get("run", ""))

    def publish(self, warehouse: Warehouse, run_id: str) -> None:
        """Publishes everything as of `run_id`: warehouse.duckdb first, Parquet next, the note last."""
        with disk_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o755)
        before = self.note()
        warehouse.checkpoint()
        files = {WAREHOUSE: self._put(WAREHOUSE, lambda partial: copy(warehouse.path, partial))}
        remove(self._folder / f"{WAREHOUSE}.wal")
        versions = self._versions(warehouse, run_id)
        with progress("Publishing", len(versions), "tables") as bar:
            for name, (query, version) in versions.items():
                files[name] = self._parquet(warehouse, name, query, version, before)
                bar.advance()
        self._remove_others(set(versions))
        self._write_note(run_id, files, {name: version for name, (_, version) in versions.items()})

    def _versions(self, warehouse: Warehouse, run_id: str) -> dict[str, tuple[str, str]]:
        """Each table's file, the query that fills it, and the run that changed it last."""
        rows = warehouse.rows(
            "select tables.schema_name, tables.table_name, known.changed_run_id "
            "from (select schema_name, table_name from duckdb_tables() where database_name = current_database() "
            "union all select schema_name, view_name from duckdb_views() where not internal "
            "and database_name = current_database()) as tables "
            "left join ops.tables as known on known.table_schema = tables.schema_name "
            "and known.table_name = tables.table_name order by all"
        )
        return {
            f"parquet/{schema}/{table}.parquet": (
                f"from {quoted(schema)}.{quoted(table)}",
                run_id if schema == _EVERY_RUN else (version or ""),
            )
            for schema, table, version in rows
        }

    def _parquet(self, warehouse: Warehouse, name: str, query: str, version: str, before: dict[str, Any]) -> str:
        kept: str | None = before.get("files", {}).get(name)
        if kept and before.get("tables", {}).get(name) == version and (self._folder / name).is_file():
            return kept
        return self._put(name, lambda partial: warehouse.execute(f"copy ({query}) to {text(str(partial))} {_OPTIONS}"))

    def _put(self, name: str, write: Callable[[Path], object]) -> str:
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
                sha256 = _sha256(partial)
                replace(partial, target, mode=_READ_ONLY)
            finally:
                remove(partial)
        return sha256

    def _remove_others(self, names: set[str]) -> None:
        for path in (self._folder / "parquet").rglob("*.parquet"):
            if str(path.relative_to(self._folder)) not in names:
                remove(path)

    def _write_note(self, run_id: str, files: dict[str, str], tables: dict[str, str]) -> None:
        time = datetime.now(UTC).isoformat(timespec="seconds")
        note = {"run": run_id, "time": time, "files": files, "tables": tables}
        self._put(NOTE, lambda partial: partial.write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8"))


def _sha256(path: Path) -> str:
    with path.open("rb") as reader:
        return hashlib.file_digest(reader, "sha256").hexdigest()
