"""What a home tells of its runs before the next one begins."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from .published import RUN_ID


def latest_run(home: Path) -> datetime | None:
    """The time of the last run that is journalled or has landed anything: a killed one may have done neither."""
    landed = (path.parent.name for path in home.glob("landing/*/*/manifest.json"))
    times = [datetime.strptime(name, RUN_ID).replace(tzinfo=UTC) for name in landed]
    return max([*times, *_journalled(home / "state")], default=None)


def _journalled(state: Path) -> list[datetime]:
    """The file is copied, with the log beside it that a killed run leaves, so that it stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        for path in state.glob("warehouse.duckdb*"):
            shutil.copyfile(path, Path(folder) / path.name)
        if not (Path(folder) / "warehouse.duckdb").exists():
            return []
        with duckdb.connect(Path(folder) / "warehouse.duckdb") as connection:
            try:
                told = connection.execute("select started_at at time zone 'UTC' from ops.runs").fetchall()
            except duckdb.CatalogException:  # the first run died before it had made its tables
                return []
    return [time.replace(tzinfo=UTC) for (time,) in told]
