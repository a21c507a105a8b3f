"""The three lists: parameters, bounds, paging (API §4.2, 4.5, 4.9, 8)."""

import httpx
import pytest

from propsync_sandbox import Sandbox

LISTS = {"/properties/assets": "assets", "/assessments": "assessments", "/assessments/schedules": "schedules"}
ALL = {
    "/properties/assets": {},
    "/assessments": {"status": "inprogress,submitted,approved"},
    "/assessments/schedules": {},
}


def ids(page: dict, name: str) -> list:
    return [(row["property"], row["type"]) if name == "schedules" else row["id"] for row in page[name]]


@pytest.mark.parametrize("path", LISTS)
def test_pages_add_up_to_the_total_and_to_the_world(sandbox: Sandbox, client: httpx.Client, path: str) -> None:
    name, seen, page = LISTS[path], [], 0
    while True:
        page += 1
        told = client.get(path, params=ALL[path] | {"limit": 17, "page": page}).json()
        if not told[name]:
            break
        seen += ids(told, name)
        assert len(told[name]) <= 17
    assert len(seen) == len(set(seen)) == told["total"]
    assert set(seen) == set(sandbox.world.truth(name))


@pytest.mark.parametrize("path", LISTS)
def test_a_page_beyond_the_end_is_empty_and_tells_the_right_total(client: httpx.Client, path: str) -> None:
    name = LISTS[path]
    beyond = client.get(path, params={"page": 10**12}).json()
    assert beyond[name] == []
    assert beyond["total"] == client.get(path).json()["total"] > 0


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    "bounds", ["limit=0", "limit=1001", "limit=ten", "limit=", "limit=²", "page=0", "page=-1", "page=1.5"]
)
def test_limit_and_page_out_of_bounds_are_refused_with_a_code(client: httpx.Client, path: str, bounds: str) -> None:
    answer = client.get(f"{path}?{bounds}")
    assert answer.status_code == 400
    assert answer.json()["code"] == bounds.split("=")[0].capitalize() + "Invalid"


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(("limit", "shown"), [(1, 1), (2, 2)])
def test_limit_is_kept_from_its_lower_bound_on(client: httpx.Client, path: str, limit: int, shown: int) -> None:
    assert len(client.get(path, params={"limit": limit}).json()[LISTS[path]]) == shown


def test_a_page_holds_a_thousand_unless_told_otherwise(start) -> None:
    _, client = start(scale=1001)
    first = client.get("/properties/assets").json()
    assert (first["total"], len(first["assets"])) == (1001, 1000)
    assert len(client.get("/properties/assets?page=2").json()["assets"]) == 1
    assert len(client.get("/properties/assets?limit=1000").json()["assets"]) == 1000


def test_assets_are_filtered_by_id_property_and_type_together(sandbox: Sandbox, client: httpx.Client) -> None:
    some = sandbox.world.assets.records()[:5]
    told = client.get("/properties/assets", params={"id": ",".join(str(r.key) for r in some)}).json()
    assert [row["id"] for row in told["assets"]] == [r.key for r in some]
    assert told["total"] == 5
    one = some[0]
    both = client.get("/properties/assets", params={"property": one.property, "type": one.type}).json()["assets"]
    assert one.key in [row["id"] for row in both]
    assert {(row["property"], row["type"]) for row in both} == {(one.property, one.type)}


def test_asset_types_can_be_asked_for_by_id_or_by_name_mixed(sandbox: Sandbox, client: httpx.Client) -> None:
    first, second = sandbox.world.asset_types.truth()[:2]
    told = client.get("/properties/assets", params={"type": f"{first['id']},{second['name']}"}).json()
    expected = {r.key for r in sandbox.world.assets.records() if r.type in (first["id"], second["id"])}
    assert {row["id"] for row in told["assets"]} == expected != set()


def test_an_unknown_type_matches_nothing(client: httpx.Client) -> None:
    told = client.get("/properties/assets?type=Spaceships").json()
    assert (told["total"], told["assets"]) == (0, [])


def test_every_page_of_assets_carries_the_asset_types(client: httpx.Client) -> None:
    types = client.get("/properties/assets/types").json()["type"]
    assert client.get("/properties/assets?page=99").json()["types"] == types
    assert len(types) >= 12


