"""The seeded world: what is in it, that it is the same each time, and what can happen to it."""

import threading
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from propsync_sandbox import RESOURCES, World, live_through_a_night
from propsync_sandbox.values import KINDS


@pytest.fixture(scope="module")
def settled() -> World:
    """Read only."""
    return World(seed=5, scale=2000)


def bodies(world: World) -> dict[str, list[bytes]]:
    return {name: [record.shown(True) for record in world.shelf(name).records()] for name in RESOURCES}


def test_the_same_seed_is_the_same_world_and_another_seed_another(settled: World) -> None:
    again = World(seed=5, scale=2000)
    assert bodies(again) == bodies(settled)
    assert again.asset_types.truth() == settled.asset_types.truth()
    assert again.properties.all() == settled.properties.all()
    assert not {r.key for r in World(seed=6, scale=50).assets.records()} & set(settled.truth("assets"))


def test_the_scale_is_the_number_of_assets_and_the_rest_follows(settled: World) -> None:
    assert settled.count() == {"assets": 2000, "assessments": 1000, "schedules": 1000}
    assert len(settled.properties) == 2000 // 12
    assert len(World(scale=0).properties) == 12
    assert World(scale=0).count() == {"assets": 0, "assessments": 0, "schedules": 0}


def test_every_kind_of_field_is_there_with_about_twelve_results_an_asset(settled: World) -> None:
    results = [result for asset in settled.truth("assets").values() for result in asset["fields"]]
    assert {result["type"] for result in results} == set(KINDS)
    assert 11 <= len(results) / 2000 <= 13
    assert all(6 <= len(kind["fields"]) <= 16 for kind in settled.asset_types.truth())


def test_values_are_awkward_in_the_ways_that_real_ones_are(settled: World) -> None:
    results = [result for asset in settled.truth("assets").values() for result in asset["fields"]]
    values = [result["value"] for result in results]
    assert None in values
    assert "" in values
    assert any(isinstance(value, Decimal) and str(value).endswith("0") for value in values)
    texts = "".join(value for value in values if isinstance(value, str))
    assert all(sign in texts for sign in '"\n\\ŵêś😕电'.replace("ŵ", "").replace("ś", "ł"))
    fewer = [
        a for a in settled.truth("assets").values() if len(a["fields"]) < len(settled.asset_types.fields(a["type"]))
    ]
    assert fewer


def test_labels_are_awkward_too(settled: World) -> None:
    labels = [[field["label"] for field in kind["fields"]] for kind in settled.asset_types.truth()]
    flat = [label for of_type in labels for label in of_type]
    assert any(len(of_type) != len(set(of_type)) for of_type in labels)
    assert {"", "Order", "备注", "Lleoliad", "Nazwa urządzenia"} <= set(flat)


def test_scores_are_whole_decimal_and_null_and_some_schedules_are_overdue(settled: World) -> None:
    kinds = {type(row["score"]) for row in settled.truth("assessments").values()}
    assert kinds == {int, Decimal, type(None)}
    due = [row["dueDate"] for row in settled.truth("schedules").values() if row["dueDate"]]
    overdue = sum(date.fromisoformat(day) < settled.today for day in due)
    assert 0.1 < overdue / len(due) < 0.6


def test_references_between_records_hold(settled: World) -> None:
    users = {user.id for user in settled.users}
    for name in RESOURCES:
        assert all(record.property in settled.properties for record in settled.shelf(name).records())
    assert all(record.type in settled.asset_types for record in settled.assets.records())
    assert all(set(row["assignedUsers"]) <= users for row in settled.truth("schedules").values())


def test_every_edit_of_an_asset_raises_its_version_and_shows() -> None:
    world = World(scale=30)
    key: Any
    other: Any
    key, other = world.assets.keys()[:2]
    place, kind = world.properties.ids()[3], world.asset_types.ids()[-1]
    world.assets.move(key, place)
    world.assets.change_type(key, kind)
    world.assets.scribble(key)
    record = world.assets.get(key)
    assert (record.version, record.property, record.type) == (4, place, kind)
    assert record.members() == world.truth("assets")[key]
    assert {r["field"] for r in record.members()["fields"]} <= {f["id"] for f in world.asset_types.fields(kind)}
    assert world.assets.get(other).version == 1


