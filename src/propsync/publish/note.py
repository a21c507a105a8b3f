"""The note of a publication, `_published.json`: propsync writes it last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from propsync.storage import open_file

NOTE = "_published.json"
DELTA = "delta"
THROUGH = "through"
_NOTED = ("files", "xxh3", "tables", DELTA)


def read_note(folder: Path) -> dict[str, Any]:
    """The note in a folder of published files: run, time, files with their sha256; empty if none can be read."""
    try:
        with open_file(folder / NOTE) as file:
            found = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    if isinstance(found, dict):
        found.setdefault(DELTA, {})
    is_ours = isinstance(found, dict) and all(isinstance(found.get(name), dict) for name in _NOTED)
    return found if is_ours else {}


def published_through(note: Mapping[str, Any]) -> str:
    """The last run whose changes are all published; empty if there is none.

    A run that publishes what earlier runs left has yet to publish its own changes.
    """
    return str(note.get(THROUGH, note.get("run", "")))
