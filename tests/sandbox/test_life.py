"""The world is lifelike: its dates agree, work moves forward, flags and actions close after they began."""

from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from propsync_sandbox import RESOURCES, Change, World, live_through_a_night
from propsync_sandbox.duties import DUTIES
from propsync_sandbox.findings import subject
from propsync_sandbox.remedies import actions

NIGHTS = 12
FORWARD = {("inprogress", "submitted"), ("submitted", "approved")}


@pytest.fixture(scope="module")
def begun() -> World:
    """Read only."""
    return World(seed=5, scale=4000)


@pytest.fixture(scope="module")
def lived() -> World:
    """After some nights; read only."""
    world = World(seed=5, scale=4000)
    for _ in range(NIGHTS):
        live_through_a_night(world)
    return world


def steps(world: World, resource: str) -> list[Change]:
    return [change for change in world.changes if change.resource == resource]


def members(world: World, change: Change) -> tuple[dict[str, Any], dict[str, Any]]:
    assert change.before is not None
    assert change.after is not None
    return change.before.members(), change.after.members()


def test_a_night_is_a_day(lived: World) -> None:
    assert lived.today == lived.calendar.first + timedelta(days=NIGHTS)
    assert [change.day - lived.calendar.first for change in lived.changes] == [
        timedelta(days=change.night) for change in lived.changes
    ]


@pytest.mark.parametrize("when", ["begun", "lived"])
def test_compliance_differs_by_type_as_it_does_in_life(when: str, request: pytest.FixtureRequest) -> None:
    world: World = request.getfixturevalue(when)
    due: dict[str, list[bool]] = {duty.name: [] for duty in DUTIES}
    for row in world.truth("schedules").values():
        if row["dueDate"]:
            due[world.assessment_types.get(row["type"])["name"]].append(row["dueDate"] >= world.today.isoformat())
    shares = {name: sum(ahead) / len(ahead) for name, ahead in due.items()}
    assert all(0.5 < share < 0.995 for share in shares.values()), shares
    assert shares["Gas safety check"] > shares["Asbestos survey"] > shares["Fire door inspection"]


def test_due_dates_are_overdue_soon_and_far_and_some_are_missing(begun: World) -> None:
    rows = list(begun.truth("schedules").values())
    ahead = [(date.fromisoformat(row["dueDate"]) - begun.today).days for row in rows if row["dueDate"]]
    for least, most in ((-400, -1), (0, 30), (31, 60), (61, 90), (91, 4000)):
        assert sum(least <= days <= most for days in ahead) > 20
    assert 0.01 < 1 - len(ahead) / len(rows) < 0.1
    assert {len(row["assignedUsers"]) for row in rows} == {0, 1, 2, 3}


def test_a_due_date_follows_from_the_last_approved_assessment(begun: World) -> None:
    last: dict[tuple[str, str], str] = {}
    for row in begun.truth("assessments").values():
        pair = (row["property"], row["type"])
        if row["status"] == "approved":
            last[pair] = max(last.get(pair, ""), row["performedDate"])
    months = {
        kind["id"]: duty for duty in DUTIES for kind in begun.assessment_types.truth() if kind["name"] == duty.name
    }
    follows = [
        row["dueDate"] == months[pair[1]].next_after(date.fromisoformat(last[pair])).isoformat()
        for pair, row in begun.truth("schedules").items()
        if isinstance(pair, tuple) and pair in last and row["dueDate"]
    ]
    assert sum(follows) / len(follows) > 0.9


def test_most_work_moves_forward(lived: World) -> None:
    moves: Counter[tuple[str, str]] = Counter()
    for change in steps(lived, "assessments"):
        if change.kind == "edited":
            before, after = members(lived, change)
            if before["status"] != after["status"]:
                moves[before["status"], after["status"]] += 1
    assert sum(moves[move] for move in FORWARD) / moves.total() > 0.9
    assert all(moves[move] > 5 for move in FORWARD)


def test_an_approval_moves_the_due_date_on_and_some_are_moved_after_passing(lived: World) -> None:
    approved = later = 0
    for change in steps(lived, "schedules"):
        if change.kind == "edited":
            before, after = members(lived, change)
            is_overdue = (before["dueDate"] or "9") < change.day.isoformat()
            if (before["status"], after["status"]) == ("inprogress", "notstarted"):
                approved += after["dueDate"] > change.day.isoformat()
            elif is_overdue and after["dueDate"] > before["dueDate"]:
                later += 1
    assert approved > 5
    assert later > 3


def test_flags_are_raised_before_they_close(lived: World) -> None:
    flags = [flag for row in lived.truth("assessments").values() for flag in row["flags"]]
    assert {flag["status"] for flag in flags} == {"open", "closed"}
    assert len({flag["priority"] for flag in flags}) == 4
    for flag in flags:
        moments = [entry["at"] for entry in flag["history"]]
        assert moments == sorted(moments)
        assert moments[0] == flag["raisedAt"]
        assert moments[-1][:10] <= lived.today.isoformat()
        assert flag["closedAt"] == (moments[-1] if flag["status"] == "closed" else None)
    ages = [lived.today - date.fromisoformat(flag["raisedAt"][:10]) for flag in flags if flag["status"] == "open"]
    assert min(ages) < timedelta(30) < timedelta(180) < max(ages)


