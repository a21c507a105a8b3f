"""In a night no model reads what an earlier night or an earlier step left in staging."""

from __future__ import annotations

from typing import Any

import pytest
from contract.conftest import HomeFor
from kit.dialects import Dialect
from kit.world import small_world
from kit.world_server import WorldServer

from propsync.warehouse import Models
from propsync.warehouse.model_order import table_of

Made = list[tuple[str, frozenset[str]]]
"""Models in the order in which they ran, each with the staging tables that it read."""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    """What ran, noted while it runs."""
    told: Made = []
    run = Models._run

    def noted(self: Models, before: str, model: str, after: str = "") -> int:
        read = frozenset(table for table in self._reads([model])[model] if table.startswith("staging."))
        told.append((model, read))
        return run(self, before, model, after)

    monkeypatch.setattr(Models, "_run", noted)
    return told


def late(made: Made, models: Any) -> list[str]:
    """A line for each model that read a staging table which no model had made, or had made from what changed since."""
    when: dict[str, int] = {}
    read_by: dict[str, frozenset[str]] = {}
    found = []
    for place, (model, read) in enumerate(made):
        for table in read & models:
            if table not in when:
                found.append(f"{model} read {table} before it was made")
            elif stale := [one for one in read_by[table] if when.get(one, -1) > when[table]]:
                found.append(f"{model} read {table}, which was made before {', '.join(stale)}")
        when[table_of(model)], read_by[table_of(model)] = place, read
    return found


@pytest.mark.slow
def test_every_model_runs_after_those_whose_tables_it_reads(made: Made, home_for: HomeFor) -> None:
    world = small_world(assets=24, assessments=9, schedules=6)
    with WorldServer(Dialect(world)) as server:
        home = home_for(server)
        for night in range(2):
            made.clear()
            for one in (world.assets[0], world.assessments[0], world.schedules[0]):
                one.extra["note"] = night
            world.asset_types[0].name = f"Doors {night}"
            assert home.sync().exit_code == 0
            models = {table_of(model) for model, _ in made if model.startswith("staging/")}
            assert len(models) > 15
            assert late(made, models) == []


def test_a_model_that_runs_too_early_is_noticed() -> None:
    of_b, of_c = frozenset({"staging.b"}), frozenset({"staging.c"})
    models = {"staging.b", "staging.c"}
    assert late([("staging/c", frozenset()), ("staging/b", of_c), ("main/a", of_b)], models) == []
    assert late([("main/a", of_b)], models) == ["main/a read staging.b before it was made"]
    again = [("staging/c", frozenset()), ("staging/b", of_c), ("staging/c", frozenset()), ("main/a", of_b)]
    assert late(again, models) == ["main/a read staging.b, which was made before staging.c"]
