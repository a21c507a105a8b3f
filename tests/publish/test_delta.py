"""The Delta tables of a home: whole after every run, equal to history at every moment, and gone when nobody asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from kit.delta import delta_rows, read_delta
from kit.home import Home
from kit.kept import KeptHomes
from kit.kills import PROGRAM, is_killed_after, numbers, seconds_at_work, spread, started, wait_for_the_lock
from kit.sandbox_home import SandboxHome
from publish.conftest import SCALE

from propsync.errors import GIVE_IT_BACK, LOOK_AT_DISK, HomeUnusable, SettingsError
from propsync.publish.delta_commit import delta_errors
from propsync.runbooks.workplace import check_delta
from propsync_sandbox import Sandbox

NIGHTS = 10


@pytest.fixture
def delta(kept: KeptHomes, tmp_path: Path) -> Iterator[SandboxHome]:
    """A home whose first sync wrote Delta tables of two schemas."""
    with Sandbox(scale=SCALE, seed=5) as sandbox:
        made = SandboxHome(sandbox, tmp_path / "home", delta="main,history")
        kept.copied(("delta", SCALE), made.path, lambda _: made.sync())
        yield made


def folder(home: SandboxHome) -> Path:
    return home.published.parent / "delta"


def written(home: SandboxHome) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder(home))): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder(home).rglob("*")
        if path.is_file()
    }


@pytest.mark.release
def test_a_quiet_night_writes_no_delta_table_and_the_note_names_each_version(delta: SandboxHome) -> None:
    """A copied home has other times of files, so the first sync here writes all of them."""
    delta.sync()
    before, note = written(delta), delta.note()["delta"]
    assert delta.sync().notes == []
    assert written(delta) == before
    assert delta.note()["delta"] == note
    assert {name: DeltaTable(folder(delta) / name).version() for name in note} == {
        name: one["version"] for name, one in note.items()
    }
    delta.sandbox.world.assets.scribble(delta.sandbox.world.assets.keys()[0])
    assert delta.sync().status == "ok"
    moved = {name for name, one in delta.note()["delta"].items() if one["version"] != note[name]["version"]}
    assert {"main/assets", "history/assets"} <= moved
    assert not moved & {"main/schedules", "main/assessments"}


@pytest.mark.slow
def test_nothing_of_it_is_there_unless_asked_for(delta: SandboxHome) -> None:
    assert {path.name for path in folder(delta).iterdir()} == {"main", "history"}
    assert delta.sync(delta="history").status == "ok"
    assert {path.name for path in folder(delta).iterdir()} == {"history"}
    assert {name.split("/")[0] for name in delta.note()["delta"]} == {"history"}
    assert delta.sync(delta="none").status == "ok"
    assert not folder(delta).exists()
    assert not delta.note().get("delta")


@pytest.mark.slow
def test_a_damaged_table_is_named_in_the_report_and_right_again(delta: SandboxHome) -> None:
    delta.sync()
    table = folder(delta) / "main" / "schedules"
    for path in table.glob("*.parquet"):
        path.unlink()
    report = delta.sync()
    assert report.status == "ok"
    (line,) = report.notes
    assert line.startswith(f"{table} has changed since it was published")
    rows = read_delta(table).num_rows
    assert [(rows,)] == delta.rows("select count(*) from schedules")


def test_everybody_may_read_the_tables_whatever_the_umask_and_nobody_may_write(kept: KeptHomes, tmp_path: Path) -> None:
    with Sandbox(scale=SCALE, seed=5) as sandbox:
        home = SandboxHome(sandbox, tmp_path / "home")
        kept.copied(("published", SCALE), home.path, lambda _: home.sync())
        usual = os.umask(0o077)
        try:
            home.sync(delta="main")
        finally:
            os.umask(usual)
    modes = {(path.is_dir(), path.stat().st_mode & 0o777) for path in folder(home).rglob("*")}
    assert modes == {(True, 0o755), (False, 0o444)}


@pytest.mark.slow
def test_rows_of_a_resource_that_breaks_a_check_stay_as_they_were(delta: SandboxHome) -> None:
    before = read_delta(folder(delta) / "main" / "assets").sort_by("asset_id")
    check = delta.path / "checks" / "no_assets.sql"
    check.parent.mkdir()
    check.write_text("-- severity: fail\nselect asset_id from main.assets\n")
    delta.sandbox.world.assets.scribble(delta.sandbox.world.assets.keys()[0])
    assert delta.sync().status == "attention"
    assert read_delta(folder(delta) / "main" / "assets").sort_by("asset_id") == before
    check.unlink()
    assert delta.sync().status == "ok"
    assert read_delta(folder(delta) / "main" / "assets").sort_by("asset_id") != before


def test_without_its_extra_a_run_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['deltalake'] = None; from propsync.cli.start import program; program()"
    settings = {"HOME": str(tmp_path), "BASE_URL": "https://api.invalid/v1", "TOKEN": "x" * 9, "DELTA": "main"}
    environ = os.environ | {f"PROPSYNC_{name}": value for name, value in settings.items()}
    for command in ("sync", "doctor"):
        done = subprocess.run(
            [sys.executable, "-c", code, command], env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2, done.stderr
        assert "PROPSYNC_DELTA: deltalake is not installed. Run: pip install 'propsync[delta]'" in done.stderr


@pytest.mark.parametrize("name", ["a#b", "a%20b", "a\nb"])
def test_a_home_whose_delta_tables_could_not_be_read_again_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="and deltalake loses the tables of such a folder"):
        check_delta(Home(tmp_path / name).settings(delta="main"))
    check_delta(Home(tmp_path / name).settings())
    check_delta(Home(tmp_path / "100%, é [x] {y}").settings(delta="main"))


@pytest.mark.parametrize(
    ("number", "words", "said"),
    [
        (5, "Input/output error", f"cannot be written: Input/output error. {LOOK_AT_DISK}"),
        (30, "Read-only file system", f"cannot be written: Read-only file system. {GIVE_IT_BACK}"),
        (
            2,
            "No such file",
            "its Delta table cannot be written: Kernel error: No such file (os error 2). Run `propsync ",
        ),
    ],
)
def test_a_disk_that_deltalake_finds_failing_is_named_without_a_trace(
    tmp_path: Path, number: int, words: str, said: str
) -> None:
    trace = "\n   0: <unknown>\n  12: start_thread\n             at ./nptl/pthread_create.c:442:8"
    with pytest.raises(HomeUnusable) as failed, delta_errors(tmp_path):
        raise DeltaError(f"Kernel error: {words} (os error {number}){trace}")
    assert str(failed.value).startswith(f"{tmp_path}: {said}")
    assert "unknown" not in str(failed.value)


@pytest.mark.release
def test_ten_nights_travel_to_the_same_rows_as_the_macros(tmp_path: Path) -> None:
    start = datetime.now(UTC) - timedelta(days=NIGHTS + 1)
    with Sandbox(scale=20, seed=7) as sandbox:
        home = SandboxHome(sandbox, tmp_path / "home", delta="main,history")
        moments = []
        for night in range(NIGHTS):
            moments.append(start + timedelta(days=night))
            home.sync(now=moments[-1], delete_limit=1)
            sandbox.night()
    assert len(DeltaTable(folder(home) / "main" / "assets").history()) == NIGHTS
    for night, moment in enumerate(moments):
        asked = moment + timedelta(hours=12 * (night % 2))  # the moment of a run itself, or one between two runs
        for table in ("assets", "assessments", "schedules"):
            assert _travelled(home, table, asked) == _as_of(home, table, asked), (table, night)


def _travelled(home: SandboxHome, table: str, moment: datetime) -> list[dict[str, Any]]:
    rows = delta_rows(folder(home) / "main" / table, moment)
    return _comparable({name: value for name, value in row.items() if name not in _NEWER} for row in rows)


def _as_of(home: SandboxHome, table: str, moment: datetime) -> list[dict[str, Any]]:
    newest = DeltaTable(folder(home) / "main" / table).schema().fields
    names = [field.name for field in newest if field.name not in _NEWER]
    with duckdb.connect(home.published, read_only=True) as published:
        found = published.execute(f"select columns({names}) from {table}_as_of(?)", [moment])
        columns = [name for name, *_ in found.description or ()]
        assert sorted(columns) == sorted(names)
        return _comparable(dict(zip(columns, row, strict=True)) for row in found.fetchall())


_NEWER = ("first_seen_at", "changed_at")
"""What history knows as `valid_from`."""


def _comparable(rows: Any) -> list[dict[str, Any]]:
    def plain(value: Any) -> Any:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False) if isinstance(value, list) else str(value)

    return sorted(({name: plain(row[name]) for name in sorted(row)} for row in rows), key=str)


@pytest.mark.release
@pytest.mark.slow
@pytest.mark.parametrize("number", numbers(daily=2))
def test_a_sync_that_is_killed_leaves_tables_that_open_and_the_next_run_is_right(
    delta: SandboxHome, number: int
) -> None:
    delta.sandbox.night()
    command = [PROGRAM, "sync", "--no-archive"]
    length = seconds_at_work(started(delta, command), delta.path / "state" / "run.lock")
    for moment in spread(number, length):
        delta.sandbox.night()
        process = started(delta, command)
        wait_for_the_lock(process, delta.path / "state" / "run.lock")
        is_killed_after(moment, process)
        for table in ("assets", "assessments", "schedules"):
            assert read_delta(folder(delta) / "main" / table).num_rows > 0
        report = delta.sync()
        assert [line for line in report.notes if "delta" in line] == []
        for table in ("assets", "assessments", "schedules"):
            path = folder(delta) / "main" / table
            assert sorted(row["payload"] for row in delta_rows(path)) == sorted(
                delta.column(f"select payload from {table}")
            )
            named = {json.loads(info["propsync"])["file"] for info in DeltaTable(path).history()}
            assert {file.name for file in path.glob("*.parquet")} <= named
