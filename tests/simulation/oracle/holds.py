"""Deletes that nobody accepted: never too many of a resource in one run, never all of something large."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from datetime import datetime
from itertools import chain

from .problems import Problems
from .published import Published, Version

_FEW = 20
_PARTS: dict[str, tuple[str, ...]] = {"assets": ("property", "type"), "properties": ()}


def check_holds(
    found: Published, accepting: Collection[datetime], limit: float, problems: Problems, since: datetime | None = None
) -> None:
    """For each run apart from pushes, and from those that accepted what was held; only `since` an erasure."""
    pushes = {run_id for (run_id,) in found.rows("select run_id from ops.runs where flow = 'push'")}
    for resource in found.resources:
        versions = [one for one in chain.from_iterable(found.history(resource).values()) if one.change != "erase"]
        times = {one.valid_from for one in versions if one.change == "delete" and one.run_id not in pushes}
        times = {one for one in times if since is None or one > since}
        for time in sorted(times - set(accepting)):
            _check_run(resource, time, versions, limit, problems)


def _check_run(resource: str, time: datetime, versions: list[Version], limit: float, problems: Problems) -> None:
    before = [
        one
        for one in versions
        if one.change != "delete" and one.valid_from < time and (one.valid_to is None or one.valid_to >= time)
    ]
    gone = [one for one in versions if one.change == "delete" and one.valid_from == time]
    name = f"{resource} at {gone[0].run_id}: {len(gone)} of {len(before)}"
    problems.expect(len(gone) < len(before), "a whole resource is held", name)
    problems.expect(len(gone) <= max(_FEW, limit * len(before)), "too many deletes are held", name, "limit", limit)
    for kind in _PARTS.get(resource, ("property",)):
        had, went = (Counter(json.loads(one.payload)[kind] for one in some) for some in (before, gone))
        whole = [place for place, count in went.items() if count == had[place] > _FEW]
        problems.expect(not whole, f"all of a {kind} are held", name, whole)
