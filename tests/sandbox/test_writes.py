"""POST, PATCH, PUT, DELETE and single schedules (API §2.3, 4.3, 4.4, 4.10 to 4.12, 7)."""

from decimal import Decimal
from typing import Any

import httpx
import pytest

from propsync_sandbox import Sandbox


@pytest.fixture
def pair(start) -> tuple[Sandbox, httpx.Client]:
    return start()


def field(sandbox: Sandbox, kind: str) -> tuple[str, dict]:
    """A type that has a field of this kind, and the field."""
    for asset_type in sandbox.world.asset_types.truth():
        for definition in asset_type["fields"]:
            if definition["type"] == kind:
                return asset_type["id"], definition
    raise LookupError(kind)


def results(sandbox: Sandbox, asset_id: str) -> dict:
    members = sandbox.world.assets.get(asset_id).members()
    return {result["field"]: result["value"] for result in members["fields"]}


def test_post_creates_an_asset_that_the_list_then_shows(pair) -> None:
    sandbox, client = pair
    type_id, text = field(sandbox, "text")
    place = sandbox.world.properties.ids()[0]
    answer = client.post(f"/properties/{place}/assets", json={"type": type_id, "values": {text["id"]: "Newydd"}})
    assert answer.status_code == 200
    listed = client.get("/properties/assets", params={"id": answer.json()["id"]}).json()["assets"]
    assert listed[0]["property"] == place
    assert listed[0]["fields"] == [{"type": "text", "field": text["id"], "value": "Newydd"}]


def test_post_without_values_creates_an_empty_asset(pair) -> None:
    sandbox, client = pair
    type_id, _ = field(sandbox, "text")
    made = client.post(f"/properties/{sandbox.world.properties.ids()[0]}/assets", json={"type": type_id}).json()["id"]
    assert results(sandbox, made) == {}


def accepted(definition: dict[str, Any]) -> Any:
    kind = definition["type"]
    if kind == "option":
        return [[], [definition["options"][0]["id"]], [option["id"] for option in definition["options"]]]
    return {
        "text": ["", 'a "quoted"\nline', "Tŷ 🏠"],
        "number": [0, -3, 12.5, 2**60 + 1],
        "date": ["2026-02-28", "2024-02-29"],
        "time": ["00:00", "23:59"],
        "qr": ["QR1"],
    }[kind]


def refused(definition: dict) -> list:
    if definition["type"] == "option":
        return [definition["options"][0]["id"], ["unknown"], [1], {}]
    return {
        "text": [1, [], {}, True],
        "number": ["12", True, []],
        "date": ["2026-02-30", "28/02/2026", "2026-2-8", "2026-02-28T00:00:00", 20260228],
        "time": ["24:00", "7:30", "07:30:00", "07.30", 730],
        "qr": [1, []],
    }[definition["type"]]


@pytest.mark.parametrize("kind", ["text", "number", "option", "date", "time", "qr"])
def test_patch_stores_values_that_fit_and_null_removes_them(pair, kind: str) -> None:
    sandbox, client = pair
    type_id, definition = field(sandbox, kind)
    place = sandbox.world.properties.ids()[0]
    asset = sandbox.world.assets.add(place, type_id, {})
    for value in accepted(definition):
        answer = client.patch(f"/properties/{place}/assets/{asset}", json={"values": {definition["id"]: value}})
        assert (answer.status_code, answer.content) == (204, b"")
        assert results(sandbox, asset) == {definition["id"]: value}
    client.patch(f"/properties/{place}/assets/{asset}", json={"values": {definition["id"]: None}})
    assert results(sandbox, asset) == {}


@pytest.mark.parametrize("kind", ["text", "number", "option", "date", "time", "qr"])
def test_patch_refuses_values_that_do_not_fit_their_kind(pair, kind: str) -> None:
    sandbox, client = pair
    type_id, definition = field(sandbox, kind)
    place = sandbox.world.properties.ids()[0]
    asset = sandbox.world.assets.add(place, type_id, {})
    for value in refused(definition):
        answer = client.patch(f"/properties/{place}/assets/{asset}", json={"values": {definition["id"]: value}})
        assert (answer.status_code, answer.json()["code"]) == (400, "PropertyAssetValuesInvalid"), value
    assert results(sandbox, asset) == {}


@pytest.mark.parametrize("kind", ["image", "file", "pin"])
def test_fields_that_cannot_be_written_have_a_code_of_their_own(pair, kind: str) -> None:
    sandbox, client = pair
    type_id, definition = field(sandbox, kind)
    place = sandbox.world.properties.ids()[0]
    asset = sandbox.world.assets.add(place, type_id)
    for field_id in (definition["id"], "no-such-field"):
        answer = client.patch(f"/properties/{place}/assets/{asset}", json={"values": {field_id: None}})
        assert answer.json()["code"] == "FieldInvalidNotSupported"


