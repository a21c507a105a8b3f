"""Reads Delta tables inside a test."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable
from pyarrow.fs import LocalFileSystem, SubTreeFileSystem


def read_delta(path: Path, version: int | datetime | None = None) -> pa.Table:
    """All rows of a version, of a moment, or of now.

    deltalake's own file system calls Python from a thread of pyarrow, which now and then aborts a program at its end.
    """
    table = DeltaTable(path)
    if version is not None:
        table.load_as_version(version)
    return table.to_pyarrow_table(filesystem=SubTreeFileSystem(str(path), LocalFileSystem()))


def delta_rows(path: Path, version: int | datetime | None = None) -> list[dict[str, Any]]:
    """The same, a dictionary a row."""
    rows: list[dict[str, Any]] = read_delta(path, version).to_pylist()
    return rows
