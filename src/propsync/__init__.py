"""propsync: a trustworthy, queryable copy of an organisation's property assets, assessments and schedules."""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` costs as much as starting Python, and delays Ctrl-C
if TYPE_CHECKING:
    from pathlib import Path

    from propsync.warehouse import PublishedReader

__version__ = "0.1.0"


def open(path: str | Path | None = None) -> PublishedReader:
    """A read-only handle on the published warehouse, with `.sql(...)` (a DuckDB relation) and `.frame(...)`
    (pandas).

    `path` is a warehouse file; without one, the handle reads that of the home in the settings. "Today" is that of
    PROPSYNC_TIME_ZONE; frames have their times in UTC. Raises propsync.errors.UsageError if propsync has published
    nothing.
    """
    from pathlib import Path

    from propsync.settings import load_settings
    from propsync.warehouse import open_published

    settings = load_settings()
    return open_published(
        Path(path) if path is not None else settings.published / "warehouse.duckdb", settings.time_zone
    )


__all__ = ["__version__", "open"]
