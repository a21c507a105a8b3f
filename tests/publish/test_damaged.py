"""A published file that the disk or somebody altered is noticed by the next run, and written again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from propsync.runbooks import nightly, rebuild
from propsync.settings import Settings
from propsync_sandbox import Sandbox

FILES = ("warehouse.duckdb", "parquet/main/assets.parquet", "parquet/history/schedules.parquet")


def flip(path: Path) -> None:
    """Alters one bit in the middle; size and time stay."""
    before = path.stat()
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(body)
    path.chmod(0o444)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def cut(path: Path) -> None:
    path.chmod(0o644)
    os.truncate(path, path.stat().st_size // 2)


def note(settings: Settings) -> dict[str, dict[str, str]]:
    told: dict[str, dict[str, str]] = json.loads((settings.published / "_published.json").read_text())
    return told


def written(settings: Settings) -> dict[str, tuple[int, int]]:
    """Inode and time of each file that a quiet night leaves alone; the number of a removed file may come again."""
    found = (settings.published / "parquet").rglob("*.parquet")
    stats = {str(path.relative_to(settings.published)): path.stat() for path in found if path.parent.name != "ops"}
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in stats.items()}


@pytest.mark.parametrize("harm", [flip, cut, Path.unlink], ids=["one bit", "cut", "removed"])
def test_a_damaged_file_is_noticed_and_written_again(settings: Settings, harm: Callable[[Path], None]) -> None:
    nightly(settings)
    for name in FILES:
        before, path = written(settings), settings.published / name
        harm(path)
        report = nightly(settings)
        assert report.status == "ok", name
        assert [line for line in report.notes if str(path) in line and "written again" in line]
        assert len(report.notes) == 1
        for file, sha256 in note(settings)["files"].items():
            assert hashlib.sha256((settings.published / file).read_bytes()).hexdigest() == sha256, file
        changed = {file for file, at in written(settings).items() if at != before[file]}
        assert changed == {name} - {"warehouse.duckdb"}
        assert nightly(settings).notes == [], name


def test_a_rebuild_tells_it_too(settings: Settings) -> None:
    nightly(settings)
    flip(settings.published / "warehouse.duckdb")
    assert len(rebuild(settings).notes) == 1


def test_what_a_killed_run_put_in_place_is_no_damage(settings: Settings, sandbox: Sandbox) -> None:
    nightly(settings)
    written = settings.published / "_published.json"
    before = written.read_bytes()
    sandbox.night()
    nightly(settings)
    written.chmod(0o644)
    written.write_bytes(before)  # so it is where a run is killed before it writes the note
    assert nightly(settings).notes == []


def test_a_run_that_publishes_twice_leaves_the_same_in_parquet_and_warehouse(
    settings: Settings, sandbox: Sandbox
) -> None:
    first = nightly(settings).run_id
    sandbox.night()
    nightly(settings)
    written = settings.published / "_published.json"
    told = json.loads(written.read_text()) | {"run": first}  # so what changed since was never published
    written.chmod(0o644)
    written.write_text(json.dumps(told))
    run = nightly(settings).run_id
    query = f"select status, ended_at is null from {{}} where run_id = '{run}'"
    with duckdb.connect(settings.published / "warehouse.duckdb", read_only=True) as published:
        tables = published.execute(query.format("ops.runs")).fetchall()
        parquet = settings.published / "parquet/ops/runs.parquet"
        assert published.execute(query.format(f"'{parquet}'")).fetchall() == tables


def test_a_damaged_note_has_everything_written_again(settings: Settings) -> None:
    nightly(settings)
    told = settings.published / "_published.json"
    for body in (b"", b"{", b"\xff\xfe", b"[]", b'{"files": {}, "tables": {}}', b'{"files": 1}'):
        before = written(settings)
        told.chmod(0o644)
        told.write_bytes(body)
        flip(settings.published / FILES[1])
        assert nightly(settings).status == "ok", body
        assert set(before.items()) & set(written(settings).items()) == set(), body
        with duckdb.connect() as connection:
            assert connection.execute(f"select count(*) from '{settings.published / FILES[1]}'").fetchall() == [(150,)]
