"""Programs of people who read what propsync publishes, such as old DuckDB clients: each has a folder of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

_CACHE = Path(__file__).parents[2] / ".cache"
_WITHOUT_WHEELS = ("duckdb-1.2.2", "duckdb-1.3.2", "duckdb-1.4.1")
"""Clients that came out before Python 3.14."""


def with_client(name: str = "") -> dict[str, str]:
    """The environment in which Python imports the client of a name; without a name it imports propsync's own libraries.

    Skips the test if this Python is too new for the client.
    """
    if not name:
        return {**os.environ}
    if sys.version_info >= (3, 14) and name in _WITHOUT_WHEELS:
        pytest.skip(f"{name} has no wheel for Python 3.14")
    assert (_CACHE / name).is_dir(), "run `make test`, which installs the clients"
    return os.environ | {"PYTHONPATH": str(_CACHE / name)}