@pytest.mark.parametrize("name", RESOURCES)
def test_a_scribble_always_changes_the_record(name: str) -> None:
    world = World(scale=30)
    shelves: dict[str, Any] = {"assets": world.assets, "assessments": world.assessments, "schedules": world.schedules}
    shelf = shelves[name]
    for key in shelf.keys():  # noqa: SIM118  a shelf is no dict
        before = shelf.get(key).shown(True)
        assert shelf.scribble(key).shown(True) != before


@pytest.mark.parametrize("name", RESOURCES)
def test_what_was_deleted_can_come_back_with_a_higher_version(name: str) -> None:
    shelf = World(scale=30).shelf(name)
    key = shelf.keys()[0]
    before = shelf.get(key)
    shelf.delete(key)
    assert shelf.get(key) is None
    assert key in shelf.gone_keys()
    with pytest.raises(KeyError):
        shelf.delete(key)
    after = shelf.bring_back(key)
    assert (after.version, after.shown(True), after.performed) == (2, before.shown(True), before.performed)


def test_an_assessment_changes_status_side_property_type_and_flags() -> None:
    world = World(scale=30)
    key: Any = world.assessments.keys()[0]
    place, kind = world.properties.ids()[3], world.assessment_types.ids()[-1]
    flags = len(world.truth("assessments")[key]["flags"])
    world.assessments.set_status(key, "withdrawn")
    world.assessments.set_performed(key, {"By"})
    world.assessments.move(key, place)
    world.assessments.change_type(key, kind)
    world.assessments.raise_flag(key)
    record = world.assessments.get(key)
    assert (record.status, record.performed, record.property, record.type) == ("withdrawn", {"By"}, place, kind)
    assert record.version == 6
    assert len(record.members()["flags"]) == flags + 1


def test_a_schedule_that_moves_gets_another_key() -> None:
    world = World(scale=30)
    key: Any = world.schedules.keys()[0]
    place = next(p for p in world.properties.ids() if (p, key[1]) not in world.schedules)
    assert world.schedules.move(key, place) == (place, key[1])
    assert key not in world.schedules
    assert world.truth("schedules")[place, key[1]]["property"] == place
    with pytest.raises(ValueError, match="already exists"):
        world.schedules.move((place, key[1]), place)


def test_types_fields_and_options_are_renamed_added_removed_and_hidden() -> None:
    types = World(scale=0).asset_types
    kind = types.ids()[0]
    option = next(field for field in types.fields(kind) if field["type"] == "option")
    before = types.listed_json()
    types.rename(kind, "Doors")
    types.rename_field(kind, option["id"], "Rating")
    types.rename_option(kind, option["id"], option["options"][0]["id"], "FD31")
    added = types.add_field(kind, "text", "New")
    types.remove_field(kind, types.fields(kind)[0]["id"])
    shown = types.listed_json().decode()
    assert all(word in shown for word in ('"Doors"', '"Rating"', '"FD31"', added))
    assert shown.encode() != before
    types.hide(kind)
    assert kind not in types.listed_json().decode()
    assert kind in types


def test_a_night_changes_what_it_says_it_changed() -> None:
    world = World(scale=1000)
    before = {name: dict(world.truth(name)) for name in RESOURCES}
    types = world.asset_types.listed_json()
    summary = live_through_a_night(world)
    for name in RESOURCES:
        after = world.truth(name)
        assert len(after.keys() - before[name].keys()) == summary[f"{name}_added"] > 0
        assert len(before[name].keys() - after.keys()) == summary[f"{name}_deleted"] > 0
        changed = sum(after[key] != row for key, row in before[name].items() if key in after)
        assert changed >= summary[f"{name}_edited"] > 0
    assert world.asset_types.listed_json() != types
    assert summary["assets_edited"] == 10


def test_nights_are_the_same_for_the_same_seed_and_each_night_another() -> None:
    one, other, chosen = World(scale=100), World(scale=100), World(scale=100)
    for world in (one, other):
        live_through_a_night(world)
        live_through_a_night(world)
    assert bodies(one) == bodies(other)
    live_through_a_night(chosen, seed=99)
    live_through_a_night(chosen, seed=99)
    assert bodies(chosen) != bodies(one)


def test_a_night_in_an_empty_world_only_adds() -> None:
    world = World(scale=0)
    summary = live_through_a_night(world)
    assert (summary["assets_deleted"], summary["assets_added"]) == (0, 2)


def test_edits_from_many_threads_all_count() -> None:
    world = World(scale=10)
    key: Any = world.assets.keys()[0]
    threads = [
        threading.Thread(target=lambda: [world.assets.set_members(key, note=n) for n in range(100)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.assets.get(key).version == 401
