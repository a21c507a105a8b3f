"""A large plan under faults and kills: the server equals the plan, each effect happened once, and undo restores."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kit.kills import PROGRAM, is_killed_after, started, wait_for_the_lock
from kit.push_home import PushHome
from variants import IS_ALL

from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, FieldChange, Plan, save_plan
from propsync.push.review.summary import plan_path
from propsync.push.values.asset_values import from_table
from propsync.push.values.schedule_values import MEMBERS
from propsync_sandbox import Sandbox

EDITS, CREATIONS, SCHEDULES, KILLS = (5_000, 500, 300, 50) if IS_ALL else (600, 80, 60, 12)
_OLD = (
    "select asset_id, field_id, kind, value_text, value_options, value_json, value_number is not null "
    "from asset_field_values"
)
_FAULTS = [
    {"match": {"method": method}, "effect": effect, "seed": seed, "probability": 0.01}
    for seed, method in enumerate(("PATCH", "POST", "PUT", "DELETE", "GET"))
    for effect in (
        {"kind": "reset", "apply": True},
        {"kind": "close", "apply": True},
        {"kind": "status", "status": 503},
        {"kind": "status", "status": 429},
    )
]


@pytest.fixture
def large(tmp_path: Path) -> Iterator[PushHome]:
    """A sandbox that is large enough, and a home after its first sync."""
    with Sandbox(scale=EDITS, seed=3) as sandbox:
        made = PushHome(sandbox, tmp_path / "home")
        assert made.sync(["assets", "schedules"]).exit_code == 0
        sandbox.journal.clear()
        yield made


def values_of(home: PushHome) -> dict[str, dict[str, Any]]:
    """The published values of all assets."""
    found: dict[str, dict[str, Any]] = {}
    for asset_id, field_id, kind, text, options, written, fits in home.rows(_OLD):
        found.setdefault(asset_id, {})[field_id] = from_table(kind, text, options, written, fits=fits)
    return found


def change(name: str, kind: str, old: Any, number: int) -> FieldChange:
    new = Decimal(f"{number}.25") if kind == "number" else f"edit {number}"
    return FieldChange(name, name, kind, old, new)


def _changes(old: Mapping[str, Any], fields: Sequence[tuple[str, str]], number: int) -> list[FieldChange]:
    """New values; a text in a field of numbers stays, because the API would not take it back."""
    fitting = [(name, of) for name, of in fields if of != "number" or not isinstance(old.get(name), str)]
    return [change(name, of, old.get(name), number) for name, of in fitting]


def plan_of_assets(home: PushHome) -> Plan:
    """Edits of each asset, and new assets on a few properties."""
    old, assets = values_of(home), home.assets(EDITS)
    kinds = {kind: home.kinds(kind) for kind in {kind for _, _, kind in assets}}
    writable = {of: [one for one in kinds[of].items() if one[1] in ("text", "number")][:2] for of in kinds}
    edits = [
        Entry(
            number,
            UPDATE,
            (asset_id,),
            place,
            kind,
            changes,
        )
        for number, (asset_id, place, kind) in enumerate(assets, 2)
        if (changes := _changes(old.get(asset_id, {}), writable[kind], number))
    ]
    made = [
        Entry(number, CREATE, (), place, kind, [change(name, of, None, number % 7) for name, of in writable[kind]])
        for number, (_, place, kind) in enumerate(assets[: CREATIONS // 10] * 10, EDITS + 2)
    ]
    return Plan("assets", "large.csv", "0", str(home.note()["run"]), [*edits, *made], sizes=home.sizes("assets"))


def plan_of_schedules(home: PushHome) -> Plan:
    """A third each to create, to update and to delete."""
    taken, third = home.schedules(100_000), SCHEDULES // 3
    assert len(taken) >= 2 * third
    pairs = ((place, kind) for place in sorted({one for one, _ in taken}) for kind in sorted({of for _, of in taken}))
    free = [pair for pair in pairs if pair not in set(taken)][:third]
    rows = [
        *((UPDATE, key, {"description": f"edit {number}"}) for number, key in enumerate(taken[:third])),
        *((DELETE, key, {}) for key in taken[third : 2 * third]),
        *((CREATE, key, {"dueDate": "2031-01-31", "customReference": f"R/{n}"}) for n, key in enumerate(free)),
    ]
    query = (
        "select property_id, assessment_type_id, due_date::varchar, description, custom_reference, assigned_users "
        "from schedules"
    )
    old = {(row[0], row[1]): dict(zip(MEMBERS, row[2:], strict=True)) for row in home.rows(query)}
    entries = [_of_schedule(number, *row, old) for number, row in enumerate(rows, 2)]
    run = str(home.note()["run"])
    return Plan("schedules", "schedules.csv", "0", run, entries, sizes=home.sizes("schedules"))


def _of_schedule(
    number: int, action: str, key: tuple[str, str], new: Mapping[str, Any], old: Mapping[tuple[str, str], Any]
) -> Entry:
    names = MEMBERS if action == DELETE else new
    changes = [FieldChange(name, name, name, old.get(key, {}).get(name), new.get(name)) for name in names]
    return Entry(number, action, key, *key, changes)


def truth(home: PushHome) -> dict[str, Any]:
    """The sandbox's records without what no write can restore: the order of results, and a schedule's status."""
    assets = home.sandbox.world.truth("assets")
    for one in assets.values():
        one["fields"] = {of["field"]: of["value"] for of in one["fields"] if of.get("value") is not None}
    schedules = home.sandbox.world.truth("schedules")
    return {"assets": assets, "schedules": {key: one | {"status": None} for key, one in schedules.items()}}


def command(home: PushHome, path: Path, plan: Plan) -> list[str]:
    return [PROGRAM, "push", "apply", str(path), "--allow-large", plan.plan_id, "--json"]


def apply_under_fire(home: PushHome, plan: Plan, kills: int, longest: float, dice: Random) -> dict[str, Any]:
    """Applies a plan under faults, killed at random moments; returns the last report.

    The API refuses the token of the first one of them in the middle of its work.
    """
    path = plan_path(home.path / "state", plan)
    save_plan(plan, path)
    home.sandbox.set_faults(_FAULTS)
    good, killed = home.sandbox.token, 0
    for number in range(kills):
        process = started(home, command(home, path, plan), max_concurrency=8)
        wait_for_the_lock(process, home.path / "state" / "push.lock")
        if number:
            killed += _is_killed(process, dice.uniform(0.05, longest))
            continue
        time.sleep(0.2)
        home.sandbox.change_token("a token that the command does not have")
        _, said = process.communicate(timeout=120)
        home.sandbox.change_token(good)
        assert (process.returncode, b"401" in said) == (1, True), said.decode()
    assert killed >= kills // 2
    done = subprocess.run(
        command(home, path, plan), env=home.environ() | {"PATH": ""}, capture_output=True, timeout=600, check=False
    )
    assert done.returncode == 0, (done.stdout.decode()[-3_000:], done.stderr.decode()[-3_000:])
    home.sandbox.set_faults([])
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _is_killed(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        return is_killed_after(seconds, process)
    except AssertionError:  # it ended with 3: a fault outlasted its patience, and the next command continues
        assert process.returncode == 3
        return False


@pytest.mark.release
@pytest.mark.timeout(1_500)
def test_a_large_plan_under_faults_and_kills(large: PushHome) -> None:
    before, dice = truth(large), Random("fire")
    assets, schedules = plan_of_assets(large), plan_of_schedules(large)
    for plan, kills, longest in ((assets, KILLS * 4 // 5, 1.5), (schedules, KILLS // 5, 0.4)):
        report = apply_under_fire(large, plan, kills, longest, dice)
        assert report["verified"] == len(plan.entries)
        assert (report["skipped"], report["failed"]) == (0, 0)
        check_server(large, plan)
        assert large.is_truth(plan.resource)
        states = large.rows("select state, count(*) from ops.writes where plan_id = ? group by all", plan.plan_id)
        assert states == [("verified", sum(max(1, len(one.changes)) for one in plan.entries))]
    effects = large.effects
    assert {count for (action, _), count in effects.items() if action != "update"} == {1}
    assert effects.total() == len(assets.entries) + len(schedules.entries) >= EDITS + CREATIONS + SCHEDULES - 20
    changed = "select count(*) from history.assets join ops.runs using (run_id) where change = 'update'"
    assert large.column(changed) == [assets.counts()[UPDATE]]
    assert large.rebuild().exit_code == 0
    check_undo(large, before, [assets, schedules])


def check_server(home: PushHome, plan: Plan) -> None:
    """Whether the server has every planned value."""
    shelf = truth(home)[plan.resource]
    for entry in plan.entries:
        there = shelf.get(entry.key[0] if plan.resource == "assets" and entry.key else entry.key)
        if entry.action == DELETE:
            assert there is None
        elif entry.key:
            held = there["fields"] if plan.resource == "assets" else there
            assert {one.field: held[one.field] for one in entry.changes} == {
                one.field: one.new for one in entry.changes
            }


def check_undo(home: PushHome, before: Mapping[str, Any], plans: list[Plan]) -> None:
    """Undoes everything; only new assets stay."""
    for plan in plans:
        path = home.path.parent / f"{plan.resource}.undo"
        asked = [PROGRAM, "push", "undo", plan.plan_id, "--out", str(path), "--json"]
        planned = subprocess.run(asked, env=home.environ(), capture_output=True, timeout=120, check=False)
        told = json.loads(planned.stdout)
        assert len(told["refused"]) == (CREATIONS if plan.resource == "assets" else 0)
        words = [PROGRAM, "push", "apply", str(path), "--allow-large", told["plan_id"], "--json"]
        done = subprocess.run(words, env=home.environ(), capture_output=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr.decode()[-3_000:]
    after = truth(home)
    assert after["schedules"] == before["schedules"]
    assert {key: one for key, one in after["assets"].items() if key in before["assets"]} == before["assets"]
    assert len(after["assets"]) == len(before["assets"]) + CREATIONS