def test_assessments_default_to_approved_for_and_by(sandbox: Sandbox, client: httpx.Client) -> None:
    told = client.get("/assessments").json()
    assert {row["status"] for row in told["assessments"]} == {"approved"}
    assert told["total"] == sum(r.status == "approved" for r in sandbox.world.assessments.records())


@pytest.mark.parametrize("performed", ["For", "By", "For,By"])
def test_performed_takes_those_made_for_by_or_either(sandbox: Sandbox, client: httpx.Client, performed: str) -> None:
    told = client.get("/assessments", params={"performed": performed}).json()["assessments"]
    asked = set(performed.split(","))
    approved = [r for r in sandbox.world.assessments.records() if r.status == "approved"]
    assert {row["id"] for row in told} == {r.key for r in approved if r.performed & asked}


def test_some_assessments_are_for_some_by_and_some_both(sandbox: Sandbox) -> None:
    sides = {r.performed for r in sandbox.world.assessments.records()}
    assert sides == {frozenset({"For"}), frozenset({"By"}), frozenset({"For", "By"})}


def test_another_word_for_performed_is_refused(client: httpx.Client) -> None:
    assert client.get("/assessments?performed=Near").json()["code"] == "PerformedInvalid"


def test_assessments_are_filtered_by_id_property_type_and_status(sandbox: Sandbox, client: httpx.Client) -> None:
    one = next(r for r in sandbox.world.assessments.records() if r.status == "submitted")
    for name, value in (("assessment", one.key), ("property", one.property), ("type", one.type)):
        told = client.get("/assessments", params={name: value, "status": "submitted"}).json()
        assert one.key in [row["id"] for row in told["assessments"]]
        member = "id" if name == "assessment" else name
        assert {row[member] for row in told["assessments"]} == {value}
    assert client.get("/assessments", params={"assessment": one.key}).json()["total"] == 0


def test_flags_are_shown_only_when_asked_for(client: httpx.Client) -> None:
    assert not any("flags" in row for row in client.get("/assessments").json()["assessments"])
    assert not any("flags" in row for row in client.get("/assessments?includeflags=false").json()["assessments"])
    flagged = client.get("/assessments?includeflags=true").json()["assessments"]
    assert all("flags" in row for row in flagged)
    histories = [flag["history"] for row in flagged for flag in row["flags"]]
    assert any(histories)


def test_includeflags_must_be_a_boolean(client: httpx.Client) -> None:
    answer = client.get("/assessments?includeflags=perhaps")
    assert (answer.status_code, answer.json()["code"]) == (400, "IncludeflagsInvalid")


def test_schedules_are_filtered_by_property_its_old_name_type_and_status(
    sandbox: Sandbox, client: httpx.Client
) -> None:
    one = sandbox.world.schedules.records()[0]
    for name, value in (("property", one.property), ("asset", one.property), ("type", one.type)):
        rows = client.get("/assessments/schedules", params={name: value}).json()["schedules"]
        member = "type" if name == "type" else "property"
        assert {row[member] for row in rows} == {value}
        assert one.members() in rows
    for status in ("notstarted", "inprogress"):
        rows = client.get("/assessments/schedules", params={"status": status}).json()["schedules"]
        assert {row["status"] for row in rows} == {status}


def test_a_status_outside_the_defaults_is_shown_only_when_asked_for(start) -> None:
    sandbox, client = start()
    key = sandbox.world.schedules.pick()
    sandbox.world.schedules.set_status(key, "completed")
    default = client.get("/assessments/schedules").json()
    assert key not in ids(default, "schedules")
    assert default["total"] == len(sandbox.world.schedules) - 1
    asked = client.get("/assessments/schedules?status=completed").json()
    assert ids(asked, "schedules") == [key]


def test_assessment_types_are_listed(sandbox: Sandbox, client: httpx.Client) -> None:
    told = client.get("/assessments/types").json()["types"]
    assert len(told) == 9
    assert {r.type for r in sandbox.world.assessments.records()} <= {kind["id"] for kind in told}


def test_the_schedule_reference_appears_on_its_assessments(sandbox: Sandbox) -> None:
    linked = 0
    for assessment in sandbox.world.truth("assessments").values():
        schedule = sandbox.world.schedules.get((assessment["property"], assessment["type"]))
        expected = schedule.members()["customReference"] if schedule else None
        assert assessment["scheduleCustomReference"] == expected
        linked += expected is not None
    assert linked > 5
