"""Under Prefect, an event of the receiver starts the deployment that reads what hints name."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
from kit.prefect_server import FirstNight, Prefect
from kit.programs import BIN, environment, free_port, running, wait_until
from kit.receiving import SECRET

from propsync_sandbox import Sandbox

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def receiver(prefect: Prefect, settings: dict[str, str], first: FirstNight) -> Iterator[int]:
    """`propsync webhook --prefect` beside the worker; its port."""
    port, log = free_port(), prefect.log("receiver")
    environ = environment(
        **settings,
        PREFECT_API_URL=prefect.environ["PREFECT_API_URL"],
        PROPSYNC_WEBHOOK_SECRET=SECRET,
        PROPSYNC_WEBHOOK_WAIT="0.5",
    )
    command = [str(BIN / "propsync"), "webhook", "--prefect", "--port", str(port)]
    with running(command, log, environ, prefect.root / "elsewhere"):
        wait_until(lambda: "Stop with" in log.read_text(), 30, log)
        yield port


def published(settings: dict[str, str], query: str, *values: Any) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(Path(settings["PROPSYNC_HOME"], "published", "warehouse.duckdb")), read_only=True) as db:
        return db.execute(query, list(values)).fetchall()


def test_a_hint_is_read_by_a_run_that_its_event_starts(
    prefect: Prefect, settings: dict[str, str], quiet: Sandbox, receiver: int
):
    ((key,),) = published(settings, "select min(assessment_id) from assessments where status = 'approved'")
    quiet.world.assessments.set_members(key, title="Heard of under Prefect")
    body = json.dumps([{"type": "assessment", "id": key}])
    answer = httpx.post(f"http://127.0.0.1:{receiver}/hooks/{SECRET}", content=body, trust_env=False)
    assert answer.status_code == 202
    query = "select count(*) from assessments where payload::varchar like '%Heard of under Prefect%'"
    wait_until(lambda: published(settings, query) == [(1,)], 120, prefect.log("worker"))
    runs = prefect.post("/flow_runs/filter", {"flows": {"name": {"any_": ["propsync-hints"]}}})
    (run,) = [prefect.ended(one) for one in runs][:1]
    assert (run["state_type"], run["name"]) == ("COMPLETED", "hints"), run["state"]
    assert "propsync-hints-resources" in prefect.artifacts(run)
    assert published(settings, "select state from ops.hints where record_id = ?", key) == [("changed",)]


def test_the_deployment_does_nothing_if_nothing_is_due(prefect: Prefect, settings: dict[str, str], first: FirstNight):
    before = published(settings, "select count(*) from ops.runs")
    run = prefect.trigger("hints")
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Completed"), run["state"]
    assert published(settings, "select count(*) from ops.runs") == before


def test_without_a_server_the_receiver_says_what_to_set(tmp_path: Path, settings: dict[str, str]):
    environ = environment(**settings | {"PROPSYNC_HOME": str(tmp_path / "home")}, PROPSYNC_WEBHOOK_SECRET=SECRET)
    code = (
        "from pathlib import Path; from propsync.serving.events import announce_hints; "
        f"announce_hints(Path({str(tmp_path)!r}))"
    )
    done = subprocess.run([str(BIN / "python"), "-c", code], env=environ, capture_output=True, text=True, check=False)
    assert "no Prefect server is known. Set PREFECT_API_URL" in done.stderr
