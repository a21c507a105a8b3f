"""The published files are whole and read-only, and readers and syncs do not disturb each other."""

from __future__ import annotations

import hashlib
import os
import pwd
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from shutil import copytree

import duckdb
import pytest
from kit.sandbox_home import SandboxHome
from publish.conftest import SCALE

import propsync
from propsync.runbooks.workplace import make_home
from propsync.settings import load_settings


@pytest.mark.release
def test_a_reader_neither_blocks_a_sync_nor_is_disturbed_by_one(home: SandboxHome) -> None:
    program = (
        "import duckdb, sys\n"
        "connection = duckdb.connect(sys.argv[1], read_only=True)\n"
        "count = lambda: connection.execute('select count(*), sum(length(payload)) from assets').fetchone()\n"
        "print(count(), flush=True)\n"
        "sys.stdin.readline()\n"
        "print(count(), flush=True)\n"
    )
    path = home.published
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        before = reader.stdout.readline()
        home.sandbox.night()
        assert home.sync().status == "ok"
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == before
    with duckdb.connect(path, read_only=True) as fresh:
        assert fresh.execute("select count(*) from history.assets where change = 'update'").fetchall()[0][0] > 0


def test_a_handle_opened_later_shows_the_later_night(home: SandboxHome) -> None:
    """DuckDB opens a path once in a process, and a notebook opens a handle before it lets the earlier one go."""
    home.sync()
    runs = "select max(run_id) from ops.runs"
    with propsync.open(home.published) as earlier:
        before = earlier.rows(runs)
        home.sync()
        with propsync.open(home.published) as later:
            assert later.rows(runs) > before
            assert later.sql(runs).fetchall() == later.rows(runs)[1]
        assert earlier.rows(runs) == before


