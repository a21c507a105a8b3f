"""Records of two forms in one read, as when the service changes its machines one by one: propsync reads both."""

from __future__ import annotations

import pytest
from contract.conftest import HomeFor
from kit.dialects import MIXED, Dialect
from kit.home import moved
from kit.tables import difference, expected_tables, published_tables
from kit.world import small_world
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
