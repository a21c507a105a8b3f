"""One Delta table that follows one table of DuckDB, run after run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
from deltalake import DeltaTable
from kit.delta import delta_rows

from propsync.publish.delta import DeltaTables
from propsync.publish.delta_log import LOG
from propsync.publish.table_files import TableFile
from propsync.runs import next_run, time_of

DAY = timedelta(days=1)


class OneTable:
    """`main/t`, whose rows are whatever `rows` selects when a run publishes them."""

    def __init__(self, folder: Path, keep_days: int = 30) -> None:
        self.folder = folder / "delta" / "main" / "t"
        self.keep_days = keep_days
        self.runs: list[str] = []
        self.note: dict[str, dict[str, Any]] = {}
        self.damaged: list[str] = []
        self._work = folder / "work"
        self._work.mkdir(parents=True)
        self._connection = duckdb.connect()

    def publish(
        self,
        rows: str,
        time: datetime,
        comments: Mapping[str, str] | None = None,
        *,
        changed: datetime | None = None,
        is_there: bool = True,
    ) -> str:
        """A run at `time` publishes `rows`, which are those of the run at `changed`; returns the run's id."""
        run = next_run("nightly", None, time).run_id
        mark = run if changed is None else next_run("nightly", None, changed).run_id
        self._connection.execute(f"create or replace table t as {rows}")
        said = {"": "A table", **(comments or {})}
        fragments = {"table": "main.t", "columns": "*"}
        one = TableFile("main/t", "main.t", f"{mark} {said}", False, "publish/write_delta", fragments, comments=said)
        writer = DeltaTables(self.folder.parents[1], self._work, self.keep_days, self._write)
        self.note, self.damaged = writer.publish({one.name: one} if is_there else {}, self.note, run)
        self.runs.append(run)
        return run

    def _write(self, table: TableFile, partial: Path) -> None:
        self._connection.execute(table.sql(partial))

    def table(self) -> DeltaTable:
        return DeltaTable(self.folder)

    def rows(self, version: int | datetime | None = None) -> list[tuple[Any, ...]]:
        """The rows of a version, or of a moment."""
        return [tuple(row.values()) for row in delta_rows(self.folder, version)]

    def log(self) -> list[str]:
        return sorted(path.name for path in (self.folder / LOG).iterdir())

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir() if path.name != LOG)


def moment(run: str) -> datetime:
    """The moment of a run, as its id says."""
    return time_of(run)
