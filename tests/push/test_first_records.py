"""The first record of a resource: nobody knows yet how the API shows one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from kit.push_home import SCALE, PushHome

from propsync.push.plan import CREATE
from propsync.runbooks.push.undo import undo
from propsync_sandbox import Sandbox

LOST = {"match": {"method": "POST"}, "times": 1, "effect": {"kind": "reset", "where": "before", "apply": True}}


class EmptyHome(PushHome):
    """`place` is a property of the API; `keys` are those of schedules that it may have."""

    place = ""
    keys: Sequence[tuple[str, str]] = ()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[EmptyHome]:
    """A home that was synced from an API with types, and without any asset or schedule."""
    with Sandbox(scale=SCALE, seed=11) as sandbox:
        assets = sandbox.world.truth("assets")
        for asset_id in list(assets):
            sandbox.world.assets.delete(asset_id)
        keys = sorted(key for key in sandbox.world.truth("schedules") if isinstance(key, tuple))
        for key in keys:
            sandbox.world.schedules.delete(key)
        made = EmptyHome(sandbox, tmp_path / "home")
        made.place = min(one["property"] for one in assets.values())
        made.keys = keys[:2]
        made.sync(["assets", "schedules"])
        sandbox.journal.clear()
        yield made


@pytest.mark.slow
def test_the_first_schedules_are_read_back(empty: EmptyHome) -> None:
    entries = [empty.schedule(CREATE, key, {"description": "new"}) for key in empty.keys]
    plan = empty.plan(*entries, resource="schedules")
    assert empty.apply(plan).exit_code == 0
    assert empty.is_truth("schedules")
    assert empty.apply(undo(empty.settings(), plan.plan_id)).exit_code == 0
    assert empty.sandbox.world.truth("schedules") == {}


@pytest.mark.slow
@pytest.mark.parametrize("is_lost", [False, True])
def test_the_first_assets_are_made_once(empty: EmptyHome, *, is_lost: bool) -> None:
    (kind,) = empty.column("select min(asset_type_id) from asset_type_fields where kind = 'text'")
    text = empty.field(kind, "text")
    plan = empty.plan(*(empty.create(empty.place, kind, {text: value}) for value in ("first", "second")))
    empty.sandbox.set_faults([LOST] if is_lost else [])
    report = empty.apply(plan)
    assert sorted(empty.effects.values()) == [1, 1]
    if is_lost:
        assert (report.exit_code, [state for (state,) in empty.writes("state")]) == (3, ["parked", "verified"])
        assert "a new asset has values that propsync cannot read yet" in report.lines[0]
    else:
        assert report.exit_code == 0
        assert empty.is_truth("assets")
