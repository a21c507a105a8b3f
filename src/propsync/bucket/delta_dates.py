"""The times of a Delta table's files, which a download loses: people travel by those of the log."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def date_as_logged(folders: Iterable[Path]) -> None:
    """Gives each log file in these folders of tables the time of its version, and each file of rows the time it had.

    A line or a file that is missing or damaged keeps what it has: the next publication finds it.
    """
    for folder in folders:
        for log in (folder / "_delta_log").glob("*.json"):
            for action in _actions(log):
                if "commitInfo" in action:
                    _date(log, action["commitInfo"].get("timestamp"))
                elif "add" in action:
                    _date(folder / str(action["add"].get("path")), action["add"].get("modificationTime"))


def _actions(log: Path) -> Iterator[dict[str, Any]]:
    for line in log.read_bytes().splitlines():
        try:
            action = json.loads(line)
        except ValueError:
            continue
        if isinstance(action, dict) and all(isinstance(part, dict) for part in action.values()):
            yield action


def _date(path: Path, milliseconds: object) -> None:
    if isinstance(milliseconds, int) and path.is_file():
        os.utime(path, ns=(milliseconds * 10**6,) * 2)
