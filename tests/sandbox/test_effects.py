"""Effects of writes: the log of them, lost answers, a store that normalises, and an edit by somebody else."""

import json
from decimal import Decimal
from typing import Any

import httpx
import pytest

from propsync_sandbox import Sandbox

LOST = [
    {"kind": "close"},
    {"kind": "reset"},
    {"kind": "reset", "where": "body"},
    {"kind": "cut_body"},
    {"kind": "cut_chunked"},
    {"kind": "stall", "seconds": 0, "apply": True},
    {"kind": "status", "status": 502, "apply": True},
    {"kind": "wrong_content", "content": "html"},
]
PREVENTED = [
    {"kind": "close", "apply": False},
    {"kind": "reset", "apply": False},
    {"kind": "stall", "seconds": 0},
    {"kind": "status", "status": 401},
]


def place_of_writes(sandbox: Sandbox) -> tuple[str, str, str]:
    """An asset, its property, and a text field of its type."""
    record = sandbox.world.assets.records()[0]
    text = next(one for one in sandbox.world.asset_types.fields(record.type) if one["type"] == "text")
    return str(record.key), record.property, text["id"]


def request_of(sandbox: Sandbox, verb: str) -> dict[str, Any]:
    """One request that changes the world, by its method."""
    asset, place, text = place_of_writes(sandbox)
    kind = sandbox.world.assets.get(asset).type
    pair = sandbox.world.schedules.keys()[0]
    schedule = f"/assessments/schedules/{pair[0]}/{pair[1]}"
    requests: dict[str, dict[str, Any]] = {
        "POST": {"url": f"/properties/{place}/assets", "json": {"type": kind, "values": {text: "new"}}},
        "PATCH": {"url": f"/properties/{place}/assets/{asset}", "json": {"values": {text: "new"}}},
        "PUT": {"url": schedule, "json": {"description": "new"}},
        "DELETE": {"url": schedule},
    }
    return requests[verb] | {"method": verb}


def lines(client: httpx.Client) -> list[dict[str, Any]]:
    answer = client.get("/_sandbox/writes", headers={"Authorization": "none"})
    return [json.loads(line) for line in answer.text.splitlines()]


def send(client: httpx.Client, request: dict[str, Any]) -> int | None:
    """The status, None if no whole answer came."""
    try:
        return client.request(**request).status_code
    except httpx.TransportError:
        return None


@pytest.mark.parametrize("verb", ["POST", "PATCH", "PUT", "DELETE"])
@pytest.mark.parametrize("effect", LOST, ids=lambda effect: "-".join(map(str, effect.values())))
def test_a_write_whose_answer_is_lost_has_its_effect_and_the_log_says_both(start, verb: str, effect: dict) -> None:
    sandbox, client = start(faults=[{"match": {"method": verb}, "effect": effect}])
    status = send(client, request_of(sandbox, verb))
    assert status == {"status": 502, "wrong_content": 200}.get(effect["kind"])
    (told,) = lines(client)
    assert (told["method"], told["delivered"], told["fault"]) == (verb, False, effect["kind"])


@pytest.mark.parametrize("verb", ["POST", "PATCH", "PUT", "DELETE"])
@pytest.mark.parametrize("effect", PREVENTED, ids=lambda effect: effect["kind"])
def test_a_fault_without_apply_prevents_the_effect(start, verb: str, effect: dict) -> None:
    sandbox, client = start(faults=[{"match": {"method": verb}, "effect": effect}])
    changes = len(sandbox.world.changes)
    assert send(client, request_of(sandbox, verb)) == (401 if effect["kind"] == "status" else None)
    assert (lines(client), len(sandbox.world.changes)) == ([], changes)


def test_the_log_has_each_effect_in_order_with_its_key_and_values(start) -> None:
    sandbox, client = start(journal=False)
    asset, _, text = place_of_writes(sandbox)
    pair = sandbox.world.schedules.keys()[0]
    made = client.request(**request_of(sandbox, "POST")).json()["id"]
    for verb in ("PATCH", "PUT", "DELETE", "PUT"):
        assert client.request(**request_of(sandbox, verb) | {"url": url_of(sandbox, verb, pair)}).status_code == 204
    told = lines(client)
    assert [(one["action"], one["resource"], one["key"], one["values"]) for one in told] == [
        ("create", "assets", made, {text: "new"}),
        ("update", "assets", asset, {text: "new"}),
        ("update", "schedules", list(pair), {"description": "new"}),
        ("delete", "schedules", list(pair), None),
        ("create", "schedules", list(pair), {"description": "new"}),
    ]
    assert [one["sequence"] for one in told] == [1, 2, 3, 4, 5]
    assert all(one["delivered"] and one["caller"].startswith("caller-") for one in told)


def url_of(sandbox: Sandbox, verb: str, pair: Any) -> str:
    url: str = request_of(sandbox, verb)["url"]
    return f"/assessments/schedules/{pair[0]}/{pair[1]}" if verb in ("PUT", "DELETE") else url


@pytest.mark.parametrize("verb", ["PATCH", "PUT", "DELETE"])
def test_a_write_that_is_repeated_has_one_effect(start, verb: str) -> None:
    sandbox, client = start()
    request = request_of(sandbox, verb)
    client.request(**request)
    client.request(**request)
    sandbox.journal.clear()
    assert len(lines(client)) == 1


def test_a_read_and_a_refused_write_have_no_effect(start) -> None:
    sandbox, client = start()
    client.get("/properties/assets")
    client.request(**request_of(sandbox, "POST") | {"json": {"type": "unknown"}})
    assert lines(client) == []


