"""The nightly deployment on a real server and a real worker does what `propsync sync` does, and leaks nothing."""

from __future__ import annotations

from datetime import datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import pytest
from kit.prefect_server import SCHEDULES
from kit.programs import files_with, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
RESOURCES = ["assets", "assessments", "schedules"]
# when and by which run a row was written differs between two homes, and nothing else may
OF_THE_RUN = {
    "first_seen_at",
    "changed_at",
    "run_id",
    "asked_at",
    "fetched_at",
    "of_changed_at",
    "due_at",
    "read_at",
    "verified_at",
}


def test_a_run_ends_completed_with_one_task_run_a_resource(prefect, first):
    run = first.run
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Completed"), run["state"]
    tasks = prefect.task_runs(run)
    assert [(one["name"], one["state_name"]) for one in tasks] == [
        (name, "Completed") for name in [*RESOURCES, "marts", "dashboard", "publish", "documents"]
    ]
    assert run["name"].startswith("sync everything 20")


def test_the_published_tables_equal_those_of_the_command(first):
    with duckdb.connect() as connection:
        connection.execute(f"attach '{first.published}' as ours (read_only)")
        connection.execute(f"attach '{first.by_command}' as theirs (read_only)")
        columns = columns_of(connection, "ours")
        assert columns == columns_of(connection, "theirs")
        assert {"assets", "assessments", "schedules"} <= {table for schema, table in columns if schema == "main"}
        assert any(schema == "by_type" for schema, _ in columns)
        for (schema, table), names in columns.items():
            chosen = ", ".join(f'"{name}"' for name in names if name not in OF_THE_RUN)
            one, other = (f'select {chosen} from {side}."{schema}"."{table}"' for side in ("ours", "theirs"))
            for left, right in ((one, other), (other, one)):
                assert connection.execute(f"{left} except all {right}").fetchall() == [], (schema, table)
        assert connection.execute("select count(*) from ours.main.assets").fetchone() == (150,)


def test_the_lines_of_a_run_are_shown_with_it_each_at_its_task(prefect, first):
    tasks = {one["id"]: one["name"] for one in prefect.task_runs(first.run)}
    lines = [(tasks.get(line["task_run_id"]), line["message"]) for line in prefect.lines(first.run)]
    for name in RESOURCES:
        assert (name, f"{name}: read completely") in lines
    # threads make the requests, and log them at DEBUG
    assert any(task == "schedules" and message.startswith("GET /assessments/schedules") for task, message in lines)


def test_the_deployment_is_what_an_operator_expects(prefect):
    deployment = prefect.deployment()
    assert [one["schedule"] for one in deployment["schedules"]] == [
        {"cron": "30 2 * * *", "timezone": "Europe/London", "day_or": True}
    ]
    assert deployment["global_concurrency_limit"]["limit"] == 1
    assert deployment["concurrency_options"]["collision_strategy"] == "CANCEL_NEW"
    assert deployment["tags"] == ["propsync"]
    assert deployment["description"]
    only = deployment["parameter_openapi_schema"]["properties"]["only"]
    assert only["description"]
    assert only["items"]["enum"] == RESOURCES
    assert str(Path(__file__).parents[2]) not in str(deployment), "a path of the machine that deployed"


def test_the_timetable_has_made_its_runs(prefect):
    """With some versions beside it Prefect's scheduler makes none, and says nothing."""
    flows = {one["id"]: one["name"] for one in prefect.post("/flows/filter", {})}
    made: set[tuple[str, time]] = set()

    def is_made() -> bool:
        for run in prefect.post("/flow_runs/filter", {"flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}}}):
            moment = datetime.fromisoformat(run["expected_start_time"])
            made.add((flows[run["flow_id"]], moment.astimezone(ZoneInfo("Europe/London")).time()))
        return len(made) >= 2

    wait_until(is_made, 90, prefect.log("server"))
    assert made == {("propsync-nightly", time(2, 30)), ("propsync-verify", time(5))}


def test_a_run_that_left_something_behind_ends_completed_as_attention(prefect, sandbox):
    sandbox.set_faults([{"match": SCHEDULES, "effect": {"kind": "status", "status": 403}}])
    run = prefect.trigger(only=["schedules", "assets"])
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Attention"), run["state"]
    assert run["state"]["message"].startswith("schedules keep the rows of ")
    assert [(one["name"], one["state_name"]) for one in prefect.task_runs(run)] == [
        ("assets", "Completed"),
        ("schedules", "Attention"),
        ("marts", "Completed"),
        ("dashboard", "Completed"),
        ("publish", "Completed"),
    ]
    assert run["name"].startswith("sync schedules, assets 20")


def test_a_run_that_publishes_nothing_ends_failed_and_says_what_to_do(prefect, sandbox):
    sandbox.set_faults([{"effect": {"kind": "status", "status": 401, "body": f"who is {sandbox.token}?"}}])
    run = prefect.trigger()
    assert run["state_type"] == "FAILED"
    assert "PROPSYNC_TOKEN" in run["state"]["message"]
    assert "publish" not in [one["name"] for one in prefect.task_runs(run)]


def test_the_token_is_in_no_file(prefect, first, sandbox, settings):
    """After good and bad runs at DEBUG; `first` looked while it ran, when Prefect's temporary files were there."""
    assert files_with("GET /assessments/schedules", prefect.root) >= {prefect.log("worker")}, "DEBUG lines are kept"
    assert any(path.name.startswith("prefect.db") for path in files_with("GET /assessments", prefect.root))
    assert first.with_token == set()
    assert files_with(sandbox.token, prefect.root) == set()
    assert files_with(sandbox.token, Path(settings["PROPSYNC_HOME"])) == set()


def columns_of(connection: duckdb.DuckDBPyConnection, database: str) -> dict[tuple[str, str], list[str]]:
    """The columns of each table and view of `main` and `by_type`, in order."""
    rows = connection.execute(
        "select schema_name, table_name, list(column_name order by column_index) from duckdb_columns() "
        "where database_name = ? and schema_name in ('main', 'by_type') and not internal group by all order by all",
        [database],
    ).fetchall()
    return {(schema, table): names for schema, table, names in rows}
