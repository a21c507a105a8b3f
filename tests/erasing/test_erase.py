"""An erasure leaves no trace in any file of the home, changes nothing else, and lasts."""

from __future__ import annotations

import gzip
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from erasing.traces import traces
from kit.comparing import difference
from kit.dialects import Dialect
from kit.world import World
from kit.world_server import WorldServer
from privacy.private import NIGHTS, PrivateHome, private_world, served

from propsync.erasing.request import Request
from propsync.errors import StateUnusable, UsageError
from propsync.runbooks import Report, Scope, erase, find, forget
from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox, Post

ASSET = next(one.id for one in private_world().assets if one.type == private_world().asset_types[0].id)
"""It has two versions, and hidden words in each."""
VERSIONS = "select asset_id, valid_from, valid_to, change, run_id from history.assets order by all"


def night(home: PrivateHome, number: int) -> Report:
    """A night after the three; nothing has changed in the API."""
    with WorldServer(Dialect(_last_world())) as server:
        return home.on_night(number, **served(server))


def _last_world() -> World:
    world = private_world()
    for change in NIGHTS:
        change(world)
    return world


def assert_rebuilds(home: PrivateHome) -> None:
    published = home.copy_of_published()
    assert home.rebuild().exit_code == 0
    assert difference(published, home.published) == {}


@pytest.mark.slow
def test_an_erased_asset_is_nowhere_and_stays_away(home: PrivateHome) -> None:
    rows = "select valid_from, valid_to, run_id from history.assets where {} order by 1"
    before = home.rows(rows.format(f"asset_id = '{ASSET}'"))
    others = home.rows("select * from assets where asset_id <> ? order by asset_id", ASSET)
    assert len(before) > 1
    assert traces(home.path, ASSET)

    assert erase(home.settings(), Request(asset=ASSET, reason="asked")).exit_code == 0

    assert traces(home.path, ASSET) == []
    assert home.rows(rows.format("change = 'erase' and payload is null")) == before
    assert home.rows("select * from assets order by asset_id") == others
    assert home.rows("select kind, reason, versions from ops.erasures") == [("asset", "asked", len(before))]

    for number in (3, 4):
        report = night(home, number)
        assert report.exit_code == 0, report.left_behind
        assert {name: counts["deleted"] for name, counts in report.resources.items() if counts["deleted"]} == {}
        assert traces(home.path, ASSET) == []
    assert_rebuilds(home)


@pytest.mark.release
def test_an_erased_field_of_all_assets_leaves_the_rest_as_it_was(home: PrivateHome) -> None:
    words = ("f-notes", "zqx note", "zqx changed")
    others = "select * exclude (position) from asset_field_values where field_id <> 'f-notes' order by all"
    before, values = home.rows(VERSIONS), home.rows(others)
    assert traces(home.path, *words)

    assert erase(home.settings(), Request(field="f-notes", reason="a mistake")).exit_code == 0

    assert traces(home.path, *words) == []
    assert home.rows(VERSIONS) == before
    assert home.rows(others) == values
    night(home, 3)
    assert traces(home.path, *words) == []
    assert home.rows(VERSIONS) == before
    assert_rebuilds(home)


@pytest.mark.release
def test_an_erased_field_of_one_asset_leaves_that_of_others(home: PrivateHome) -> None:
    before = home.rows("select count(*) from asset_field_values where field_id = 'f-notes'")[0][0]
    assert erase(home.settings(), Request(field="f-notes", asset=ASSET, reason="a mistake")).exit_code == 0
    night(home, 3)
    assert traces(home.path, "zqx changed") == []
    assert home.rows("select count(*) from asset_field_values where field_id = 'f-notes'")[0][0] == before - 1
    assert_rebuilds(home)


@pytest.mark.release
def test_an_erased_text_goes_from_every_value(home: PrivateHome) -> None:
    before = home.rows(VERSIONS)
    assert traces(home.path, "zqx another")
    assert traces(home.path, "zqx occupant 5")

    assert erase(home.settings(), Request(text="ZQX  occupant", reason="asked")).exit_code == 0

    assert traces(home.path, "zqx occupant") == []
    assert traces(home.path, "zqx another")
    assert home.rows(VERSIONS) == before
    occupant = home.column("select payload->>'$.occupant.name' from assets where payload->>'$.score' = '5'")
    assert occupant == ["[erased] 5"]
    night(home, 3)
    assert traces(home.path, "zqx occupant") == []
    assert home.rows(VERSIONS) == before
    assert_rebuilds(home)


