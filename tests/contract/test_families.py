"""Equal worlds give equal tables, whatever words the API tells them in."""

from __future__ import annotations

import pytest
from contract.conftest import HomeFor
from kit.dialects import FAMILIES, Dialect
from kit.home import moved
from kit.tables import difference, expected_tables, published_tables
from kit.world import small_world
from kit.world_server import WorldServer
from variants import daily


@pytest.mark.costly
@pytest.mark.parametrize("family", daily(FAMILIES, 4), ids=lambda family: family.name)
def test_every_family_gives_the_tables_of_the_world_and_a_second_sync_changes_nothing(
    family: type[Dialect], home_for: HomeFor
) -> None:
    dialect = family(small_world())
    positions = dialect.keeps_result_order
    with WorldServer(dialect) as server:
        home = home_for(server)
        first = home.sync()
        assert (first.exit_code, first.left_behind) == (0, [])
        expected = expected_tables(dialect.world, with_positions=positions)
        assert difference(published_tables(home.path, with_positions=positions), expected) == []
        changed = home.rows("select table_schema, table_name, changed_run_id from ops.tables order by all")

        second = home.sync()
        assert (second.exit_code, moved(second)) == (0, {})
        assert difference(published_tables(home.path, with_positions=positions), expected) == []
        assert home.rows("select table_schema, table_name, changed_run_id from ops.tables order by all") == changed
        _check_what_was_asked(server)


def _check_what_was_asked(server: WorldServer) -> None:
    """Flags are always asked for, statuses never left to the default, the deprecated parameter never sent."""
    asked = [query for path, query in server.requests if path == "/assessments"]
    assert asked
    assert all(query.get("includeflags") == "true" for query in asked)
    assert all("status" in query and "performed" in query for query in asked)
    schedules = [query for path, query in server.requests if path == "/assessments/schedules"]
    assert schedules
    assert all("status" in query and "asset" not in query for query in schedules)
