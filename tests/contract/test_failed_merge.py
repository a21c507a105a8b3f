"""A merge that fails costs its own resource, that night."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from contract.conftest import HomeFor
from kit.dialects import Dialect
from kit.tables import difference, expected_tables, published_tables
from kit.world import small_world
from kit.world_server import WorldServer
from variants import daily

from propsync.errors import MergeFailed
from propsync.merge import Merger
from propsync.merge.tables.asset_tables import AssetTables


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("broken", daily(["asset_types", "assessment_types"], 1))
def test_a_types_merge_that_fails_costs_its_own_resource_and_no_later_night(
    broken: str, home_for: HomeFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge = Merger._merge

    def failing(self: Merger, resource: Any, *given: Any, **more: Any) -> Any:
        if resource.name == broken:
            raise MergeFailed(resource.name, "planted")
        return merge(self, resource, *given, **more)

    dialect = Dialect(small_world())
    with WorldServer(dialect) as server:
        home = home_for(server)
        with monkeypatch.context() as patch:
            patch.setattr(Merger, "_merge", failing)
            first = home.sync()
        failed = {name for name, counts in first.resources.items() if counts["verdict"] == "failed"}
        assert (first.exit_code, failed) == (3, {"assets" if broken == "asset_types" else "assessments"})
        assert home.sync().exit_code == 0
        assert difference(published_tables(home.path), expected_tables(dialect.world)) == []


@pytest.mark.slow
def test_a_build_that_fails_leaves_the_tables_and_their_time_of_the_night_before(
    home_for: HomeFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB may lack memory for one of several tables: some would be tonight's, and others yesterday's."""

    def failing(*_: Any) -> None:
        raise MergeFailed("assets", "planted")

    dialect = Dialect(small_world())
    with WorldServer(dialect) as server:
        home = home_for(server)
        first = home.sync()
        before = published_tables(home.path)["assets"]
        dialect.world.assets[0] = replace(dialect.world.assets[0], property="elsewhere")
        with monkeypatch.context() as patch:
            patch.setattr(AssetTables, "_build_values", failing)
            second = home.sync()
        assert (second.exit_code, second.resources["assets"]["verdict"]) == (3, "failed")
        assert published_tables(home.path)["assets"] == before
        assert home.rows("select count(*) from ops.run_resources group by run_id, resource having count(*) > 1") == []
        trust = "select verdict, as_of = (select started_at from ops.runs where run_id = ?) from marts.trust"
        assert home.rows(f"{trust} where table_name = 'assets'", first.run_id) == [("failed", True)]
        assert home.sync().exit_code == 0
        assert difference(published_tables(home.path), expected_tables(dialect.world)) == []
