"""The three lists that the sandbox writes: they match the world's ids, and name what the law asks for."""

import csv
from pathlib import Path

import pytest

from propsync_sandbox import World, write_reference

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def world() -> World:
    return World(seed=5, scale=1200)


@pytest.fixture(scope="module")
def lists(world: World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    paths = write_reference(world, tmp_path_factory.mktemp("lists") / "new")
    return {path.stem: rows(path) for path in paths}


def rows(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_properties_are_the_worlds_with_homes_heights_and_years(world: World, lists) -> None:
    found = lists["properties"]
    assert list(found[0]) == [
        *("property_id", "name", "address", "postcode", "region", "uprn", "homes", "height_m", "built_year", "heating")
    ]
    listed, known = {row["property_id"] for row in found}, set(world.properties.ids())
    assert (len(listed - known), len(known - listed)) == (2, 1)
    blocks = [row for row in found if int(row["homes"]) > 1]
    assert 0.45 < len(blocks) / len(found) < 0.75
    heights = [float(row["height_m"]) for row in found]
    assert sum(height >= 11 for height in heights) > sum(height >= 18 for height in heights) > 3
    assert all(len(row["uprn"]) == 12 for row in found)
    assert any(row["uprn"].startswith("0") for row in found)


def test_a_user_who_left_is_not_in_the_list(lists, tmp_path: Path) -> None:
    assert list(lists["users"][0]) == ["user_id", "name", "team", "email"]
    large = World(seed=5, scale=2400)
    listed = {row["user_id"] for row in rows(write_reference(large, tmp_path)[1])}
    assert len({user.id for user in large.users} - listed) == 1


def test_requirements_name_a_condition_or_a_property(world: World, lists) -> None:
    found = lists["requirements"]
    assert list(found[0]) == ["assessment_type_id", "property_id", "condition", "every_months"]
    assert all(bool(row["property_id"]) != bool(row["condition"]) for row in found)
    names = {kind["id"]: kind["name"] for kind in world.assessment_types.truth()}
    assert {names[row["assessment_type_id"]] for row in found} == set(names.values())
    conditions = {row["condition"] for row in found if row["condition"]}
    assert {"height_m >= 11", "homes > 1", "built_year < 2000"} <= conditions
    listed = {row["property_id"]: row for row in lists["properties"]}
    gas = [row for row in found if names[row["assessment_type_id"]] == "Gas safety check"]
    assert {row["property_id"] for row in gas} == {key for key, row in listed.items() if row["heating"] == "gas"}
    assert {row["every_months"] for row in gas} == {"12"}


def test_the_lists_are_the_same_for_the_same_seed(world: World, lists, tmp_path: Path) -> None:
    again = write_reference(World(seed=5, scale=1200), tmp_path)
    assert {path.stem: rows(path) for path in again} == lists


def test_a_list_that_somebody_has_changed_stays(world: World, tmp_path: Path) -> None:
    properties, users, _ = write_reference(world, tmp_path)
    properties.unlink()
    users.write_text("user_id,name\nU1,Ada\n")
    with pytest.raises(ValueError, match=r"users\.csv exists already and has other contents\. Move it"):
        write_reference(world, tmp_path)
    assert users.read_text() == "user_id,name\nU1,Ada\n"
    assert not properties.exists()
