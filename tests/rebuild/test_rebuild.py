"""A rebuild gives the same tables and history, row for row, whatever is left of the state."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
from rebuild.comparing import columns, difference
from rebuild.conftest import Place

_CARRIED = ("ops.runs", "ops.run_resources", "ops.sweeps", "ops.schema_changes", "ops.value_issues", "ops.columns")


def assert_same(before: Path, after: Path) -> None:
    assert columns(after) == columns(before)
    assert difference(before, after) == {}


def test_a_rebuild_beside_a_sound_state_gives_the_same(place: Place) -> None:
    before = place.kept()
    report = place.rebuild()
    assert (report.status, report.left_behind) == ("ok", [])
    assert_same(before, place.published)
    assert_same(before, place.state)
    with duckdb.connect(place.published, read_only=True) as connection:
        connection.execute(f"attach '{before}' as old (read_only)")
        for table in _CARRIED:
            lost = connection.execute(f"from old.{table} except all from {table}").fetchall()
            added = connection.execute(f"from {table} except all from old.{table}").fetchall()
            if table == "ops.runs":
                assert [row[1] for row in added] == ["rebuild"]
            else:
                assert (table, lost, added) == (table, [], [])


def test_a_rebuild_without_state_or_anything_published_gives_the_same(place: Place) -> None:
    before = place.kept()
    shutil.rmtree(place.path / "state")
    shutil.rmtree(place.path / "published")
    assert place.rebuild().status == "ok"
    assert_same(before, place.published)
    assert difference(before, place.published, *_CARRIED[1:]) == {}
    runs = "select run_id, flow, started_at, status from ops.runs where flow = 'nightly' order by all"
    with duckdb.connect(place.published, read_only=True) as new, duckdb.connect(before, read_only=True) as old:
        assert new.execute(runs).fetchall() == old.execute(runs).fetchall()
