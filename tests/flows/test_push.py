"""A saved plan as a run of the deployment `push`: it writes, and Prefect keeps none of its values but in its table."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import httpx
import pytest
from kit.prefect_server import FirstNight, Prefect
from kit.programs import BIN, environment, files_with

from propsync_sandbox import Sandbox
from propsync_sandbox.callers import caller_label

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
NEW = "Wildwood 7Q not to be seen"
ROOT = Path(__file__).parents[2]
TOKEN = "tok-for-writes-alone"


class Pushed(NamedTuple):
    """A plan of one new value, and the run that applied it."""

    plan: Path
    asset: str
    field: str
    old: str
    run: dict[str, Any]


def planned(settings: dict[str, str], folder: Path, asset: str, field: str, value: str) -> Path:
    """The plan of a file with one value."""
    (folder / "edits.csv").write_text(f"asset_id,{field}\n{asset},{value}\n")
    command = [str(BIN / "propsync"), "push", "plan", "assets", str(folder / "edits.csv"), "--json"]
    done = subprocess.run(command, env=environment(**settings), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["plan"])


@pytest.fixture(scope="module")
def pushed(
    prefect: Prefect,
    sandbox: Sandbox,
    settings: dict[str, str],
    first: FirstNight,
    tmp_path_factory: pytest.TempPathFactory,
) -> Pushed:
    sandbox.set_faults([])
    with duckdb.connect(str(first.published), read_only=True) as tables:
        query = (
            "select asset_id, field_id, value_text from asset_field_values where label = 'Location' and value_text > ''"
        )
        found = tables.execute(f"{query} order by all limit 1").fetchone()
    assert found is not None
    plan = planned(settings, tmp_path_factory.mktemp("edits"), found[0], found[1], NEW)
    asset, field, old = found
    return Pushed(plan, asset, field, old, prefect.trigger("push", plan=str(plan)))


def test_a_run_writes_what_the_plan_says_and_publishes_it(pushed: Pushed, sandbox: Sandbox, settings):
    assert (pushed.run["state_name"], pushed.run["state"]["message"]) == ("Completed", "all well")
    assert pushed.run["name"] == f"push {pushed.plan.stem}"
    (write,) = sandbox.journal.writes()
    assert (write.write.key, write.write.values) == (pushed.asset, {pushed.field: NEW})
    with duckdb.connect(str(Path(settings["PROPSYNC_HOME"], "published", "warehouse.duckdb")), read_only=True) as db:
        assert db.execute("select state from ops.writes").fetchall() == [("verified",)]


def test_the_plan_and_its_result_are_tables(prefect: Prefect, pushed: Pushed):
    found = {key: json.loads(one["data"]) for key, one in prefect.artifacts(pushed.run).items()}
    (change,) = found["propsync-push-plan"]
    assert (change["record"], change["field"], change["old"], change["new"]) == (
        pushed.asset,
        "Location",
        pushed.old,
        NEW,
    )
    (result,) = found["propsync-push-records"]
    assert (result["records"], result["verified"], result["skipped"], result["failed"]) == (1, 1, 0, 0)
    (finished,) = prefect.events("propsync.run.finished", pushed.run)
    assert finished["payload"]["verified"] == 1


def test_no_value_is_in_a_parameter_a_log_a_state_or_an_event_of_its_own(prefect: Prefect, pushed: Pushed):
    """The artifact has it, and Prefect's own event about that artifact: so the search works."""
    with closing(sqlite3.connect(prefect.root / "prefect" / "prefect.db")) as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        holding = {name for name in tables if any(map(has_value, database.execute(f'select * from "{name}"')))}
        told = database.execute("select event, payload from events").fetchall()
    assert holding == {"artifact", "artifact_collection", "events"}
    assert all(name.startswith("prefect.artifact") for name, payload in told if has_value(payload))
    assert prefect.log("worker") in files_with("PATCH /properties", prefect.root), "DEBUG lines are kept"
    assert not {path for path in files_with(NEW, prefect.root) if not path.name.startswith("prefect.db")}


def has_value(row: object) -> bool:
    return NEW in repr(row)


def test_the_same_plan_again_sends_nothing(prefect: Prefect, pushed: Pushed, quiet: Sandbox):
    before = len(quiet.journal.writes())
    again = prefect.trigger("push", plan=pushed.plan.name)
    assert again["state_type"] == "COMPLETED"
    assert len(quiet.journal.writes()) == before


def test_only_a_saved_plan_can_be_named(prefect: Prefect, pushed: Pushed, tmp_path: Path):
    for wrong in ("/etc/passwd", "x.plan", "../../token", 5):
        with pytest.raises(httpx.HTTPStatusError, match="409"):
            prefect.start("push", plan=wrong)
    elsewhere = tmp_path / pushed.plan.name
    elsewhere.write_bytes(pushed.plan.read_bytes())
    run = prefect.trigger("push", plan=str(elsewhere))
    assert run["state_type"] == "FAILED"
    assert "not in the folder of the saved plans" in run["state"]["message"]


@pytest.mark.release
def test_the_token_for_writes_may_be_in_a_block_of_its_own(prefect: Prefect, pushed, quiet, settings, tmp_path):
    kept = [sys.executable, "deploy/scripts/keep_token.py", "push"]  # as in docs/prefect.md
    quiet.callers.accept(TOKEN)
    done = subprocess.run(kept, env=prefect.environ, cwd=ROOT, input=TOKEN, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    plan = planned(settings, tmp_path, pushed.asset, pushed.field, pushed.old)
    run = prefect.trigger("push", plan=plan.name)
    assert run["state_name"] == "Completed"
    assert quiet.journal.writes()[-1].caller == caller_label(TOKEN)
    assert files_with(TOKEN, prefect.root) == set()
