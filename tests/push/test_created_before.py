"""A file that is planned again does not create its new assets again: the API cannot delete the second ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.push_home import PushHome
from push.corrections import csv_file, planned

from propsync.errors import UsageError
from propsync.runbooks.push.plans import Wanted


@pytest.mark.slow
def test_an_asset_that_a_file_created_is_refused_when_the_file_is_planned_again(home: PushHome, tmp_path: Path) -> None:
    ((asset, property_id, kind),) = home.assets(1)
    text = home.field(kind, "text")
    header, row = ["asset_id", "property_id", "type", text], ["", property_id, kind, "new"]
    path = csv_file(tmp_path / "new.csv", header, row, row, ["", property_id, kind, ""])
    first = planned(home, tmp_path, Wanted("assets", path))
    assert first.counts()["create"] == 3
    assert home.apply(first).exit_code == 0
    created = set(home.column("select record_id from ops.writes where action = 'create'"))
    assert len(created) == 3
    csv_file(path, header, row, [asset, "", "", "edited"], row, row, ["", property_id, kind, ""])
    again = planned(home, tmp_path, Wanted("assets", path))
    assert [(one.row, one.action) for one in again.entries] == [(3, "update"), (5, "create")], "a third one is new"
    assert [one.row for one in again.refused] == [2, 4, 6]
    named = [one.reason.partition("as asset ")[2].partition(":")[0] for one in again.refused]
    assert set(named) == created
    renamed = planned(home, tmp_path, Wanted("assets", path.rename(tmp_path / "more.csv")))
    assert (renamed.counts()["create"], renamed.refused) == (4, [])


@pytest.mark.slow
def test_an_asset_that_a_query_created_is_refused_with_what_helps_for_a_query(home: PushHome, tmp_path: Path) -> None:
    ((_, property_id, kind),) = home.assets(1)
    names = f"'' as asset_id, '{property_id}' as property_id, '{kind}' as type"
    wanted = Wanted("assets", sql=f"select {names}, 'new' as \"{home.field(kind, 'text')}\"")
    assert home.apply(planned(home, tmp_path, wanted)).exit_code == 0
    (refused,) = planned(home, tmp_path, wanted).refused
    assert "created it from a query, as asset" in refused.reason
    assert refused.reason.endswith("write that id into asset_id; for one more, plan it from a file")


@pytest.mark.slow
def test_two_plans_of_a_file_create_its_new_assets_once(home: PushHome, tmp_path: Path) -> None:
    ((_, property_id, kind),) = home.assets(1)
    text = home.field(kind, "text")
    header, row = ["asset_id", "property_id", "type", text], ["", property_id, kind, "new"]
    path = csv_file(tmp_path / "new.csv", header, row, row)
    first = planned(home, tmp_path, Wanted("assets", path))
    csv_file(path, header, row, ["", property_id, kind, "other"])
    second = planned(home, tmp_path, Wanted("assets", path))
    assert home.apply(first).exit_code == 0
    with pytest.raises(UsageError, match=r"another plan of new\.csv created 1 of its new assets \(rows 2\)"):
        home.apply(second)
    again = planned(home, tmp_path, Wanted("assets", path))
    assert [(one.row, one.action) for one in again.entries] == [(3, "create")]
    assert home.apply(again).exit_code == 0
    assert home.apply(again).is_repeat
    assert len(home.column("select record_id from ops.writes where action = 'create'")) == 3


@pytest.mark.slow
def test_an_asset_that_the_api_accepted_and_has_not_shown_yet_is_refused_too(home: PushHome, tmp_path: Path) -> None:
    ((_, property_id, kind),) = home.assets(1)
    text = home.field(kind, "text")
    path = csv_file(tmp_path / "new.csv", ["asset_id", "property_id", "type", text], ["", property_id, kind, "new"])
    wanted = Wanted("assets", path)
    plan = planned(home, tmp_path, wanted)
    home.sandbox._server.app.lists.lag = 3_600.0
    assert [home.apply(plan).exit_code for _ in range(2)] == [3, 3]
    assert home.writes("state, code") == [("applied", "StoredOtherwise")]
    again = planned(home, tmp_path, wanted)
    assert again.entries == [], "a second asset could not be deleted"
    assert "which no sync has shown yet: run `propsync sync`, then plan again" in again.refused[0].reason
    home.sandbox._server.app.lists.lag = 0.0
    home.sync(["assets"])
    ((asset_id,),) = home.writes("record_id")
    assert f"as asset {asset_id}: write that id" in planned(home, tmp_path, wanted).refused[0].reason
    home.sandbox.world.assets.delete(asset_id)
    home.sync(["assets"])
    assert planned(home, tmp_path, wanted).counts()["create"] == 1, "it is gone, so the row makes one again"
