"""Homes that another version of propsync wrote."""

from __future__ import annotations

from pathlib import Path

import duckdb


def of_another_version(home: Path) -> None:
    """Gives the state and the published file of a home another schema version."""
    for folder in ("state", "published"):
        path = home / folder / "warehouse.duckdb"
        mode = path.stat().st_mode
        path.chmod(0o600)
        with duckdb.connect(path) as connection:
            connection.execute("update ops.schema_version set version = 0")
        path.chmod(mode)