@pytest.mark.slow
def test_another_user_can_read_but_not_write(home: SandboxHome, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/") and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    path = home.published
    program = (
        "import os, sys, duckdb\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "connection = duckdb.connect(sys.argv[1], read_only=True)\n"
        "print(connection.execute('select count(*) from assets').fetchone()[0])\n"
        "connection.close()\n"
        "try:\n"
        "    duckdb.connect(sys.argv[1])\n"
        "except duckdb.IOException as error:\n"
        "    print('refused', 'ermission denied' in str(error))\n"
        "for name in (os.path.dirname(sys.argv[1]) + '/new', sys.argv[2] + '/new'):\n"
        "    try:\n"
        "        open(name, 'w')\n"
        "    except PermissionError:\n"
        "        print('kept out')\n"
        "try:\n"
        "    os.listdir(sys.argv[2])\n"
        "except PermissionError:\n"
        "    print('state is private')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path), str(home.path / "state")],
        capture_output=True,
        text=True,
        check=False,
    )
    expected = [str(SCALE), "refused True", "kept out", "kept out", "state is private"]
    assert done.stdout.splitlines() == expected, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_unwritable_home_is_wrong_settings_for_another_user(home: SandboxHome) -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        Path(folder).chmod(0o755)
        done = _as_nobody(["sync"], home, Path(folder) / "home")
    assert done.returncode == 2, done.stderr
    assert "PROPSYNC_HOME" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("words", [["sync"], ["backfill", "--property", "P"]])
def test_a_home_of_another_user_is_named_with_that_user(home: SandboxHome, words: list[str]) -> None:
    """A second home would not help an operator who forgot to become the service's user."""
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        Path(folder).chmod(0o711)
        for name in ("state", "landing"):
            (Path(folder) / name).mkdir(mode=0o700)
        done = _as_nobody(words, home, Path(folder))
    assert done.returncode == 2, done.stderr
    assert "Run the command as the user root, whose home this is, or set PROPSYNC_HOME" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_of_another_user_in_ones_own_home_is_to_be_given_back(home: SandboxHome) -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        at = Path(folder)
        os.chown(at, 65534, 65534)
        (at / "published").mkdir(mode=0o755)
        done = _as_nobody(["sync"], home, at)
    assert done.returncode == 2, done.stderr
    assert f"{at}/published cannot be written. Give it to the user who runs propsync" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("mode", [0o711, 0o700])
def test_a_folder_that_is_no_home_yet_belongs_to_nobody(home: SandboxHome, mode: int) -> None:
    """An operator who made it with sudo should not run propsync as root. Below a closed folder nobody can tell."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        (Path(folder) / "of_root").mkdir(mode=mode)
        (Path(folder) / "propsync.toml").touch()
        at = Path(folder) / "of_root" / "home"
        at.mkdir()
        done = _as_nobody(["--config", f"{folder}/propsync.toml", "sync"], home, at)
    assert done.returncode == 2, done.stderr
    assert "Set PROPSYNC_HOME to a folder that you can write to" in done.stderr
    assert "root, whose" not in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_status_says_to_another_user_that_nothing_is_published(home: SandboxHome) -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        Path(folder).chmod(0o755)
        for name in ("state", "landing"):
            (Path(folder) / name).mkdir(mode=0o700)
        done = _as_nobody(["status"], home, Path(folder))
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("Next: propsync sync\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_colleague_who_reads_published_alone_can_plan_and_see_past_plans(home: SandboxHome) -> None:
    select = "select null::varchar as asset_id, property_id, asset_type from assets limit 1"
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        at = Path(folder)
        at.chmod(0o755)
        copytree(home.published.parent, at / "published")
        for name, mode in (("state", 0o700), ("landing", 0o700), ("own", 0o777)):
            (at / name).mkdir()
            (at / name).chmod(mode)
        out = str(at / "own" / "new.plan")
        planned = _as_nobody(["push", "plan", "assets", "--sql", select, "--out", out], home, at)
        past = _as_nobody(["push", "history"], home, at)
    assert (planned.returncode, past.returncode) == (0, 0), planned.stderr + past.stderr
    assert "Assets: 1 to create" in planned.stdout


def _as_nobody(words: Sequence[str], synced: SandboxHome, home: Path) -> subprocess.CompletedProcess[str]:
    program = (
        "import os, sys, decimal, encodings.idna, encodings.utf_8_sig\n"
        # the interpreter's own files may be private to root
        "import propsync.runbooks.push.plans, propsync.runbooks.push.undo\n"
        "import propsync.cli.report, propsync.cli.status.command, propsync.cli.push.history, propsync.cli.push.plan\n"
        "from propsync.cli.main import run\n"
        "os.setgid(65534); os.setuid(65534)\n"
        f"sys.argv = {['propsync', *words]!r}\n"
        "run()\n"
    )
    environ = os.environ | synced.environ(home=home)
    return subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=False)


def test_the_note_tells_the_hash_of_every_file(home: SandboxHome) -> None:
    note = home.note()
    assert [(note["run"],)] == home.rows("select run_id from ops.runs")
    files = {
        str(path.relative_to(home.published.parent))
        for path in home.published.parent.rglob("*")
        if path.is_file() and path.name != "_published.json"
    }
    assert set(note["files"]) == files
    for name, sha256 in note["files"].items():
        assert hashlib.sha256((home.published.parent / name).read_bytes()).hexdigest() == sha256, name


def test_files_are_read_only_and_state_is_private(home: SandboxHome) -> None:
    for path in home.published.parent.rglob("*"):
        if path.is_file():
            assert path.stat().st_mode & 0o777 == 0o444, path
        else:
            assert path.stat().st_mode & 0o777 == 0o755, path
    for folder in (home.path / name for name in ("state", "landing", "archive")):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert home.path.stat().st_mode & 0o777 == 0o711


@pytest.mark.parametrize(
    ("before", "after"), [(0o755, 0o755), (0o700, 0o711), (0o777, 0o755), (0o1777, 0o1777), (0o711, 0o711)]
)
def test_a_folder_that_others_use_stays_as_readable_as_it_was(tmp_path: Path, before: int, after: int) -> None:
    """Somebody may name a folder that others use, such as /srv: a run must not lock them out."""
    (tmp_path / "theirs").mkdir()
    tmp_path.chmod(before)
    make_home(load_settings(environ={"PROPSYNC_HOME": str(tmp_path)}))
    assert stat.S_IMODE(tmp_path.stat().st_mode) == after
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_a_user_without_a_name_can_run_it(home: SandboxHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container may run as any number, of which /etc/passwd knows nothing."""

    def unknown(number: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    (home.path / "state").chmod(0o755)
    make_home(home.settings())
    assert (home.path / "state").stat().st_mode & 0o777 == 0o700


def test_documents_that_an_older_release_kept_openly_become_private(home: SandboxHome) -> None:
    archive = home.path / "archive"
    archive.chmod(0o755)
    assert home.sync().status == "ok"
    assert archive.stat().st_mode & 0o777 == 0o700


def written(home: SandboxHome, folder: str = "") -> dict[Path, int]:
    """Each file of a table that is no news in every run, and the number of its content on the disk."""
    return {
        path: path.stat().st_ino
        for path in (home.published.parent / folder).rglob("*.parquet")
        if path.stem not in ("trust", "hint_coverage") and path.parent.name != "ops"
    }


def test_a_quiet_night_writes_no_data_file_anew(home: SandboxHome) -> None:
    before = written(home)
    warehouse = (home.published).stat().st_ino
    assert home.sync().status == "ok"
    assert before == written(home)
    assert len(before) > 50
    assert (home.published).stat().st_ino != warehouse, "its ops rows are news"


def test_no_file_keeps_what_only_the_present_time_says(home: SandboxHome) -> None:
    """An alarm on the hours since the last read would never fire."""
    view = dict.fromkeys(name for name, *_ in home.rows("describe marts.trust"))
    assert "hours_since" in view
    for folder in ("parquet", "flat"):
        path = home.published.parent / folder / "marts/trust.parquet"
        found = [name for name, *_ in home.rows(f"describe from '{path}'")]
        assert found == [name for name in view if name != "hours_since"], folder


def test_every_parquet_file_has_its_tables_rows(home: SandboxHome) -> None:
    with duckdb.connect(home.published, read_only=True) as published:
        tables = published.execute(
            "select schema_name, table_name from duckdb_tables() where not internal union all "
            "select schema_name, view_name from duckdb_views() where not internal and schema_name <> 'history'"
        ).fetchall()
        for schema, table in tables:
            path = home.published.parent / "parquet" / schema / f"{table}.parquet"
            counts = published.execute(
                f'select (select count(*) from "{schema}"."{table}"), (select count(*) from \'{path}\')'
            ).fetchall()[0]
            assert counts[0] == counts[1], table
    parquet = home.published.parent / "parquet"
    found = {str(path.relative_to(parquet)) for path in parquet.rglob("*.parquet")}
    assert found == {f"{schema}/{table}.parquet" for schema, table in tables}


def test_flat_files_follow_their_tables_and_the_time_zone(home: SandboxHome) -> None:
    flat, whole = written(home, "flat"), written(home, "parquet/main")
    moments = f"select distinct first_seen_at from '{home.published.parent}/flat/main/assets.parquet'"
    (utc,) = home.rows("select distinct first_seen_at at time zone 'UTC' from assets")[0]
    assert home.sync(time_zone="Pacific/Kiritimati").status == "ok"
    assert home.rows(moments) == [(utc + timedelta(hours=14),)]
    zoned = {path.name for path, number in written(home, "flat").items() if flat[path] != number}
    assert "assets.parquet" in zoned
    assert "asset_field_values.parquet" not in zoned, "it has no moment"
    assert written(home, "parquet/main") == whole


def test_a_file_that_no_table_has_is_removed(home: SandboxHome) -> None:
    strays = [home.published.parent / name / "main" / "stray.parquet" for name in ("parquet", "flat")]
    for stray in strays:
        stray.touch()
    assert home.sync().status == "ok"
    assert [stray for stray in strays if stray.exists()] == []