def test_a_patch_that_is_refused_changes_nothing_at_all(pair) -> None:
    sandbox, client = pair
    type_id, text = field(sandbox, "text")
    place = sandbox.world.properties.ids()[0]
    asset = sandbox.world.assets.add(place, type_id, {text["id"]: "before"})
    client.patch(f"/properties/{place}/assets/{asset}", json={"values": {text["id"]: "after", "unknown": 1}})
    assert results(sandbox, asset) == {text["id"]: "before"}
    assert sandbox.world.assets.get(asset).version == 1


def test_decimals_are_kept_as_they_were_written(pair) -> None:
    sandbox, client = pair
    type_id, number = field(sandbox, "number")
    place = sandbox.world.properties.ids()[0]
    asset = sandbox.world.assets.add(place, type_id, {})
    body = f'{{"values": {{"{number["id"]}": 12.50}}}}'
    client.patch(f"/properties/{place}/assets/{asset}", content=body)
    assert b'"value":12.50}' in client.get("/properties/assets", params={"id": asset}).content
    assert results(sandbox, asset) == {number["id"]: Decimal("12.50")}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "PropertyAssetValuesInvalidFormat"),
        (b"[]", "PropertyAssetValuesInvalidFormat"),
        (b"{not json", "PropertyAssetValuesInvalidFormat"),
        (b"{}", "AssetTypeIdRequired"),
        (b'{"type": ""}', "AssetTypeIdRequired"),
        (b'{"type": "TYPE", "values": []}', "PropertyAssetValuesInvalidFormat"),
        (b'{"type": "TYPE", "values": null}', "PropertyAssetValuesInvalidFormat"),
        (b'{"type": "unknown"}', "AssetTypeNotFound"),
        (b'{"type": "TYPE", "values": {"unknown": 1}}', "FieldInvalidNotSupported"),
        (b'{"type": "TYPE", "values": {"FIELD": NaN}}', "PropertyAssetValuesInvalidFormat"),
        (b'{"type": "TYPE", "values": {"FIELD": "\\ud800"}}', "PropertyAssetValuesInvalidFormat"),
        (b'{"type": "TYPE", "values": {"FIELD": 1}}', "PropertyAssetValuesInvalid"),
    ],
)
def test_post_names_what_is_wrong(pair, body: bytes, code: str) -> None:
    sandbox, client = pair
    type_id, text = field(sandbox, "text")
    body = body.replace(b"TYPE", type_id.encode()).replace(b"FIELD", text["id"].encode())
    before = len(sandbox.world.assets)
    answer = client.post(f"/properties/{sandbox.world.properties.ids()[0]}/assets", content=body)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert len(sandbox.world.assets) == before


def test_missing_and_unknown_ids_in_the_path_have_their_codes(pair) -> None:
    sandbox, client = pair
    type_id, _ = field(sandbox, "text")
    place = sandbox.world.properties.ids()[0]
    other = next(r for r in sandbox.world.assets.records() if r.property != place)
    post = {"json": {"type": type_id}}
    patch: Any = {"json": {"values": {}}}
    told = [
        client.post("/properties//assets", **post),
        client.post("/properties/unknown/assets", **post),
        client.patch(f"/properties//assets/{other.key}", **patch),
        client.patch(f"/properties/{place}/assets/", **patch),
        client.patch(f"/properties/unknown/assets/{other.key}", **patch),
        client.patch(f"/properties/{place}/assets/unknown", **patch),
        client.patch(f"/properties/{place}/assets/{other.key}", **patch),
        client.patch(f"/properties/{other.property}/assets/{other.key}", json={}),
    ]
    assert {answer.status_code for answer in told} == {400}
    assert [answer.json()["code"] for answer in told] == [
        "PropertyIdRequired",
        "PropertyNotFound",
        "PropertyIdRequired",
        "PropertyAssetIdRequired",
        "PropertyNotFound",
        "PropertyAssetNotFound",
        "PropertyAssetNotFound",
        "PropertyAssetValuesInvalidFormat",
    ]