def test_actions_close_from_day_to_day_and_never_open_again(begun: World, lived: World) -> None:
    closed, bare, days = 0, 0, Counter[str]()
    both = begun.assessments.by_key().keys() & lived.assessments.by_key().keys()
    for key in both:
        record = begun.assessments.get(key)
        assert record is not None
        old, new = actions(subject(begun, record)), actions(subject(lived, record))
        assert [row["id"] for row in old] == [row["id"] for row in new]
        for one, other in zip(old, new, strict=True):
            assert (one["status"], other["status"]) != ("closed", "open")
            assert bool(other["closedDate"]) == (other["status"] == "closed")
            closed += one["status"] != other["status"] == "closed"
            bare += other["status"] == "closed" and not other["evidence"]
            days[str(other["closedDate"])] += 1
    assert closed > 20
    assert bare > 20
    del days[""]
    assert days.most_common(1)[0][1] > 5 * days.total() / len(days)


def test_the_same_finding_comes_back_at_the_same_place(begun: World) -> None:
    seen: dict[tuple[object, ...], set[object]] = {}
    for record in begun.assessments.records():
        for row in actions(subject(begun, record)):
            seen.setdefault((record.property, row["title"], row["location"]), set()).add(record.key)
    assert sum(len(keys) > 1 for keys in seen.values()) > 50


def test_values_fit_their_labels(begun: World) -> None:
    ranges = {"Floors served": (3, 22), "Gap at head (mm)": (1, 6), "Efficiency (%)": (80, 95), "Risk score": (1, 25)}
    labels = {f["id"]: f["label"] for kind in begun.asset_types.truth() for f in kind["fields"]}
    for row in begun.truth("assets").values():
        shown = {labels[result["field"]]: result["value"] for result in row["fields"]}
        for label, (least, most) in ranges.items():
            if isinstance(shown.get(label), int | Decimal):
                assert least <= shown[label] <= most
        if is_day(shown.get("Date installed")) and is_day(shown.get("Last inspected")):
            assert shown["Date installed"] <= shown["Last inspected"] <= begun.today.isoformat()


def is_day(value: object) -> bool:
    return isinstance(value, str) and value[:2] in ("19", "20")


def test_lifts_are_where_a_property_has_one(begun: World) -> None:
    [lifts] = begun.asset_types.named({"Passenger lifts"})
    places = [begun.properties.get(row.property) for row in begun.assets.records() if row.type == lifts]
    assert all(place is not None and place.has_lift for place in places)


def test_fields_are_filled_to_different_degrees(begun: World) -> None:
    filled: Counter[str] = Counter()
    doors = begun.asset_types.ids()[0]
    labels = {f["id"]: f["label"] for f in begun.asset_types.fields(doors)}
    rows = [record.members() for record in begun.assets.records() if record.type == doors]
    for row in rows:
        filled.update(labels[result["field"]] for result in row["fields"] if result["value"] not in (None, "", []))
    assert filled["Door tag"] > 0.95 * len(rows) > filled["Certificate"] > 0.5 * len(rows)


def test_a_large_world_has_misfits_lookalikes_and_missing_documents_and_a_small_one_has_none(begun: World) -> None:
    assert {name for _, name in begun.assessments.withheld} == {"report.pdf", "bundle.zip"}
    tags = Counter(
        (row.type, result["value"])
        for row in begun.assets.records()
        for result in row.members()["fields"]
        if result["type"] == "qr" and result["value"]
    )
    assert sum(count > 1 for count in tags.values()) >= 2
    assert sum(b'"value":"unknown"' in row.body or b'"value":"N/A"' in row.body for row in begun.assets.records()) >= 2
    small = World(seed=5, scale=240)
    assert not small.assessments.withheld
    assert {row.version for row in small.assets.records()} == {1}


@pytest.mark.parametrize("resource", RESOURCES)
def test_the_log_of_changes_tells_what_a_night_did(resource: str) -> None:
    world = World(seed=8, scale=600)
    pictures = [world.shelf(resource).by_key()]
    for _ in range(3):
        live_through_a_night(world)
        pictures.append(world.shelf(resource).by_key())
    for night, picture in enumerate(pictures):
        assert world.records_at(resource, night) == picture
    last = [change for change in world.changes.of_night(3) if change.resource == resource]
    assert {change.kind for change in last} == {"added", "edited", "deleted"}
    came = {change.record.key for change in last if change.kind == "added"}
    assert pictures[3].keys() - pictures[2].keys() == came


def test_the_same_seed_has_the_same_changes() -> None:
    logs = []
    for _ in range(2):
        world = World(seed=8, scale=300)
        live_through_a_night(world)
        live_through_a_night(world)
        logs.append([change.as_json() for change in world.changes])
    assert logs[0] == logs[1]
    assert len(logs[0]) > 30
