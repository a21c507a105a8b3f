"""The plans in their own folder, by name, and those of unfinished applies, by id."""

from __future__ import annotations

import re
from pathlib import Path

from propsync.errors import UsageError
from propsync.push.journals.journal import read_journal
from propsync.push.plan import Plan, load_plan
from propsync.push.review.summary import plans_folder
from propsync.storage import LocalStorage, may_list

PLAN_NAME = r"[0-9a-f]{16}\.plan"
_PLAN_ID = r"[0-9a-f]{16}"


def given_plan(home: Path, state: Path, given: Path) -> Plan:
    """The plan in a file. Without such a file, the id of a plan with an unfinished apply names the plan.

    Its journal has the plan, and only the plan can end the journal. So the plan must not be lost with its file.
    """
    if re.fullmatch(_PLAN_ID, str(given)) and not given.exists() and may_list(state):
        found = read_journal(LocalStorage(home), str(given))
        if found is not None:
            return found.plan
    return load_plan(given)


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