def test_put_creates_a_schedule_and_get_shows_all_its_members(pair) -> None:
    sandbox, client = pair
    place, type_id = sandbox.world.schedules.free_pair()
    path = f"/assessments/schedules/{place}/{type_id}"
    assert client.get(path).status_code == 404
    answer = client.put(path, json={"dueDate": "2026-05-01", "assignedUsers": ["u1"]})
    assert (answer.status_code, answer.content) == (204, b"")
    assert client.get(path).json() == {
        "property": place,
        "asset": place,
        "type": type_id,
        "status": "notstarted",
        "dueDate": "2026-05-01",
        "description": None,
        "customReference": None,
        "assignedUsers": ["u1"],
    }


def test_put_keeps_what_it_does_not_name(pair) -> None:
    sandbox, client = pair
    place, type_id = sandbox.world.schedules.pick()
    path = f"/assessments/schedules/{place}/{type_id}"
    before = client.get(path).json()
    client.put(path, json={"description": "Ring the bell"})
    assert client.get(path).json() == before | {"description": "Ring the bell"}
    client.put(path)
    assert client.get(path).json() == before | {"description": "Ring the bell"}


def test_a_new_schedule_reference_reaches_its_assessments(pair) -> None:
    sandbox, client = pair
    place, type_id = sandbox.world.schedules.pick()
    assessment = sandbox.world.assessments.add(place, type_id, status="approved")
    client.put(f"/assessments/schedules/{place}/{type_id}", json={"customReference": "FRA/9"})
    told = client.get("/assessments", params={"assessment": assessment}).json()["assessments"]
    assert told[0]["scheduleCustomReference"] == "FRA/9"


@pytest.mark.parametrize(
    "body",
    [{"dueDate": "1/5/2026"}, {"dueDate": 5}, {"description": 5}, {"customReference": []}, {"assignedUsers": "u1"}, []],
)
def test_put_refuses_members_of_the_wrong_kind(pair, body) -> None:
    sandbox, client = pair
    place, type_id = sandbox.world.schedules.pick()
    before = sandbox.world.schedules.get((place, type_id))
    answer = client.put(f"/assessments/schedules/{place}/{type_id}", json=body)
    assert answer.status_code == 400
    assert isinstance(answer.json()["code"], str)
    assert sandbox.world.schedules.get((place, type_id)) is before


def test_delete_takes_a_schedule_away_once(pair) -> None:
    sandbox, client = pair
    place, type_id = sandbox.world.schedules.pick()
    path = f"/assessments/schedules/{place}/{type_id}"
    answer = client.delete(path)
    assert (answer.status_code, answer.content) == (204, b"")
    assert client.delete(path).status_code == client.get(path).status_code == 404
    assert (place, type_id) not in sandbox.world.schedules


def test_a_schedule_of_an_unknown_property_or_type_cannot_be_put(pair) -> None:
    sandbox, client = pair
    place, type_id = sandbox.world.schedules.pick()
    assert client.put(f"/assessments/schedules/unknown/{type_id}").json()["code"] == "PropertyNotFound"
    assert client.put(f"/assessments/schedules/{place}/unknown").json()["code"] == "AssessmentTypeNotFound"


BOTH = ("PropertyIdRequired", "PropertyAssetValuesInvalidFormat", "PropertyNotFound", "FieldInvalidNotSupported")
CODES = [(verb, code) for verb in ("POST", "PATCH") for code in (*BOTH, "PropertyAssetValuesInvalid")]
CODES += [("POST", "AssetTypeIdRequired"), ("POST", "AssetTypeNotFound")]
CODES += [("PATCH", "PropertyAssetIdRequired"), ("PATCH", "PropertyAssetNotFound")]


@pytest.mark.parametrize(("verb", "code"), CODES)
def test_each_code_of_the_apis_table_can_be_had_and_leaves_no_effect(pair, verb: str, code: str) -> None:
    """API §7, every "yes" of the table, by the simplest request that deserves it."""
    sandbox, client = pair
    record = sandbox.world.assets.records()[0]
    text = next(one for one in sandbox.world.asset_types.fields(record.type) if one["type"] == "text")
    place, asset, body = record.property, f"/{record.key}", {"type": record.type, "values": {}}
    if code.endswith(("IdRequired", "NotFound")):
        wrong = "" if code.endswith("Required") else "unknown"
        place = wrong if code.startswith("PropertyId") or code == "PropertyNotFound" else place
        asset = f"/{wrong}" if code.startswith("PropertyAsset") else asset
        body |= {"type": wrong} if code.startswith("AssetType") else {}
    else:
        values = {"PropertyAssetValuesInvalidFormat": [], "FieldInvalidNotSupported": {"unknown": "x"}}
        body["values"] = values.get(code, {text["id"]: 5})
    answer = client.request(verb, f"/properties/{place}/assets{asset if verb == 'PATCH' else ''}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert sandbox.journal.writes() == []
