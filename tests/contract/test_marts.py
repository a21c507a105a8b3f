"""Marts follow the tables that they read, are the same after a rebuild, and cost no other table if they fail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kit.archives import SMALL, Place, place

from propsync.desk import Marts
from propsync.errors import MergeFailed
from propsync.warehouse import MARTS, models, quoted

pytestmark = pytest.mark.usefixtures("desk")


@pytest.fixture
def home(tmp_path: Path, archived_small: Path) -> Iterator[Place]:
    with place(tmp_path / "home", archived_small, scale=SMALL) as made:
        yield made


def _rows(home: Place, mart: str) -> list[tuple[Any, ...]]:
    columns = ", ".join(quoted(name) for name in MARTS[mart].columns)
    return home.rows(f"select {columns} from {mart} order by all")


def test_a_quiet_night_builds_none(home: Place) -> None:
    home.sync()
    before = home.rows("select mart, run_id from ops.marts order by all")
    assert {f"marts.{mart}" for mart, _ in before} == set(MARTS)
    home.sync()
    assert home.rows("select mart, run_id from ops.marts order by all") == before


@pytest.mark.release
def test_a_rebuild_gives_the_same_rows(home: Place) -> None:
    home.sandbox.night()
    home.night()
    before = {mart: _rows(home, mart) for mart in MARTS}
    home.rebuild()
    assert {mart: _rows(home, mart) for mart in MARTS} == before
    assert sum(map(bool, before.values())) > len(before) / 2, "an empty mart shows nothing"


@pytest.mark.slow
def test_a_night_without_documents_lacks_what_a_rebuild_finds_lacking(home: Place) -> None:
    lacking = "from marts.document_coverage order by all"
    home.sandbox.night()
    home.sync()
    before = home.rows(lacking)
    assert {"not asked for yet", "changed since"} & {*home.column("select reason from marts.document_coverage")}
    home.rebuild()
    assert home.rows(lacking) == before


@pytest.mark.slow
def test_a_register_that_comes_in_batches_has_the_same_rows(home: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _rows(home, "marts.asset_register")
    monkeypatch.setattr(models, "_BATCH", len(before) // 3)
    home.rebuild()
    assert _rows(home, "marts.asset_register") == before


@pytest.mark.slow
def test_the_last_counts_of_assets_are_the_assets(home: Place) -> None:
    for _ in range(2):
        home.sandbox.night()
        home.sync()
    now = "select asset_type_id, property_id, count(*) from assets group by all order by all"
    last = """
        select asset_type_id, property_id, arg_max(assets, day) as assets
        from marts.asset_counts group by all having assets > 0 order by all
    """
    assert home.rows(last) == home.rows(now)
    assert home.rows("from marts.asset_counts where new + deleted + moved_in > 0")


@pytest.mark.slow
def test_one_that_fails_keeps_its_rows_and_costs_no_other_table(home: Place) -> None:
    before = _rows(home, "marts.flags")
    home.in_state("alter table marts.flags alter age_days type utinyint using 0")
    home.sandbox.night()
    report = home.sync()
    assert report.exit_code == 3
    (line,) = [line for line in report.left_behind if "mart" in line]
    assert line.startswith("the mart flags keeps its earlier rows: ")
    assert home.is_truth("assessments")
    assert len(_rows(home, "marts.flags")) == len(before)
    assert home.column("select error is not null from ops.marts where mart = 'flags'") == [True]


@pytest.mark.slow
def test_one_without_enough_memory_says_what_to_do(home: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(_: Marts, mart: str) -> None:
        raise MergeFailed(mart, "Out of Memory Error", "Raise PROPSYNC_MEMORY_LIMIT")

    home.in_state("update ops.marts set inputs = '' where mart = 'flags'")
    home.in_state("delete from ops.settings")
    monkeypatch.setattr(Marts, "_replace", out_of_memory)
    (line,) = [line for line in home.sync().left_behind if "the mart flags" in line]
    assert line == "the mart flags keeps its earlier rows: Out of Memory Error. Raise PROPSYNC_MEMORY_LIMIT"


@pytest.mark.slow
def test_one_whose_keys_come_twice_stays_as_it_was(home: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    before = _rows(home, "marts.flags")
    monkeypatch.setitem(MARTS, "marts.flags", replace(MARTS["marts.flags"], key=("status",)))
    for left in (before, []):  # built beside its rows, and in its place
        if not left:
            home.in_state("delete from marts.flags")
        home.in_state("update ops.marts set inputs = '' where mart = 'flags'")
        home.in_state("delete from ops.settings")
        assert home.sync().left_behind == ["the mart flags keeps its earlier rows: two rows have one key (status)"]
        assert _rows(home, "marts.flags") == left
