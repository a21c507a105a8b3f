"""The crontab's lines run as cron runs them, are silent when all is well, and hold no secret."""

from __future__ import annotations

from pathlib import Path

import pytest
from deploy.unit_files import INSTALLED, CronLine, Machine, cron_table, run_cron_line, value


@pytest.fixture
def lines() -> tuple[CronLine, CronLine]:
    night, watchdog = cron_table()[1]
    return night, watchdog


def test_the_lines_do_what_the_units_do_at_the_same_times(lines):
    for line, name in zip(lines, ("propsync", "propsync-watchdog"), strict=True):
        assert value(f"{name}.service", "ExecStart") in line.command
        minute, hour, *days = line.when.split()
        assert days == ["*", "*", "*"]
        assert f"{int(hour):02}:{int(minute):02}:00 " in value(f"{name}.timer", "OnCalendar")
        assert int(hour) != 1, "skipped in March, twice in October"
        assert line.user == value(f"{name}.service", "User")


def test_the_crontab_names_the_token_s_file_and_no_token():
    environ, _ = cron_table()
    assert [name for name in environ if "TOKEN" in name] == ["PROPSYNC_TOKEN_FILE"]
    assert environ["PROPSYNC_TOKEN_FILE"] == value("propsync.service", "LoadCredential").partition(":")[2]


def test_an_address_with_a_query_reaches_the_run_whole(machine: Machine, lines):
    """As that of a Teams workflow: a shell would end the value at the `&`, and no notice would come."""
    address = "PROPSYNC_NOTIFY_URL=https://hooks.example.org/run?version=1&sp=%2Ftriggers;a=$HOME&sig=a*(b)#c"
    with (machine.etc / "propsync.env").open("a") as file:
        file.write(f"{address}\n")
    for line, words in zip(lines, ("sync", "status --max-age 26h"), strict=True):
        told = run_cron_line(line, machine, swap=(f"{INSTALLED}/propsync {words}", "sh -c 'env; exit 1'"))
        assert address in told.splitlines()


@pytest.mark.slow
def test_a_night_and_its_watchdog_say_nothing_when_all_is_well(machine: Machine, lines):
    night, watchdog = lines
    assert run_cron_line(watchdog, machine).startswith("propsync status: exit 3. Nothing is published")
    assert run_cron_line(night, machine) == ""
    assert Path(machine.home, "published", "warehouse.duckdb").is_file()
    assert run_cron_line(watchdog, machine) == ""
    late = run_cron_line(watchdog, machine, swap=("26h", "0m"))
    assert late.startswith("propsync status: exit 3. Published: as of ")
    assert "A nightly run is missing" in late


@pytest.mark.release
def test_a_night_that_fails_is_mailed_with_what_to_do_and_without_the_token(machine: Machine, lines, sandbox):
    sandbox.set_faults([{"effect": {"kind": "status", "status": 403, "body": f"no, {sandbox.token}"}}])
    try:
        told = run_cron_line(lines[0], machine)
    finally:
        sandbox.set_faults([])
    assert told.startswith("propsync sync: exit ")
    assert sandbox.token not in told
