"""The systemd units are ones that systemd takes, run once every night, and do what their lines say."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from deploy.unit_files import BIN, DEPLOY, INSTALLED, Machine, run_service, value, values
from kit.needs import needs

needs_systemd = needs("systemd-analyze")
UNITS = sorted(path.name for path in DEPLOY.iterdir() if path.suffix in (".service", ".timer"))
SERVICES = ["propsync.service", "propsync-serve.service", "propsync-watchdog.service", "propsync-webhook.service"]
TIMERS = ["propsync.timer", "propsync-watchdog.timer"]
LONDON = ZoneInfo("Europe/London")
EXPOSURE = 15
"""Tenths of systemd's scale, 0 to 100; the run was at 14 and the watchdog at 7 when this was written."""


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The units with the propsync of these tests in them: systemd checks that the program exists."""
    folder = tmp_path_factory.mktemp("units")
    for name in UNITS:
        text = (DEPLOY / name).read_text(encoding="utf-8").replace(INSTALLED, str(BIN))
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(folder / "propsync-alert@.service", folder / "propsync-alert@propsync.service")
    return folder


def analyze(*words: str) -> str:
    environ = os.environ | {"TZ": "UTC"}  # it tells times in the machine's zone
    done = subprocess.run(
        ["systemd-analyze", *words], env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_systemd
def test_systemd_takes_every_unit(copies: Path):
    paths = [str(path) for path in sorted(copies.iterdir()) if "@." not in path.name]
    assert len(paths) == len(UNITS)
    assert analyze("verify", "--man=no", *paths) == ""


@needs_systemd
@pytest.mark.parametrize("name", SERVICES)
def test_a_service_may_do_little(copies: Path, name: str):
    analyze("security", "--offline=true", f"--threshold={EXPOSURE}", "--no-pager", str(copies / name))


@needs_systemd
@pytest.mark.parametrize("timer", TIMERS)
@pytest.mark.parametrize("change", [date(2026, 3, 29), date(2026, 10, 25), date(2027, 3, 28), date(2027, 10, 31)])
def test_a_timer_elapses_once_every_night_over_a_change_of_the_clocks(timer: str, change: date):
    start = change - timedelta(days=3)
    told = analyze("calendar", "--iterations=6", f"--base-time={start} 12:00:00 UTC", value(timer, "OnCalendar"))
    stamps = re.findall(r"(?:Next elapse|Iter\. #\d+): \w+ (\S+ \S+) UTC$", told, re.MULTILINE)
    assert len(stamps) == 6, told
    moments = [datetime.fromisoformat(stamp).replace(tzinfo=UTC).astimezone(LONDON) for stamp in stamps]
    assert [moment.date() for moment in moments] == [start + timedelta(days=count) for count in range(1, 7)]
    assert len({moment.time() for moment in moments}) == 1
    assert moments[0].strftime("%H:%M:%S Europe/London") in value(timer, "OnCalendar")


def test_the_watchdog_looks_when_a_night_was_missed_and_not_before():
    """By its own clock: from the start of one night's run to the next morning, and to the morning after."""
    words = value("propsync-watchdog.service", "ExecStart").split()
    allowed = timedelta(hours=int(words[words.index("--max-age") + 1].removesuffix("h")))
    started, looks = (datetime.strptime(value(name, "OnCalendar").split()[1], "%H:%M:%S") for name in TIMERS)  # noqa: DTZ007
    an_hour = timedelta(hours=1)  # the clocks change
    assert looks - started + an_hour < allowed < looks - started + timedelta(days=1) - an_hour


@pytest.mark.parametrize("name", SERVICES)
def test_a_failure_tells_somebody(name: str):
    assert value(name, "OnFailure") == "propsync-alert@%p.service"
    assert (DEPLOY / "propsync-alert@.service").is_file()


def test_what_needs_a_look_counts_as_a_failure_and_a_run_beside_another_does_not():
    assert values("propsync.service", "SuccessExitStatus") == ["4"]
    assert values("propsync-watchdog.service", "SuccessExitStatus") == []


def test_the_alert_mails_what_systemd_says(tmp_path: Path):
    for name, script in {"systemctl": 'echo "status of $*"', "mail": 'echo "mail $*"; cat'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    line = value("propsync-alert@.service", "ExecStart").replace("%i", "propsync").replace("%H", "host")
    done = subprocess.run(line, shell=True, env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True)
    first, second = done.stdout.splitlines()
    assert first == "mail -s propsync failed on host root"
    assert second.endswith("propsync.service")


def test_the_watchdog_misses_a_first_night(machine: Machine):
    missing = run_service("propsync-watchdog.service", machine)
    assert missing.returncode == 3, missing.stderr
    assert "Nothing is published" in missing.stdout


@pytest.mark.release
def test_a_night_runs_as_its_unit_says_and_the_watchdog_is_content(morning: Machine):
    fresh = run_service("propsync-watchdog.service", morning)
    assert fresh.returncode == 0, fresh.stderr

    late = run_service("propsync-watchdog.service", morning, swap=("26h", "0m"))
    assert late.returncode == 3
    assert "A nightly run is missing" in late.stdout


@pytest.mark.release
def test_what_is_published_is_for_all_and_the_rest_for_the_service(morning: Machine):
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in [morning.home, *morning.home.iterdir()]}
    assert modes == {morning.home.name: 0o711, "published": 0o755, "state": 0o700, "landing": 0o700, "archive": 0o700}
    published = morning.home / "published"
    assert {stat.S_IMODE(path.stat().st_mode) for path in published.rglob("*") if path.is_file()} == {0o444}
    assert {stat.S_IMODE(path.stat().st_mode) for path in published.rglob("*") if path.is_dir()} == {0o755}


def test_the_token_comes_from_its_file_alone(machine: Machine):
    machine.token.unlink()
    machine.token.touch()
    refused = run_service("propsync.service", machine)
    assert refused.returncode == 2
    assert "credentials" in refused.stderr, "the message names the file that systemd made"
