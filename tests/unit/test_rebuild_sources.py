"""A rebuild asks a database nothing that damage lets it answer with "nothing"."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pytest
from kit.home import Home

from propsync.errors import MergeFailed
from propsync.runbooks.rebuilding.sources import readable_databases, whole_catalogue
from propsync.warehouse import OldFile, Warehouse

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


def test_a_lack_of_memory_is_no_answer_of_an_old_file(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    with Warehouse(path, memory_limit="300MB", folder=tmp_path) as warehouse:
        warehouse.execute("create table numbers as select hash(i) as n from range(1_000_000) as numbers (i)")
    with OldFile(path, memory_limit="2MB", folder=tmp_path) as old, pytest.raises(MergeFailed, match="Out of Memory"):
        old.value("select n from numbers order by n")
