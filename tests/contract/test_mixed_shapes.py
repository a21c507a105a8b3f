"""Records of two forms in one read, as when the service changes its machines one by one: propsync reads both."""

from __future__ import annotations

from typing import Any

import pytest
from contract.conftest import HomeFor
from kit.dialects import MIXED, Dialect
from kit.home import moved
from kit.tables import difference, expected_tables, published_tables
from kit.world import AssetType, Field, Result, small_world
from kit.world_server import WorldServer


@pytest.mark.costly
@pytest.mark.parametrize("mixed", MIXED, ids=lambda mixed: mixed.name)
def test_records_of_both_forms_have_their_values(mixed: type[Dialect], home_for: HomeFor) -> None:
    dialect = mixed(small_world())
    with WorldServer(dialect) as server:
        home = home_for(server)
        first = home.sync()
        assert (first.exit_code, first.left_behind) == (0, [])
        expected = expected_tables(dialect.world)
        assert difference(published_tables(home.path), expected) == []
        assert moved(home.sync()) == {}
        shapes = home.rows("select * from ops.shapes order by all")

        assert home.rebuild().exit_code == 0
        assert difference(published_tables(home.path), expected) == []
        assert home.rows("select * from ops.shapes order by all") == shapes


class Moved(Dialect):
    """Fields, values, labels and options of each record under other names than before."""

    name = "moved"

    def option(self, option_id: str, label: str) -> Any:
        return {"id": option_id, "name": label}

    def definition(self, one: Field) -> dict[str, Any]:
        told = super().definition(one)
        return {{"label": "title", "options": "choices"}.get(name, name): value for name, value in told.items()}

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        return {"type": one.kind, "fieldId": one.field, f"{one.kind}Value": one.value}


@pytest.mark.slow
def test_members_that_move_in_all_records_at_once_change_no_value(home_for: HomeFor) -> None:
    world = small_world()
    with WorldServer(Dialect(world)) as server:
        home = home_for(server)
        home.sync()
        server.dialect = Moved(world)
        assert home.sync().exit_code == 0
        assert difference(published_tables(home.path), expected_tables(world)) == []
        detailed = "select * from marts.changes where resource = 'assets' and field is not null"
        assert home.rows(detailed) == []
        between = "changes_between((select min(valid_from) from history.assets), now())"
        assert home.rows(f"select * from {between} where change = 'update'") == []
        assert home.rows("select * from history.asset_field_values_earlier") == []
