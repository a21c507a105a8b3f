"""docs/sandbox.md is true: its plan is one that the sandbox takes, its command starts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import httpx

from propsync_sandbox import Sandbox, read_fault_plan, read_hint_plan
from propsync_sandbox.fault_checks import EFFECTS

DOC = (Path(__file__).parents[2] / "docs" / "sandbox.md").read_text(encoding="utf-8")


ASSET_EDIT, EDIT, HINTS, PLAN = re.findall(r"^```json\n(.*?)^```", DOC, re.MULTILINE | re.DOTALL)


def test_the_fault_plan_shown_is_a_fault_plan(tmp_path: Path):
    (tmp_path / "faults.json").write_text(PLAN)
    assert read_fault_plan(tmp_path / "faults.json")


def test_each_effect_has_the_options_shown():
    every = {option for options in EFFECTS.values() for option in options}
    rows = re.findall(r"^\| (`[a-z_`, ]+) \| (.*?) \| ", DOC.partition("| effect |")[2], re.MULTILINE)
    shown = {
        kind: every & set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", options)))
        for kinds, options in rows
        for kind in re.findall(r"\w+", kinds)
    }
    assert shown == {kind: set(options) for kind, options in EFFECTS.items()}


def test_the_plan_of_hints_shown_is_one(tmp_path: Path):
    (tmp_path / "plan.json").write_text(HINTS)
    plan = read_hint_plan(tmp_path / "plan.json")
    assert (plan.delay, plan.lag) == ((0.0, 2.0), 3)


def test_the_edit_shown_is_one_that_the_sandbox_makes():
    with Sandbox(scale=12) as sandbox:
        key = sandbox.world.schedules.pick()
        edit = EDIT.replace("ASSESSMENT TYPE", key[1]).replace("PROPERTY", key[0])
        answer = httpx.post(f"{sandbox.base_url}/_sandbox/edit", content=edit, trust_env=False)
        assert answer.status_code == 204
        assert sandbox.world.schedules.truth()[key]["dueDate"] == "2026-05-01"


def test_the_edit_of_an_asset_shown_is_one_that_the_sandbox_makes():
    with Sandbox(scale=12) as sandbox:
        record = sandbox.world.assets.records()[0]
        fields = sandbox.world.asset_types.fields(record.type)
        field = next(one["id"] for one in fields if one["type"] == "text")
        edit = ASSET_EDIT.replace("ASSET", str(record.key)).replace("FIELD", field)
        answer = httpx.post(f"{sandbox.base_url}/_sandbox/edit", content=edit, trust_env=False)
        assert answer.status_code == 204
        assert "a new value" in str(sandbox.world.assets.truth()[record.key])


def test_the_command_shown_serves_the_api():
    command = re.search(r"^\$ propsync (.*)$", DOC, re.MULTILINE)
    assert command is not None
    words = [word if word != "8765" else "0" for word in command[1].split()]
    program = str(Path(sys.executable).with_name("propsync"))
    with subprocess.Popen([program, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline().split()
        address, token = line[3], line[5]
        answer = httpx.get(f"{address}/properties/assets", headers={"Authorization": f"Bearer {token}"}, timeout=30)
        night = httpx.post(f"{address}/_sandbox/night", timeout=30)
        process.terminate()
    assert answer.json()["total"] == 500
    assert night.status_code == 200
    assert process.returncode == 0
