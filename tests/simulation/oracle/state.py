"""The facts that a home holds about its runs before the next one begins."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from .published import RUN_ID


def latest_run(home: Path) -> datetime | None:
    """The time of the last run that is journalled or has landed anything: a killed one may have done neither."""
    landed = (path.parent.name for path in home.glob("landing/*/*/manifest.json"))
    times = [datetime.strptime(name, RUN_ID).replace(tzinfo=UTC) for name in landed]
    return max([*times, *_journalled(home / "state")], default=None)


def recorded_paths(home: Path) -> set[str]:
    """The files of documents that the state database names, published or not."""
    with opened(home / "state") as connection:
        if connection is None:
            return set()
        return {path for (path,) in connection.execute("select path from main.documents where version > 0").fetchall()}


def _journalled(state: Path) -> list[datetime]:
    with opened(state) as connection:
        if connection is None:
            return []
        try:
            told = connection.execute("select started_at at time zone 'UTC' from ops.runs").fetchall()
        except duckdb.CatalogException:  # the first run died before it had made its tables
            return []
    return [time.replace(tzinfo=UTC) for (time,) in told]


@contextmanager
def opened(state: Path) -> Iterator[duckdb.DuckDBPyConnection | None]:
    """The file is copied, with the log beside it that a killed run leaves, so that it stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        for path in state.glob("warehouse.duckdb*"):
            shutil.copyfile(path, Path(folder) / path.name)
        copied = Path(folder) / "warehouse.duckdb"
        if not copied.exists():
            yield None
            return
        with duckdb.connect(copied) as connection:
            yield connection
