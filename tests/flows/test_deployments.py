"""Each deployment does its work under Prefect, leaves what people and automations look for, and refuses nonsense."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
from kit.prefect_server import SCHEDULES, FirstNight, Prefect
from kit.programs import wait_until

import propsync
from propsync_sandbox import Sandbox

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def night(prefect: Prefect, sandbox: Sandbox, first: FirstNight) -> dict[str, Any]:
    """A nightly run after a night of change."""
    sandbox.set_faults([])
    sandbox.night()
    return prefect.trigger()


def rows(settings: dict[str, str], query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(Path(settings["PROPSYNC_HOME"], "published", "warehouse.duckdb")), read_only=True) as db:
        return db.execute(query).fetchall()


def test_a_night_leaves_its_counts_as_a_table(prefect, settings, night):
    told = prefect.artifacts(night)["propsync-nightly-resources"]
    table = {row["resource"]: row for row in json.loads(told["data"])}
    counts = rows(
        settings,
        "select replace(resource, '_', ' '), fetched, inserted, updated, deleted, held, rejected, bytes, verdict "
        "from ops.run_resources where run_id = (select max(run_id) from ops.runs where flow = 'nightly')",
    )
    columns = ("rows in", "new", "changed", "gone", "held", "rejected", "bytes", "verdict")
    assert [(name, *(row[one] for one in columns)) for name, row in table.items()] == sorted(
        counts, key=lambda row: list(table).index(row[0])
    )
    assert table["assets"]["seconds"] > 0
    assert table["assets"]["rows in"] == 150


def test_a_night_says_in_words_what_changed_with_sql_that_runs(prefect, settings, night):
    told = prefect.artifacts(night)["propsync-nightly-changes"]["data"]
    assert told.startswith("# What changed last night")
    ((new, changed, gone),) = rows(
        settings,
        "select inserted, updated, deleted from ops.run_resources where resource = 'assets' "
        "and run_id = (select max(run_id) from ops.runs where flow = 'nightly')",
    )
    assert f"**assets**: {new} new, {changed} changed, {gone} gone" in told
    assert "1 × label renamed: " in told
    queries = [one for one in told.split("```")[1].removeprefix("sql").split(";") if one.strip()]
    assert len(queries) == 5
    found = [rows(settings, query) for query in queries]
    assert len({row[1:3] for row in found[0] if row[0] == "assets"}) == new + changed + gone


def test_a_night_says_that_it_is_over_as_an_event(prefect, night):
    (event,) = prefect.events("propsync.run.finished", night)
    assert event["resource"]["propsync.flow"] == "nightly"
    assert event["resource"]["propsync.status"] == event["payload"]["status"] == "ok"
    assert event["resource"]["prefect.resource.id"] == f"propsync.run.{event['payload']['run_id']}"


@pytest.mark.release
def test_what_was_left_behind_is_an_artifact_and_an_event(prefect, quiet):
    quiet.set_faults([{"match": SCHEDULES, "effect": {"kind": "status", "status": 403}}])
    run = prefect.trigger(archive=False)
    assert run["state_name"] == "Attention"
    told = prefect.artifacts(run)["propsync-nightly-attention"]["data"]
    assert "- schedules " in told
    assert "token has no access" in told
    (event,) = prefect.events("propsync.resource.failed", run)
    assert event["payload"]["resource"] == "schedules"
    (finished,) = prefect.events("propsync.run.finished", run)
    assert finished["resource"]["propsync.status"] == "attention"


@pytest.mark.release
def test_a_run_that_published_nothing_is_an_event_too(prefect, quiet):
    quiet.set_faults([{"effect": {"kind": "status", "status": 401}}])
    run = prefect.trigger()
    assert run["state_type"] == "FAILED"
    (finished,) = prefect.events("propsync.run.finished", run)
    assert finished["resource"]["propsync.status"] == "failed"
    assert "PROPSYNC_TOKEN" in finished["payload"]["left_behind"][0]


def test_a_backfill_reads_just_what_its_form_names(prefect, settings, quiet, night):
    (asset,) = rows(settings, "select asset_id from assets order by all limit 1")[0]
    run = prefect.trigger("backfill", assets=[asset])
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Completed"), run["state"]
    assert run["name"] == f"backfill assets {asset}"
    assert rows(
        settings, "select fetched from ops.run_resources where resource = 'assets' order by run_id desc limit 1"
    )
    assert "**assets**: nothing changed" in prefect.artifacts(run)["propsync-backfill-changes"]["data"]


def test_the_form_of_a_backfill_explains_itself_and_refuses_what_is_no_list_of_ids(prefect):
    form = prefect.deployment("backfill")["parameter_openapi_schema"]["properties"]
    assert set(form) == {"properties", "asset_types", "assessment_types", "assets", "assessments"}
    assert all(one["description"] for one in form.values())
    for wrong in ("one", ["a,b"], [" "], [1]):
        with pytest.raises(httpx.HTTPStatusError, match="409"):
            prefect.start("backfill", assets=wrong)


def test_the_form_of_a_night_refuses_what_is_no_run(prefect):
    for wrong in ("yes", "20261127", "20261127T194720123456Z, 20261128T194720123456Z"):
        with pytest.raises(httpx.HTTPStatusError, match="409"):
            prefect.start(accept_deletes=wrong)


@pytest.mark.release
def test_a_backfill_of_nothing_fails_and_says_what_to_name(prefect):
    run = prefect.trigger("backfill")
    assert run["state_type"] == "FAILED"
    assert "fill in at least one" in run["state"]["message"]


@pytest.mark.release
def test_documents_are_archived_with_progress_and_verified(prefect, settings, quiet, night):
    # of those that are wanted the server has the same still
    query = "select path from documents join assessments using (assessment_id) where is_latest and status = 'approved'"
    for (path,) in rows(settings, query):
        Path(settings["PROPSYNC_HOME"], path).unlink()
    lost = prefect.trigger("verify", limit=1)
    assert lost["name"].startswith("verify documents 20")
    assert prefect.artifacts(lost)["propsync-verify-documents"]
    quiet.set_faults([{"match": {"path": ".*/report.pdf"}, "effect": {"kind": "delay", "seconds": 2}}])
    run = prefect.trigger("verify")
    assert (run["state_name"], run["state"]["message"]) == ("Completed", "all well")
    assert prefect.artifacts(run)["propsync-mending"]["type"] == "progress"
    assert rows(settings, "select count(*) from documents where state = 'stored' and last_error is null")[0][0] > 50
    again = prefect.trigger("archive", kinds=["report"])
    assert (again["state_name"], again["name"][:14]) == ("Completed", "archive report")
    assert prefect.artifacts(again)["propsync-archive-documents"]


def test_of_two_at_once_one_runs_and_one_is_cancelled(prefect, settings, quiet):
    quiet.set_faults([{"match": SCHEDULES, "effect": {"kind": "delay", "seconds": 1}}])
    before = rows(settings, "select count(*) from ops.runs where flow = 'nightly'")
    runs = [prefect.start(archive=False) for _ in range(2)]
    ended = [prefect.ended(one) for one in runs]
    assert sorted(one["state_type"] for one in ended) == ["CANCELLED", "COMPLETED"]
    assert rows(settings, "select count(*) from ops.runs where flow = 'nightly'")[0][0] == before[0][0] + 1
    assert rows(settings, "select count(*), count(distinct asset_id) from assets")[0][0] == 150


@pytest.mark.release
def test_the_timetable_really_starts_runs(prefect, quiet):
    nightly = prefect.deployment()["id"]
    every = {"schedule": {"interval": 15, "timezone": "Europe/London"}, "active": True}
    (added,) = prefect.post(f"/deployments/{nightly}/schedules", [every])
    by_timetable = {
        "deployment_id": {"any_": [nightly]},
        "state": {"type": {"any_": ["COMPLETED"]}},
    }

    def is_completed() -> bool:
        return any(one["auto_scheduled"] for one in prefect.post("/flow_runs/filter", {"flow_runs": by_timetable}))

    try:
        wait_until(is_completed, 120, prefect.log("worker"))
    finally:
        prefect.delete(f"/deployments/{nightly}/schedules/{added['id']}")
        at_work = {"deployment_id": {"any_": [nightly]}, "state": {"type": {"any_": ["PENDING", "RUNNING"]}}}
        wait_until(lambda: not prefect.post("/flow_runs/filter", {"flow_runs": at_work}), 120, prefect.log("worker"))


@pytest.mark.release
def test_the_example_automation_tells_of_held_deletes(prefect, sandbox, quiet, settings):
    heard = Heard()
    script = Path(propsync.__file__).parents[2] / "deploy" / "scripts" / "tell_held_deletes.py"
    for _ in range(2):  # the second replaces the first, so that the address hears once
        subprocess.run([sys.executable, str(script), heard.url], env=prefect.environ, check=True, timeout=60)
    no_address = subprocess.run([sys.executable, str(script), "--help"], env=prefect.environ, capture_output=True)
    assert (no_address.returncode, no_address.stderr[:6]) == (1, b"usage:")
    for key in sandbox.world.shelf("assets").keys()[:30]:
        sandbox.world.shelf("assets").delete(key)
    run = prefect.trigger(archive=False, accept_deletes="")  # a field of the form that somebody emptied
    assert run["state_name"] == "Attention"
    assert "propsync holds their deletes" in run["state"]["message"]
    wait_until(lambda: bool(heard.bodies), 60, prefect.log("server"))
    (held,) = rows(settings, "select count(*) from ops.held_deletes")[0]
    assert f"propsync holds {held} deletes of assets" in heard.bodies[0]
    time.sleep(2)
    assert len(heard.bodies) == 1
    heard.close()
    run_id = prefect.events("propsync.deletes.held", run)[0]["payload"]["run_id"]
    accepted = prefect.trigger(accept_deletes=f" {run_id}\n")
    assert accepted["state_name"] == "Completed"
    assert rows(settings, "select count(*) from assets") == [(120,)]


class Heard:
    """An address that keeps what is posted to it."""

    def __init__(self) -> None:
        self.bodies: list[str] = []
        heard = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                heard.bodies.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nothing on standard error."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