@pytest.mark.release
def test_neither_a_backfill_nor_an_old_state_brings_it_back(home: PrivateHome, tmp_path: Path) -> None:
    old, old_published, old_landing = (tmp_path / f"old-{name}" for name in ("state", "published", "landing"))
    for folder, copy in (("state", old), ("published", old_published), ("landing", old_landing)):
        shutil.copytree(home.path / folder, copy)
    for name in ("plans", "aside/1/landing"):
        (old / name).mkdir(parents=True)
        (old / name / "1.plan").write_bytes(gzip.compress(ASSET.encode()) if "aside" in name else ASSET.encode())
    (old / "aside" / "1" / "kept").write_text("nothing of it")
    place = home.column("select property_id from assets where asset_id = ?", ASSET)[0]
    assert erase(home.settings(), Request(asset=ASSET, reason="asked")).exit_code == 0

    with WorldServer(Dialect(_last_world())) as server:
        assert home.backfill(Scope(properties=(place,)), **served(server)).exit_code == 0
        assert traces(home.path, ASSET) == []
        with pytest.raises(UsageError, match="was erased"):
            home.backfill(Scope(assets=(ASSET,)), **served(server))
    published = home.copy_of_published()

    shutil.rmtree(home.path / "state")
    shutil.copytree(old, home.path / "state")
    with pytest.raises(StateUnusable, match="older than an erasure"):
        night(home, 3)
    assert home.rebuild().exit_code == 0
    assert traces(home.path, ASSET) == []
    assert difference(published, home.published) == {}

    for folder, copy in (("state", old), ("published", old_published)):
        shutil.rmtree(home.path / folder)
        shutil.copytree(copy, home.path / folder)
    assert home.rebuild().exit_code == 0
    assert traces(home.path, ASSET) == []
    assert difference(published, home.published) == {}

    shutil.copytree(old_landing, home.path / "landing", dirs_exist_ok=True)
    assert traces(home.path, ASSET)
    assert home.rebuild().exit_code == 0
    assert traces(home.path, ASSET) == []
    assert difference(published, home.published) == {}
    assert (home.path / "state" / "aside" / "1" / "kept").exists()


@pytest.mark.release
def test_a_dry_run_changes_nothing_and_forgetting_brings_it_back(home: PrivateHome) -> None:
    before = {path: path.read_bytes() for path in home.path.rglob("*") if path.is_file() and "lock" not in path.name}
    found = find(home.settings(), Request(asset=ASSET)).found
    assert found["landing"] >= 3
    assert found["history.assets"] == 2
    after = {path: path.read_bytes() for path in home.path.rglob("*") if path.is_file() and "lock" not in path.name}
    assert after == before
    with pytest.raises(UsageError, match="nothing in this home has it"):
        erase(home.settings(), Request(asset="no-such-asset", reason="asked"))

    assert erase(home.settings(), Request(asset=ASSET, reason="asked")).found == found
    assert forget(home.settings(), ASSET).state == "forgotten"
    night(home, 3)
    assert home.column("select count(*) from assets where asset_id = ?", ASSET) == [1]
    assert home.column("select is_forgotten from ops.erasures") == [True]
    assert_rebuilds(home)


@pytest.mark.slow
def test_wrong_requests_are_refused_before_anything_changes(home: PrivateHome) -> None:
    for request, why in (
        (Request(text="Jo", reason="asked"), "fewer than 4 characters"),
        (Request(text="Jane Doe", reason="asked"), "nothing in this home has it"),
        (Request(text="zqx occupant", reason="zqx Occupant asked"), "names what is to be erased"),
        (Request(asset=ASSET, reason="asked by " + ASSET), "names what is to be erased"),
    ):
        with pytest.raises(UsageError, match=why):
            erase(home.settings(), request)
    (home.path / "properties.csv").write_text("property_id,tenant\np-1,ZQX occupant\n")
    (home.path / "propsync.toml").write_text('[reference]\nproperties = "properties.csv"\n')
    with pytest.raises(UsageError, match="one of your own files and has it"):
        erase(home.settings(), Request(text="zqx occupant", reason="asked"))
    assert not list((home.path / "landing" / "erasures").glob("*.json"))


@pytest.mark.release
def test_hints_plans_and_journals_name_it_no_more(home: PrivateHome) -> None:
    gone = home.column("select assessment_id from assessments order by 1")[0]
    inbox = Inbox(LocalStorage(home.path))
    hint = Post(datetime.now(UTC), json.dumps([{"type": "assessment", "id": gone}]).encode())
    inbox.add([hint])
    plan, journal = (home.path / "state" / name for name in ("plans/0123.plan", "push/0123.jsonl"))
    for path in (plan, journal):
        path.parent.mkdir()
        path.write_text(json.dumps({"record": gone}))
    with pytest.raises(UsageError, match="not finished"):
        erase(home.settings(), Request(assessment=gone, reason="asked"))
    journal.unlink()

    assert erase(home.settings(), Request(assessment=gone, reason="asked")).exit_code == 0
    assert not plan.exists()
    assert traces(home.path, gone) == []
    inbox.add([hint])
    night(home, 3)
    assert traces(home.path, gone) == []
    assert "ignored" in home.column("select state from ops.hints")
