"""A rebuild asks a database nothing that damage lets it answer with "nothing"."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kit.home import Home

from propsync.errors import HomeUnusable, MergeFailed
from propsync.runbooks.rebuilding.sources import find_source, readable_databases, whole_catalogue
from propsync.warehouse import OldFile, Warehouse, rows

RUN = "20260302T023000000000-nightly"
ROWS = {
    "ops.settings": "insert into ops.settings (setting, value) values ('hidden', 'hidden.duckdb abc')",
    "ops.resources": "insert into ops.resources values ('rooms', '/rooms', null, 'room_id', true, null)",
    "ops.erasures": "insert into ops.erasures (erasure_id, kind, is_forgotten) values ('e1', 'record', false)",
}


def _databases(home: Home, damaged: str | None = None) -> Mapping[str, Path]:
    state = home.path / "state" / "warehouse.duckdb"
    state.parent.mkdir(parents=True)
    with Warehouse(state, memory_limit="300MB", folder=state.parent) as warehouse:
        warehouse.execute("insert into ops.runs (run_id) values (?)", [RUN])
        for rows in ROWS.values():
            warehouse.execute(rows)
    if damaged:
        _damage(state, damaged)
    return readable_databases(home.settings(), home.path)


def _damage(path: Path, table: str) -> None:
    """Flips a bit in each block of a table."""
    with duckdb.connect(path, read_only=True) as connection:
        blocks = "select distinct block_id from pragma_storage_info(?) where persistent and block_id >= 0"
        numbers = [number for (number,) in connection.execute(blocks, [table]).fetchall()]
    body = bytearray(path.read_bytes())
    for number in numbers:
        body[12_288 + 262_144 * number + 5_000] ^= 0x10
    path.write_bytes(body)
    assert numbers


def test_a_sound_database_is_a_source(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    databases = _databases(home)
    assert [*databases] == ["state"]
    assert "rooms" in whole_catalogue(home.settings(), tmp_path, None, {**databases})


@pytest.mark.parametrize("table", ROWS)
def test_a_database_that_cannot_say_what_it_hides_has_or_erased_is_left_out(tmp_path: Path, table: str) -> None:
    assert _databases(Home(tmp_path / "home"), damaged=table) == {}


def test_no_rebuild_goes_without_a_database_because_the_disk_fails_unless_the_other_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It replaces both, and only they have the rows of documents and writes."""
    home, plainly = Home(tmp_path / "home"), duckdb.connect
    settings, (state,) = home.settings(), _databases(home).values()
    published = home.path / "published" / "warehouse.duckdb"
    shutil.copytree(state.parent, published.parent)
    failing = [published]

    def connect(path: Path, **options: Any) -> duckdb.DuckDBPyConnection:
        if path in failing:
            raise duckdb.IOException(f'IO Error: Could not read from file "{path}": Input/output error')
        return plainly(path, **options)

    monkeypatch.setattr(rows.duckdb, "connect", connect)
    assert [*readable_databases(settings, tmp_path)] == ["state"]
    failing.append(state)
    step = r"Input/output error.*dmesg.*If it says so again, restore that file from a backup, or move it away"
    with pytest.raises(HomeUnusable, match=step):
        readable_databases(settings, tmp_path)
    with pytest.raises(HomeUnusable, match=step):
        find_source(settings, tmp_path, None, {"published": published})


def test_a_lack_of_memory_is_no_answer_of_an_old_file(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with Warehouse(path, memory_limit="300MB", folder=tmp_path) as warehouse:
        warehouse.execute("create table numbers as select hash(i) as n from range(1_000_000) as numbers (i)")
    with OldFile(path, memory_limit="2MB", folder=tmp_path) as old, pytest.raises(MergeFailed, match="Out of Memory"):
        old.value("select n from numbers order by n")
