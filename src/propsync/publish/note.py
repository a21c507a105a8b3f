"""The note of a publication, `_published.json`: propsync writes it last."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from propsync.storage import open_file

NOTE = "_published.json"
DELTA = "delta"
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
