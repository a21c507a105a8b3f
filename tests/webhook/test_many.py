"""Any number of hints may wait: a run takes in some of them at a time."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from kit.hint_home import HintHome, assessment_hint, property_hint

from propsync.warehouse import Warehouse
from propsync.webhook.items import ASSESSMENT, Subject
from propsync.webhook.rows import CHANGED, UNCHANGED, Hints

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WAITING = """
insert into ops.hints by name
select
  lpad(i::varchar, 6, '0') as hint_id, ?::timestamptz as received_at, 'assessment' as type, key as record_id,
  1 as items, 'waiting' as state, 0 as looks, ?::timestamptz as next_look_at, key as key_1, '' as key_2
from (select i, if(i < 50000, 'often', i::varchar) as key from range(100000) as numbers (i))
"""


def test_the_memory_of_a_run_does_not_grow_with_the_hints_that_wait(tmp_path: Path):
    often, later = Subject(ASSESSMENT, ("often",)), [Subject(ASSESSMENT, (str(50_000 + i),)) for i in range(9)]
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        warehouse.execute(WAITING, [NOW, NOW])
        hints = Hints(warehouse, NOW, "run")
        tracemalloc.start()
        assert hints.due(9) == ([*later], 50_001)
        assert hints.next_look() == NOW
        hints.settle({often: CHANGED, later[0]: UNCHANGED})
        hints.put_off(later[1:], NOW + timedelta(hours=1))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        states = warehouse.rows("select state, looks, count(*) from ops.hints group by all order by all")
    assert states == [("changed", 1, 1), ("waiting", 0, 49_999), ("waiting", 1, 50_000)]
    assert peak < 1_000_000


def test_more_hints_than_a_run_takes_in_are_all_read(
    home: HintHome, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr("propsync.runbooks.hints.hints._MOST_SUBJECTS", 2)
    caplog.set_level("INFO", "propsync.hints")
    keys = home.column("select assessment_id from assessments where status = 'approved' order by 1 limit 5")
    (place,) = home.column("select min(property_id) from assets")
    added = home.sandbox.world.assets.add(place)
    for key in keys:
        home.sandbox.world.assessments.set_members(key, title="Seen at once")
    home.hint(*map(assessment_hint, keys), property_hint(place))
    assert home.read().exit_code == 0
    assert home.states() == ["changed"] * 6
    assert added in home.known("assets")
    assert "looked at 6, put off 0" in caplog.text


def test_looks_at_many_cost_the_day_what_they_took_and_no_more(
    home: HintHome, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "propsync.hints")
    keys = home.column("select assessment_id from assessments where status = 'approved' order by 1 limit 12")
    for key in keys:
        home.sandbox.world.assessments.set_members(key, title="Seen the same day")
    home.hint(*map(assessment_hint, keys))
    home.requests()
    assert home.read(webhook_requests=30).exit_code == 0
    assert len(home.requests()) <= 30
    assert home.states() == ["changed"] * len(keys)
    assert f"looked at {len(keys)}, put off 0" in caplog.text
