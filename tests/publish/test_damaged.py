"""A published file that the disk or somebody altered is noticed by the next run, and written again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from kit.sandbox_home import SandboxHome
from publish.conftest import SCALE
from variants import daily

from propsync.errors import PropsyncError, StateUnusable
from propsync.runbooks.doctor.examine import examine

FILES = (
    "warehouse.duckdb",
    "parquet/main/assets.parquet",
    "parquet/history/schedules.parquet",
    "flat/main/schedules.parquet",
)


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


def written(home: SandboxHome) -> dict[str, tuple[int, int]]:
    """Inode and time of each file that a quiet night leaves alone; the number of a removed file may come again."""
    found = home.published.parent.rglob("*.parquet")
    stats = {
        str(path.relative_to(home.published.parent)): path.stat()
        for path in found
        if path.stem not in ("trust", "hint_coverage") and path.parent.name != "ops"
    }
    return {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in stats.items()}


def bad(home: SandboxHome) -> list[tuple[str, str]]:
    """The findings of the doctor that are not well, each with its next step."""
    return [(one.what, one.next_step) for one in examine(home.settings()) if not one.is_well]


@pytest.mark.slow
def test_the_doctor_names_a_published_file_with_a_damaged_block(home: SandboxHome) -> None:
    assert bad(home) == []
    flip(home.published)
    assert bad(home) == [("published", "Run `propsync sync`: it writes the file again")]


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("harm", [flip, cut, Path.unlink], ids=["one bit", "cut", "removed"])
def test_a_damaged_file_is_noticed_and_written_again(home: SandboxHome, harm: Callable[[Path], None]) -> None:
    before = written(home)
    paths = [home.published.parent / name for name in FILES]
    for path in paths:
        harm(path)
    report = home.sync()
    assert report.status == "ok"
    noted = [line for line in report.notes if "propsync writes it again" in line]
    assert [path for path in paths if not any(str(path) in line for line in noted)] == []
    assert len(report.notes) == len(FILES)
    for file, sha256 in home.note()["files"].items():
        assert hashlib.sha256((home.published.parent / file).read_bytes()).hexdigest() == sha256, file
    changed = {file for file, at in written(home).items() if at != before[file]}
    assert changed == {*FILES} - {"warehouse.duckdb"}
    assert home.sync().notes == []


@pytest.mark.slow
def test_a_damaged_block_that_no_night_reads_is_not_published(home: SandboxHome) -> None:
    before, note = home.published.read_bytes(), home.note()
    found = home.in_state(
        "select table_name from duckdb_tables() where schema_name = 'by_type' and estimated_size > 0 order by all"
    )
    in_block = home.in_state(f"select max(block_id) from pragma_storage_info('by_type.{found[0][0]}') where persistent")
    body = bytearray(home.state.read_bytes())
    body[12_288 + 262_144 * in_block[0][0] + 100] ^= 1
    home.state.write_bytes(body)
    assert bad(home) == [("state", "Run `propsync rebuild`")]
    with pytest.raises(StateUnusable, match=r"state/warehouse\.duckdb: .*Run `propsync rebuild`"):
        home.sync()
    assert (home.published.read_bytes(), home.note()) == (before, note)
    assert home.rebuild().exit_code == 0
    assert home.sync().exit_code == 0


@pytest.mark.release
def test_a_rebuild_tells_it_too(home: SandboxHome) -> None:
    flip(home.published)
    assert len(home.rebuild().notes) == 1


@pytest.mark.release
def test_what_a_killed_run_put_in_place_is_no_damage(home: SandboxHome) -> None:
    written = home.published.parent / "_published.json"
    before = written.read_bytes()
    home.sandbox.night()
    home.sync()
    written.chmod(0o644)
    written.write_bytes(before)  # so it is where a run is killed before it writes the note
    assert home.sync().notes == []


@pytest.mark.release
def test_a_run_that_publishes_twice_leaves_the_same_in_parquet_and_warehouse(home: SandboxHome) -> None:
    first = home.note()["run"]
    home.sandbox.night()
    home.sync()
    written = home.published.parent / "_published.json"
    told = json.loads(written.read_text()) | {"run": first}  # so what changed since was never published
    written.chmod(0o644)
    written.write_text(json.dumps(told))
    run = home.sync().run_id
    query = f"select status, ended_at is null from {{}} where run_id = '{run}'"
    with duckdb.connect(home.published, read_only=True) as published:
        tables = published.execute(query.format("ops.runs")).fetchall()
        parquet = home.published.parent / "parquet/ops/runs.parquet"
        assert published.execute(query.format(f"'{parquet}'")).fetchall() == tables


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize(
    "body", daily([b"", b"{", b"\xff\xfe", b"[]", b'{"files": 1}', b'{"files": {}, "tables": {}}'], 3)
)
def test_a_damaged_note_has_everything_written_again(home: SandboxHome, body: bytes) -> None:
    told = home.published.parent / "_published.json"
    before = written(home)
    told.chmod(0o644)
    told.write_bytes(body)
    flip(home.published.parent / FILES[1])
    assert home.sync().status == "ok", body
    assert set(before.items()) & set(written(home).items()) == set(), body
    with duckdb.connect() as connection:
        assert connection.execute(f"select count(*) from '{home.published.parent / FILES[1]}'").fetchall() == [(SCALE,)]


def test_a_note_that_is_a_folder_is_named_and_no_fault_of_propsync(home: SandboxHome) -> None:
    told = home.published.parent / "_published.json"
    told.unlink()
    told.mkdir()
    with pytest.raises(PropsyncError, match=r"_published\.json") as refused:
        home.sync()
    assert "fault in propsync" not in str(refused.value)
    told.rmdir()
    assert home.sync().status == "ok"
