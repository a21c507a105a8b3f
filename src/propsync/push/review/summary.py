"""The JSON object that `--json` prints for a plan, and the folder that keeps plans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from propsync.push.plan import Plan, save_as, save_plan
from propsync.push.review.changes import changes_to_json
from propsync.push.review.names import Names
from propsync.records import encode


def plans_folder(state: Path) -> Path:
    """The folder of the plans that have no path of their own."""
    return state / "plans"


def plan_path(state: Path, plan: Plan) -> Path:
    """The file of such a plan."""
    return plans_folder(state) / f"{plan.plan_id}.plan"


def keep_plan(state: Path, plan: Plan, out: Path | None) -> Path:
    """Saves the plan where `--out` says, else in that folder. Raises UsageError for a place that cannot be."""
    path = out or plan_path(state, plan)
    if out is None:
        save_plan(plan, path)
    else:
        save_as(plan, path)
    return path


def summary(plan: Plan, path: Path) -> dict[str, Any]:
    """The plan in numbers, and its refusals; no value of it. Nothing is sent yet."""
    return {
        "plan": str(path),
        "plan_id": plan.plan_id,
        "run_id": None,
        "records": plan.counts(),
        "fields": plan.fields(),
        "refused": [msgspec.to_builtins(one) for one in plan.refused],
        "skipped": 0,
        "failed": 0,
        "verified": 0,
    }


def plan_to_json(plan: Plan, names: Names, path: Path) -> bytes:
    """The summary with the notes, why the plan is large, and every change with whole values, each digit kept."""
    more = {
        "notes": plan.notes,
        "large": plan.why_large() if plan.entries else [],
        "changes": changes_to_json(plan, names),
    }
    return encode(summary(plan, path) | more)
