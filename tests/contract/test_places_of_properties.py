"""Assets whose property is not where the API's document has it: propsync finds it, or says that it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from kit.small_api import DOOR, SmallHome, assessment, asset

from propsync.runbooks import Scope

Form = Callable[[str], dict[str, Any]]


def show(home: SmallHome, form: Form) -> None:
    """Shows twelve assets of four properties, which assessments and schedules name too."""
    keys = [f"p{number % 4}" for number in range(12)]
    whole = [asset(f"a{number}") for number in range(12)]
    home.server.assets = [
        {name: held for name, held in one.items() if name != "property"} | form(key)
        for one, key in zip(whole, keys, strict=True)
    ]
    home.server.assessments = [assessment(f"s{number}", property=key) for number, key in enumerate(keys)]
    listed = [{"property": key, "type": "k1", "status": "notstarted"} for key in keys[:4]]
    body = {"total": 4, "schedules": listed}
    home.server.answer = lambda path, query: (200, body) if path == "/assessments/schedules" else None


def properties(home: SmallHome) -> list[Any]:
    return home.column("select distinct property_id from assets order by 1")


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(lambda key: {"propertyId": key}, id="propertyId"),
        pytest.param(lambda key: {"location": {"propertyId": key, "floor": 2}}, id="in a location"),
        pytest.param(lambda key: {"attributes": {"property": key}}, id="in attributes"),
        pytest.param(lambda key: {"relationships": {"property": {"data": {"id": key}}}}, id="JSON:API"),
    ],
)
def test_a_property_under_nearly_its_name_counts_from_the_first_night(small_nights: SmallHome, form: Form) -> None:
    show(small_nights, form)
    assert small_nights.sync().exit_code == 0
    assert properties(small_nights) == ["p0", "p1", "p2", "p3"]


@pytest.mark.parametrize("place", ["site.id", "location.id", "buildingId"])
def test_the_id_of_a_place_is_reported_until_other_records_know_it(small_nights: SmallHome, place: str) -> None:
    """Every property was NULL, on each night, with exit code 0."""
    holder, _, name = place.partition(".")
    show(small_nights, lambda key: {holder: {name: key} if name else key})
    report = small_nights.sync()
    assert report.exit_code == 3
    assert report.left_behind == [
        "assets: property could not be read: propsync finds none in 12 records, "
        f"and {place}, which 12 have, may name it. Run `propsync doctor`"
    ]
    assert properties(small_nights) == [None]
    assert small_nights.sync().exit_code == 0
    assert properties(small_nights) == ["p0", "p1", "p2", "p3"]


NULLS = [pytest.param({"property": None}, id="as null"), pytest.param({}, id="not at all")]


@pytest.mark.parametrize("lack", NULLS)
def test_assets_of_no_property_move_no_other_asset(small_nights: SmallHome, lack: dict[str, None]) -> None:
    """A backfill of such assets took their former property for the property of each asset, on all later nights too."""
    show(small_nights, lambda key: {"property": key, "formerProperty": "p0"})
    assert small_nights.sync().exit_code == 0
    for one in small_nights.server.assets[:6]:
        del one["property"]
        one |= lack
    moved = small_nights.server.assets[:6]
    body = {"total": 6, "assets": moved, "types": small_nights.server.types}
    before = small_nights.server.answer
    small_nights.server.answer = lambda path, query: (
        (200, body) if path == "/properties/assets" and "id" in query else before(path, query)
    )
    small_nights.backfill(Scope(assets=tuple(f"a{number}" for number in range(6))))
    assert small_nights.sync().exit_code == 0
    others = small_nights.column("select property_id from assets where asset_id > 'a5' order by asset_id")
    assert others == ["p2", "p3", "p0", "p1"]


@pytest.mark.parametrize("form", [lambda key: {"properties": [key]}, lambda key: {"property": [{"id": key}]}])
def test_properties_in_an_array_are_never_silent(small_nights: SmallHome, form: Form) -> None:
    show(small_nights, form)
    assert small_nights.sync().left_behind[0].startswith("assets: property could not be read: ")
    show(small_nights, lambda key: {"property": key})
    assert small_nights.sync().exit_code == 0
    assert properties(small_nights) == ["p0", "p1", "p2", "p3"]


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(lambda key: {"property": f"{key[1]} High Street", "propertyId": key}, id="beside an address"),
        pytest.param(lambda key: {"property": {"address": f"{key[1]} Lea", "propertyId": key}}, id="in an object"),
        pytest.param(lambda key: {"property": {"name": "Lea", "reference": key}}, id="a reference"),
    ],
)
def test_an_id_counts_before_the_address_beside_it_from_the_first_night(small_nights: SmallHome, form: Form) -> None:
    """The address was the id of the property on each night: the first one had made it a known id."""
    show(small_nights, form)
    for _ in range(2):
        assert small_nights.sync().exit_code == 0
        assert properties(small_nights) == ["p0", "p1", "p2", "p3"]


@pytest.mark.parametrize("beside", ["postcode", "ownerId", "regionCode", "type", "parentPropertyId"])
def test_what_properties_share_is_no_id_of_theirs(small_nights: SmallHome, beside: str) -> None:
    """Four properties became one, since propsync took the postcode in their object for the id."""
    show(small_nights, lambda key: {"property": {"name": f"{key[1]} High Street", beside: "AB1"}})
    assert small_nights.sync().exit_code == 0
    assert properties(small_nights) == [f"{number} High Street" for number in range(4)]


def test_several_words_alone_are_the_id(small_nights: SmallHome) -> None:
    show(small_nights, lambda key: {"property": f"Block {key[1]}", "room": {"id": key}})
    assert small_nights.sync().left_behind == []
    assert properties(small_nights) == ["Block 0", "Block 1", "Block 2", "Block 3"]


def test_schedules_have_the_id_beside_an_address_as_their_key(small_nights: SmallHome) -> None:
    show(small_nights, lambda key: {"property": key})
    places = [(f"{number} High Street", f"p{number}") for number in range(6)]
    listed = [{"property": name, "propertyId": key, "type": "k1", "status": "notstarted"} for name, key in places]
    small_nights.server.answer = lambda path, query: (
        (200, {"total": len(listed), "schedules": listed[: int(query["limit"])]})
        if path.endswith("schedules")
        else None
    )
    keys = "select property_id from schedules order by 1"
    assert small_nights.sync().exit_code == 0
    assert small_nights.column(keys) == [key for _, key in places]
    del listed[2:]
    listed[0]["status"] = "inprogress"
    small_nights.sync()
    assert small_nights.column(keys)[:2] == ["p0", "p1"]


def test_assets_without_any_place_have_none_and_a_note(small_nights: SmallHome) -> None:
    show(small_nights, lambda key: {"location": {"id": key}})
    assert small_nights.sync().exit_code == 3
    show(small_nights, lambda key: {"location": "Roof", "room": {"id": key}})
    for one in small_nights.server.assets:
        del one["room"]
    assert small_nights.sync().exit_code == 0
    noted = "select count(*) from ops.schema_changes where change = 'documented member absent' and name = 'property'"
    assert small_nights.column(noted) == [1]


def test_types_and_assets_in_attributes_are_never_silent(small_nights: SmallHome) -> None:
    """Their names, fields and values were NULL, with exit code 0."""
    inner = {name: held for name, held in DOOR.items() if name != "id"}
    small_nights.server.types = [{"id": "t1", "attributes": inner}]
    small_nights.server.assets = [
        {"id": one["id"], "property": "p1", "type": "t1", "attributes": {"fields": one["fields"]}}
        for one in small_nights.server.assets
    ]
    assert small_nights.sync().left_behind == [
        "asset types: members could not be read: no record has name, but some have attributes.name; "
        "no record has fields, but some have attributes.fields. Run `propsync doctor`",
        "assets: members could not be read: no record has fields, but some have attributes.fields. "
        "Run `propsync doctor`",
    ]
