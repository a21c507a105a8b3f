"""Every check objects to what breaks its rule; what is published then stays, night after night, until it is mended."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from contract.conftest import Home
from contract.dialects import Dialect
from contract.server import TOKEN, ApiServer
from contract.world import World, small_world
from variants import some

from propsync.errors import CheckFailed
from propsync.warehouse import TABLES, Warehouse, quoted, run_checks
from propsync.warehouse.checks import check_files

LATER, RUN = "99990101T000000000000Z", "20260101T000000000000Z"
_ONE = "{table} where {key} = (select max({key}) from {table})"


def _of(table: str, key: str) -> str:
    return _ONE.format(table=table, key=key)


# what breaks a rule in the state database, as a fault of ours or another program would
BREAKS = {
    f"{name}_history_is_seamless": f"update history.{name} set valid_to = valid_from + interval 1 second where {key} = "
    f"(select max({key}) from history.{name})"
    for name, key in (("assets", "asset_id"), ("assessments", "assessment_id"), ("schedules", "property_id"))
} | {
    "assets_match_history": f"delete from {_of('main.assets', 'asset_id')}",
    "assessments_match_history": f"delete from {_of('main.assessments', 'assessment_id')}",
    "schedules_match_history": f"delete from {_of('main.schedules', 'property_id')}",
    "values_belong_to_assets": "update main.asset_field_values set property_id = 'elsewhere' where asset_id = "
    "(select max(asset_id) from main.asset_field_values)",
}


def _type_of_nowhere(world: World) -> None:
    world.odd["assets"] = [{"id": "lost", "property": "p", "type": "nowhere", "fields": []}]


def _no_options(world: World) -> None:
    defined = [{"id": "o", "type": "option", "label": "Grade"}]
    world.odd["asset_types"] = [{"id": "t", "name": "Gates", "nameSingular": "Gate", "fields": defined}]


# what the API may send, which is worth a word and no more
WARNS: dict[str, Callable[[World], None]] = {
    "assets_have_listed_types": _type_of_nowhere,
    "option_fields_have_options": _no_options,
}
FILES = dict(check_files())
KEYED = [table for table in TABLES.values() if table.key]


def test_every_check_has_a_case_here() -> None:
    severe = {name for name, sql in FILES.items() if "-- severity: fail" in sql}
    assert severe == set(BREAKS)
    assert set(FILES) - severe == set(WARNS)


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after one night; it is copied, never written."""
    path = tmp_path_factory.mktemp("checked") / "home"
    with ApiServer(Dialect(_world())) as server:
        assert Home(path, server).sync().exit_code == 0
    return path


def _world() -> World:
    return small_world(assets=24, assessments=9, schedules=6)


@pytest.fixture
def night(synced: Path, tmp_path: Path) -> Iterator[Home]:
    """A copy of that home before a night on which one record of each resource changed: the smallest of each."""
    shutil.copytree(synced, tmp_path / "home")
    world = _world()
    changed: list[Any] = [
        min(world.assets, key=lambda one: one.id),
        min(world.assessments, key=lambda one: one.id),
        min(world.schedules, key=lambda one: one.property),
    ]
    for one in changed:
        one.extra["note"] = "changed"
    with ApiServer(Dialect(world)) as server:
        yield Home(tmp_path / "home", server)


def _in_state(home: Home, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(home.path / "state" / "warehouse.duckdb") as connection:
        return connection.execute(sql).fetchall()


def _published(home: Home) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (home.path / "published").glob("*.*")}


@pytest.mark.parametrize("name", some(BREAKS, 3))
def test_what_breaks_a_rule_is_not_published_tonight_nor_tomorrow(night: Home, name: str) -> None:
    """What each check objects to is in tests/sql/checks/."""
    before = _published(night)
    _in_state(night, BREAKS[name])
    for _ in range(2):
        with pytest.raises(CheckFailed, match=f"check {name}: .*rows break it, such as"):
            night.sync()
        assert _published(night) == before
    told = f"select severity, offending > 0 from ops.checks where check_name = '{name}'"
    assert _in_state(night, told) == [("fail", True)]
    runs = _in_state(night, "select status, error from ops.runs order by run_id desc limit 2")
    assert [status for status, _ in runs] == ["failed"] * 2
    assert all(f"check {name}" in error for _, error in runs)


def test_a_failed_check_ends_the_command_with_1_and_says_what_to_do(night: Home) -> None:
    _in_state(night, BREAKS["values_belong_to_assets"])
    given = {"BASE_URL": night.server.url, "TOKEN": TOKEN, "HOME": str(night.path), "ARCHIVE_KINDS": ""}
    environ = {f"PROPSYNC_{name}": value for name, value in given.items()}
    propsync = Path(sys.executable).with_name("propsync")
    ended = subprocess.run([propsync, "sync"], env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 1
    assert "check values_belong_to_assets" in ended.stderr
    assert "report it with the output of" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_what_is_mended_is_published_by_the_next_run(night: Home) -> None:
    _in_state(night, BREAKS["values_belong_to_assets"])
    with pytest.raises(CheckFailed):
        night.sync()
    _in_state(
        night,
        "update main.asset_field_values as recorded set property_id = owner.property_id from main.assets as owner "
        "where owner.asset_id = recorded.asset_id",
    )
    assert night.sync().exit_code == 0
    assert night.rows("select count(*) from assets where note = 'changed'") == [(1,)]


@pytest.mark.parametrize("name", WARNS)
def test_what_is_worth_a_word_is_published_and_told(night: Home, name: str, caplog: pytest.LogCaptureFixture) -> None:
    WARNS[name](night.server.world)
    assert night.sync().exit_code == 0
    assert [line for line in caplog.messages if line.startswith(f"check {name}: 1 rows, such as")]
    told = f"select severity, offending, example is not null from ops.checks where check_name = '{name}'"
    assert night.rows(told) == [("warn", 1, True)]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    folder = tmp_path_factory.mktemp("warehouse")
    with Warehouse(folder / "state.duckdb", memory_limit="300MB", folder=folder) as warehouse:
        yield warehouse


_VALUES = {"VARCHAR": "'x'", "INTEGER": "1", "BIGINT": "1", "TIMESTAMPTZ": "timestamptz '2026-01-01 00:00:00+00'"}


@pytest.mark.parametrize("table", KEYED, ids=lambda table: table.full_name)
def test_a_key_that_comes_twice_fails_the_run(warehouse: Warehouse, table: Any) -> None:
    columns = ", ".join(map(quoted, table.key))
    values = ", ".join(_VALUES[table.columns[name][0]] for name in table.key)
    warehouse.add("ops.tables", [(table.schema, table.name, None, LATER, 2)])
    try:
        assert run_checks(warehouse, RUN) == []
        for _ in range(2):
            warehouse.execute(f"insert into {table.full_name} ({columns}) values ({values})")
        with pytest.raises(CheckFailed):  # it names the first of those that object
            run_checks(warehouse, RUN)
        told = f"select severity, offending from ops.checks where check_name = '{table.full_name}_key_is_unique'"
        assert warehouse.rows(told) == [("fail", 1)]
    finally:
        for name in {table.full_name, "ops.tables", "ops.checks"}:
            warehouse.execute(f"delete from {name}")