NORMALISED = [
    ("text", "  two \t words\n", "two words"),
    ("qr", " QR 1 ", "QR 1"),
    ("number", "12.345", "12.35"),
    ("number", "12.50", "12.50"),
    ("number", "-0.005", "-0.01"),
    ("number", "7", "7"),
    ("number", "1234567890123456789012345678901234567890.129", "1234567890123456789012345678901234567890.13"),
    ("number", "1E-400", "0.00"),
    ("date", "2026-02-28", "2026-02-28"),
]


@pytest.mark.parametrize(("kind", "sent", "kept"), NORMALISED)
def test_a_store_that_normalises_keeps_another_value(start, kind: str, sent: str, kept: str) -> None:
    sandbox, client = start(normalise=True)
    type_id, field = next(
        (one["id"], field)
        for one in sandbox.world.asset_types.truth()
        for field in one["fields"]
        if field["type"] == kind
    )
    url = f"/properties/{sandbox.world.properties.ids()[0]}/assets"
    value = sent if kind == "number" else json.dumps(sent)
    body = f'{{"type": "{type_id}", "values": {{"{field["id"]}": {value}}}}}'
    record = sandbox.world.assets.get(client.post(url, content=body).json()["id"])
    wanted = kept if kind != "number" else (int(kept) if kept.isdigit() else Decimal(kept))
    assert record.members()["fields"] == [{"type": kind, "field": field["id"], "value": wanted}]
    assert lines(client)[0]["values"] == json.loads(body)["values"]


def test_it_sorts_options_of_a_patch_and_users_of_a_put(start) -> None:
    sandbox, client = start(normalise=True)
    record, field = next(
        (record, field)
        for record in sandbox.world.assets.records()
        for field in sandbox.world.asset_types.fields(record.type)
        if field["type"] == "option"
    )
    options = sorted((one["id"] for one in field["options"]), reverse=True)
    client.patch(f"/properties/{record.property}/assets/{record.key}", json={"values": {field["id"]: options}})
    kept = {one["field"]: one["value"] for one in sandbox.world.assets.get(record.key).members()["fields"]}
    assert kept[field["id"]] == sorted(options) != options
    client.put(request_of(sandbox, "PUT")["url"], json={"assignedUsers": ["b", "a"], "description": " a  b "})
    members = sandbox.world.schedules.get(sandbox.world.schedules.keys()[0]).members()
    assert (members["assignedUsers"], members["description"]) == (["a", "b"], "a b")


def text_of(sandbox: Sandbox, asset: str, field: str) -> object:
    return {one["field"]: one["value"] for one in sandbox.world.assets.get(asset).members()["fields"]}.get(field)


def test_somebody_else_edits_deletes_and_is_no_caller(start) -> None:
    sandbox, client = start()
    asset, _, text = place_of_writes(sandbox)
    pair = sandbox.world.schedules.keys()[0]
    edits = [(asset, {text: "theirs"}), (pair, {"dueDate": "2027-01-01"})]
    for key, values in edits:
        assert client.post("/_sandbox/edit", json={"key": key, "values": values}).status_code == 204
    assert text_of(sandbox, asset, text) == "theirs"
    assert sandbox.world.schedules.get(pair).members()["dueDate"] == "2027-01-01"
    assert client.post("/_sandbox/edit", json={"key": pair, "values": None}).status_code == 204
    assert pair not in sandbox.world.schedules
    assert (lines(client), len(sandbox.journal)) == ([], 0)


@pytest.mark.parametrize(
    ("edit", "status", "code"),
    [
        ("[]", 400, "EditInvalid"),
        ("{", 400, "EditInvalid"),
        ('{"key": 5, "values": {}}', 400, "EditInvalid"),
        ('{"key": ["one"], "values": {}}', 400, "EditInvalid"),
        ('{"key": "ASSET", "values": []}', 400, "EditInvalid"),
        ('{"key": "ASSET"}', 400, "EditInvalid"),
        ('{"key": "unknown", "values": {}}', 404, "RecordNotFound"),
        ('{"key": "ASSET", "values": {"unknown": 1}}', 400, "FieldInvalidNotSupported"),
    ],
)
def test_an_edit_that_cannot_be_made_is_refused(start, edit: str, status: int, code: str) -> None:
    sandbox, client = start()
    body = edit.replace("ASSET", place_of_writes(sandbox)[0])
    answer = client.post("/_sandbox/edit", content=body)
    assert (answer.status_code, answer.json()["code"], len(sandbox.world.changes)) == (status, code, 0)


def test_an_edit_of_the_fault_plan_comes_between_a_look_and_a_write(start) -> None:
    sandbox, client = start()
    asset, place, text = place_of_writes(sandbox)
    edit = {"kind": "edit", "key": asset, "values": {text: "theirs"}}
    sandbox.set_faults([{"match": {"method": "PATCH"}, "times": 1, "effect": edit}])
    look = client.get("/properties/assets", params={"id": asset})
    assert b"theirs" not in look.content
    mine = {"values": {text: "mine"}}
    assert client.patch(f"/properties/{place}/assets/{asset}", json=mine).status_code == 204
    versions = [change.after.members()["fields"] for change in sandbox.world.changes]
    assert [next(one["value"] for one in fields if one["field"] == text) for fields in versions] == ["theirs", "mine"]
    assert [one["delivered"] for one in lines(client)] == [True]


def test_an_edit_of_the_fault_plan_that_cannot_be_made_is_no_silence(start) -> None:
    _, client = start(faults=[{"effect": {"kind": "edit", "key": "unknown", "values": None}}])
    assert client.get("/assessments").json()["code"] == "RecordNotFound"
