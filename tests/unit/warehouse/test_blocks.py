"""A block that the disk has damaged is found, and no other: DuckDB writes a checksum into each."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest

from propsync.errors import QueryWrong, StateUnusable
from propsync.warehouse import is_short, refuse_damaged, refuse_unreadable
from propsync.warehouse.blocks import has_checksums
from propsync.warehouse.database_errors import our_errors
from propsync.warehouse.query_errors import explained


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A file with blocks in use, and with free ones."""
    path = tmp_path / "some.duckdb"
    with duckdb.connect(path) as connection:
        for name in ("dropped", "kept"):
            connection.execute(f"create table {name} as select range::varchar || 'x' as word from range(200_000)")
            connection.execute("checkpoint")
        connection.execute("drop table dropped")
        connection.execute("checkpoint")
    return path


def used_blocks(path: Path) -> list[int]:
    """The numbers of the blocks that hold rows."""
    with duckdb.connect(path, read_only=True) as connection:
        rows = connection.execute(
            "select distinct block_id from pragma_storage_info('kept') where persistent"
        ).fetchall()
    return sorted(number for (number,) in rows if number >= 0)


def damage(path: Path, block: int) -> None:
    body = bytearray(path.read_bytes())
    body[12_288 + 262_144 * block + 5_000] ^= 0x10
    path.write_bytes(body)


def refuse(path: Path) -> None:
    refuse_damaged(path, Path("state/warehouse.duckdb"), memory_limit="500MB", folder=path.parent)


def test_a_sound_file_has_every_checksum(database: Path) -> None:
    assert has_checksums(database)
    refuse(database)


def test_a_damaged_block_of_a_table_is_refused_in_the_name_of_the_state(database: Path) -> None:
    damage(database, used_blocks(database)[-1])
    assert not has_checksums(database)
    with pytest.raises(StateUnusable, match=r"^state/warehouse\.duckdb: "):
        refuse(database)


def test_a_cut_file_is_refused_also_if_only_zeros_of_its_last_block_are_left(database: Path) -> None:
    os.truncate(database, 12_288 + 262_144 * used_blocks(database)[-1] + 8)
    with database.open("r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write((5381).to_bytes(8, "little"))  # the checksum of a block of zeros
    assert not has_checksums(database)
    with pytest.raises(StateUnusable, match=r"^state/warehouse\.duckdb: "):
        refuse(database)


def test_a_file_that_was_cut_between_blocks_is_short(database: Path) -> None:
    """Each block that is left has its checksum; so only the number of blocks in the header tells."""
    with duckdb.connect(database) as connection:
        connection.execute("create table last as select 1")
    assert not is_short(database)
    os.truncate(database, 12_288 + 262_144 * used_blocks(database)[-1])
    assert (has_checksums(database), is_short(database)) == (True, True)
    with pytest.raises(StateUnusable, match=r"^state/warehouse\.duckdb: "):
        refuse_unreadable(database, Path("state/warehouse.duckdb"), memory_limit="500MB", folder=database.parent)


def test_a_damaged_free_block_harms_nobody(database: Path) -> None:
    whole, used = database.read_bytes(), used_blocks(database)
    are_refused = []
    for block in {*range(len(whole) // 262_144)} - {*used}:
        database.write_bytes(whole)
        damage(database, block)
        try:
            refuse(database)
        except StateUnusable:  # it has metadata
            are_refused.append(block)
        assert not has_checksums(database)
    assert 0 < len(are_refused) < len(whole) // 262_144 - len(used)


def test_a_block_of_another_moment_is_damage_and_no_fault_of_propsync(tmp_path: Path) -> None:
    """A copy that somebody made while a run wrote may have one; its checksum is right."""
    path = tmp_path / "copied.duckdb"
    with duckdb.connect(path, config={"storage_compatibility_version": "v1.2.0"}) as connection:
        connection.execute("create table kept as select i, 'word ' || i % 50 as word from range(20_000) r(i)")
        connection.execute("create table other as select i, md5(i::varchar) as word from range(20_000) r(i)")
    whole, first = path.read_bytes(), used_blocks(path)[0]
    block = 12_288 + 262_144 * first
    later = block + 262_144
    path.write_bytes(whole[:block] + whole[later : later + 262_144] + whole[later:])
    assert has_checksums(path)
    with duckdb.connect(path, read_only=True) as connection:
        with pytest.raises(StateUnusable, match=r"orrupted.*Run `propsync rebuild`$"), our_errors(path):
            connection.execute("from kept").fetchall()
        with pytest.raises(QueryWrong, match="`propsync sync` writes it again"), explained():
            connection.execute("from kept").fetchall()
