"""The plans in their own folder, by name."""

from __future__ import annotations

import re
from pathlib import Path

from propsync.errors import UsageError
from propsync.push.summary import plans_folder

PLAN_NAME = r"[0-9a-f]{16}\.plan"


def plan_named(state: Path, name: str) -> Path:
    """The file of a plan in that folder, by its path or its name. Raises UsageError for any other place.

    A form on a web page may name a plan. It must not make propsync open another file of the machine.
    """
    folder = plans_folder(state)
    path = folder / name
    is_inside = path.parent.resolve() == folder.resolve() and path.resolve().parent == folder.resolve()
    if not (is_inside and re.fullmatch(PLAN_NAME, path.name)):
        advice = f"Name a plan in {folder}, such as propsync push plan prints"
        raise UsageError("plan", "it is not in the folder of the saved plans", advice)
    return path
