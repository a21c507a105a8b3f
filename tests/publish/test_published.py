"""What is published is whole, read-only, and opens in the clients that people have."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest

from propsync.runbooks import nightly
from propsync.settings import Settings


def test_a_reader_neither_blocks_a_sync_nor_is_disturbed_by_one(settings: Settings, sandbox):
    nightly(settings)
    program = (
        "import duckdb, sys\n"
        "connection = duckdb.connect(sys.argv[1], read_only=True)\n"
        "count = lambda: connection.execute('select count(*), sum(length(payload)) from assets').fetchone()\n"
        "print(count(), flush=True)\n"
        "sys.stdin.readline()\n"
        "print(count(), flush=True)\n"
    )
    path = settings.published / "warehouse.duckdb"
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        before = reader.stdout.readline()
        sandbox.night()
        assert nightly(settings).status == "ok"
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == before
    with duckdb.connect(path, read_only=True) as fresh:
        assert fresh.execute("select count(*) from history.assets where change = 'update'").fetchall()[0][0] > 0


def test_another_user_can_read_but_not_write(settings: Settings, tmp_path: Path):
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    nightly(settings)
    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/") and not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    path = settings.published / "warehouse.duckdb"
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
        [sys.executable, "-c", program, str(path), str(settings.state)], capture_output=True, text=True, check=False
    )
    expected = ["150", "refused True", "kept out", "kept out", "state is private"]
    assert done.stdout.splitlines() == expected, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_unwritable_home_is_wrong_settings_for_another_user(settings: Settings):
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        Path(folder).chmod(0o755)
        done = _sync_as_nobody(settings, Path(folder) / "home")
    assert done.returncode == 2, done.stderr
    assert "PROPSYNC_HOME" in done.stderr
    assert "Traceback" not in done.stderr


def _sync_as_nobody(settings: Settings, home: Path) -> subprocess.CompletedProcess[str]:
    program = (
        "import os, sys, decimal, encodings.idna\n"
        "import propsync.runbooks, propsync.cli.report\n"  # the interpreter's own files may be private to root
        "from propsync.cli.main import run\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "sys.argv = ['propsync', 'sync']\n"
        "run()\n"
    )
    access = settings.require_api()
    environ = os.environ | {
        "PROPSYNC_HOME": str(home),
        "PROPSYNC_BASE_URL": access.base_url,
        "PROPSYNC_TOKEN": access.token.get_secret_value(),
    }
    return subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=False)


def test_the_note_tells_the_hash_of_every_file(settings: Settings):
    report = nightly(settings)
    note = json.loads((settings.published / "_published.json").read_text())
    assert note["run"] == report.run_id
    files = {
        str(path.relative_to(settings.published))
        for path in settings.published.rglob("*")
        if path.is_file() and path.name != "_published.json"
    }
    assert set(note["files"]) == files
    for name, sha256 in note["files"].items():
        assert hashlib.sha256((settings.published / name).read_bytes()).hexdigest() == sha256, name


def test_files_are_read_only_and_state_is_private(settings: Settings):
    nightly(settings)
    for path in settings.published.rglob("*"):
        if path.is_file():
            assert path.stat().st_mode & 0o777 == 0o444, path
        else:
            assert path.stat().st_mode & 0o777 == 0o755, path
    for folder in (settings.state, settings.landing, settings.home / "archive"):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert settings.home.stat().st_mode & 0o777 == 0o711


def test_documents_that_an_older_release_kept_openly_become_private(settings: Settings):
    archive = settings.home / "archive"
    archive.mkdir(parents=True, mode=0o755)
    archive.chmod(0o755)
    nightly(settings)
    assert archive.stat().st_mode & 0o777 == 0o700


def test_a_quiet_night_writes_no_data_file_anew(settings: Settings):
    nightly(settings)
    parquet = settings.published / "parquet"
    before = {path: path.stat().st_ino for path in parquet.rglob("*.parquet") if path.parent.name != "ops"}
    warehouse = (settings.published / "warehouse.duckdb").stat().st_ino
    assert nightly(settings).status == "ok"
    after = {path: path.stat().st_ino for path in parquet.rglob("*.parquet") if path.parent.name != "ops"}
    assert before == after
    assert len(before) > 20
    assert (settings.published / "warehouse.duckdb").stat().st_ino != warehouse, "its ops rows are news"


def test_every_parquet_file_has_its_tables_rows(settings: Settings):
    nightly(settings)
    with duckdb.connect(settings.published / "warehouse.duckdb", read_only=True) as published:
        tables = published.execute("select schema_name, table_name from duckdb_tables() where not internal").fetchall()
        for schema, table in tables:
            path = settings.published / "parquet" / schema / f"{table}.parquet"
            counts = published.execute(
                f'select (select count(*) from "{schema}"."{table}"), (select count(*) from \'{path}\')'
            ).fetchall()[0]
            assert counts[0] == counts[1], table
    found = {str(path.relative_to(settings.published / "parquet")) for path in settings.published.rglob("*.parquet")}
    assert found == {f"{schema}/{table}.parquet" for schema, table in tables}
