"""A plan writes the values that it names: an API that removes the others of a record is found at the first write."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from kit.deaths import dying
from kit.push_home import PushHome

from propsync.errors import OtherValuesLost
from propsync.push.journals.records import verified, writes_of
from propsync.push.plan import DELETE, UPDATE, Entry, FieldChange, Plan
from propsync.push.sending import verdicts
from propsync.push.sending.other_values import OtherValues
from propsync.push.sending.shapes import AssetAnswers, AssetReading
from propsync.push.values.schedule_values import MEMBERS
from propsync.runbooks.push.undo import unfinished
from propsync_sandbox.exchange import Request


def edits_of_full_assets(home: PushHome, count: int) -> list[Entry]:
    """Updates of one text of assets that have other texts too."""
    found = []
    for asset_id, _, kind in home.assets(1_000):
        texts = [name for name, of in home.kinds(kind).items() if of == "text"]
        if len(texts) > 1:
            found.append(home.update(asset_id, {texts[0]: "ours"}))
    return found[:count]


def writable(home: PushHome, type_id: str) -> set[str]:
    return {name for name, kind in home.kinds(type_id).items() if kind not in ("image", "file", "pin")}


@pytest.mark.slow
def test_a_write_that_removes_all_other_values_stops_the_apply_at_once(home: PushHome) -> None:
    def replace_values(request: Request) -> None:
        """As an API whose PATCH puts the values in place of all that were there."""
        for action, key in list(home.effects) if request.method == "GET" else ():
            if action == "update" and key not in emptied:
                emptied.append(key)
                home.sandbox.world.assets.edit(key, dict.fromkeys(others[key]))

    emptied: list[str] = []
    plan = home.plan(*edits_of_full_assets(home, 6))
    others = {one.key[0]: writable(home, one.type_id) - {one.changes[0].field} for one in plan.entries}
    home.sandbox._server.app.before = replace_values
    with pytest.raises(OtherValuesLost, match="that the plan does not name are gone"):
        home.apply(plan)
    assert list(home.effects.values()) == [1], "the other five are as they were"
    assert home.writes("record_id, code") == [(emptied[0], "OthersChanged")], "what was sent is recorded"
    with pytest.raises(OtherValuesLost, match=emptied[0]):
        home.apply(plan)
    assert list(home.effects.values()) == [1], "the same command again sends nothing either"
    assert home.apply(plan, gives_up=True).exit_code == 3
    assert unfinished(home.settings()) == []


@pytest.mark.slow
def test_an_answer_from_before_the_write_does_not_say_that_values_stay(home: PushHome) -> None:
    plan = home.plan(*edits_of_full_assets(home, 3))
    first = plan.entries[0]
    late = [{one.field: one.old for one in first.changes}, {one.field: one.new for one in first.changes}]

    def replace_values(request: Request) -> None:
        """As an API whose PATCH puts the values in place of all others, and whose first answer after it is old."""
        for one in plan.entries if request.method == "GET" else ():
            if ("update", one.key[0]) not in home.effects:
                continue
            if one is first and late:
                home.sandbox.world.assets.edit(one.key[0], late.pop(0))
            if one is not first or not late:
                others = writable(home, one.type_id) - {one.changes[0].field}
                home.sandbox.world.assets.edit(one.key[0], dict.fromkeys(others))

    home.sandbox._server.app.before = replace_values
    with pytest.raises(OtherValuesLost):
        home.apply(plan, max_concurrency=1)
    assert list(home.effects.values()) == [1, 1], "the second write is compared"


@pytest.mark.slow
def test_one_look_after_the_first_write_is_enough(home: PushHome) -> None:
    plan = home.plan(*edits_of_full_assets(home, 4))
    assert home.apply(plan, max_concurrency=1).exit_code == 0
    looks = [one for one in home.sandbox.journal if one.method == "GET" and one.path == "/properties/assets"]
    assert len(looks) == 4 + 1 + 1, "one before each write, one after the first, one reading back"


class _AllWritable(AssetAnswers):
    def __init__(self) -> None:
        """Every field can be written."""

    def may_write(self, _type_id: str, _field_id: str) -> bool:
        return True


def test_a_number_that_the_api_writes_as_a_text_is_known_in_an_answer_from_before_the_write() -> None:
    def asset(values: dict[str, object]) -> AssetReading:
        return AssetReading("a", "p", "t", values)

    before = asset({"height": "12", "place": "hall", "note": "n"})
    height = FieldChange("height", "Height", "number", Decimal(12), Decimal(13))  # as the tables have it
    entry = Entry(2, UPDATE, ("a",), "p", "t", [height])
    others = OtherValues(_AllWritable())
    others.compare(entry, before, lambda: before)
    others.compare(entry, before, lambda: asset({"height": "13"}))
    with pytest.raises(OtherValuesLost):
        others.check()


@pytest.mark.slow
@pytest.mark.parametrize("becomes", [None, "theirs"])
def test_a_value_that_goes_or_changes_with_a_write_is_named(home: PushHome, becomes: str | None) -> None:
    """One of several: the API keeps the others of the asset."""

    def lose(request: Request) -> None:
        if request.method == "GET" and home.effects:
            home.sandbox.world.assets.edit(edit.key[0], {lost: becomes})

    (edit,) = edits_of_full_assets(home, 1)
    held = {name for name, value in home.values(edit.key[0]).items() if value}
    lost = min(held & writable(home, edit.type_id) - {edit.changes[0].field})
    ((label,),) = home.rows("select label from asset_type_fields where field_id = ?", lost)
    home.sandbox._server.app.before = lose
    plan = home.plan(edit)
    report = home.apply(plan)
    assert (report.exit_code, home.writes("state, code")) == (3, [("applied", "OthersChanged")])
    assert f"it is written, and {label} changed at the same time" in report.lines[0]
    assert home.apply(plan).lines == report.lines


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [True, False])
def test_a_value_that_went_with_a_write_is_named_by_a_later_apply(home: PushHome, *, is_killed: bool) -> None:
    (edit,) = edits_of_full_assets(home, 1)
    held = {name for name, value in home.values(edit.key[0]).items() if value}
    lost, later = sorted(held & writable(home, edit.type_id) - {edit.changes[0].field})[:2]
    ((label,),) = home.rows("select label from asset_type_fields where field_id = ?", lost)
    plan = home.plan(edit)
    if is_killed:
        with dying(3):  # right after the answer is in the journal
            home.apply(plan)
    else:
        home.sandbox.set_faults([{"match": {"method": "GET"}, "after": 3, "effect": {"kind": "status", "status": 500}}])
        assert "could not read it back" in home.apply(plan).lines[0]
        home.sandbox.set_faults([])
    home.sandbox.world.assets.edit(edit.key[0], {lost: None})
    report = home.apply(plan)
    assert (report.exit_code, home.writes("state, code")) == (3, [("applied", "OthersChanged")])
    assert f"it is written, and {label} changed at the same time" in report.lines[0]
    home.sandbox.world.assets.edit(edit.key[0], {later: None})
    assert home.apply(plan).is_repeat


@pytest.mark.slow
def test_what_somebody_removes_after_the_read_back_is_not_named(home: PushHome) -> None:
    first, second = edits_of_full_assets(home, 2)
    broken = {"method": "GET", "query": {"id": second.key[0]}}
    home.sandbox.set_faults([{"match": broken, "effect": {"kind": "status", "status": 500}}])
    plan = home.plan(first, second)
    assert home.apply(plan).counts() == {"verified": 1, "skipped": 0, "failed": 1}
    home.sandbox.set_faults([])
    held = {name for name, value in home.values(first.key[0]).items() if value}
    theirs = min(held & writable(home, first.type_id) - {first.changes[0].field})
    home.sandbox.world.assets.edit(first.key[0], {theirs: None})
    assert home.apply(plan).exit_code == 0


def test_a_record_that_lost_other_values_says_so_if_the_api_stored_another_value_too() -> None:
    change = FieldChange("f1", "Location", "text", "old", " new ")
    outcome = verdicts.others_changed(verdicts.applied(), ["Height"])
    plan = Plan("assets", "a.csv", "0", "run", [Entry(2, UPDATE, ("a1",), "p1", "t1", [change])])
    (write,) = writes_of(plan, {0: outcome})
    found = verified(write, {("a1",): {"f1": "new"}}, {})
    assert (found.state, found.code) == ("applied", "StoredOtherwise"), "an undo may replace it"
    assert "Height changed at the same time" in (found.message or "")
    assert "Also, the API stored another value than propsync sent" in (found.message or "")


@pytest.mark.slow
def test_an_edit_of_another_value_while_a_write_waits_is_not_named(home: PushHome) -> None:
    """Somebody edits it before the second attempt, so the write did not do that."""

    def edit_theirs(request: Request) -> None:
        if request.method == "PATCH":
            home.sandbox.world.assets.edit(edit.key[0], {other: "theirs"})

    (edit,) = edits_of_full_assets(home, 1)
    held = {name for name, value in home.values(edit.key[0]).items() if value}
    other = min(held & writable(home, edit.type_id) - {edit.changes[0].field})
    busy = {"match": {"method": "PATCH"}, "times": 1, "effect": {"kind": "status", "status": 503}}
    home.sandbox.set_faults([busy])
    home.sandbox._server.app.before = edit_theirs
    assert home.apply(home.plan(edit)).exit_code == 0
    assert "theirs" in home.values(edit.key[0])[other]


@pytest.mark.slow
def test_a_member_that_an_api_drops_from_a_put_is_named(home: PushHome) -> None:
    def drop(request: Request) -> None:
        if request.method == "GET" and home.effects:
            home.sandbox.world.schedules.set_members(key, assignedUsers=[])

    key = next(one for one in home.schedules(1_000) if home.members(one)["assignedUsers"])
    home.sandbox._server.app.before = drop
    report = home.apply(home.plan(home.schedule(UPDATE, key, {"description": "ours"}), resource="schedules"))
    assert (report.exit_code, home.writes("state, code")) == (3, [("applied", "OthersChanged")])
    assert "it is written, and assignedUsers changed at the same time" in report.lines[0]


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after"), [("inprogress", "notstarted"), ("notstarted", "inprogress")])
def test_a_status_that_a_put_sets_back_is_named(home: PushHome, before: str, after: str) -> None:
    """No PUT can have it. An API that makes a new record of a PUT forgets that somebody has begun."""

    def turn(request: Request) -> None:
        if request.method == "GET" and home.effects:
            home.sandbox.world.schedules.set_members(key, status=after)

    (key,) = home.schedules(1)
    home.sandbox.world.schedules.set_members(key, status=before)
    home.sync(["schedules"])
    home.sandbox._server.app.before = turn
    report = home.apply(home.plan(home.schedule(UPDATE, key, {"description": "ours"}), resource="schedules"))
    is_named = before == "inprogress"
    assert (report.exit_code, len(report.lines)) == ((3, 1) if is_named else (0, 0))
    if is_named:
        assert "it is written, and status changed at the same time" in report.lines[0]


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [True, False])
def test_another_member_that_a_put_drops_is_named(home: PushHome, *, is_killed: bool) -> None:
    """An API may replace the whole record, and no PUT can have a member that the document does not name."""

    def drop(request: Request) -> None:
        if request.method == "GET" and home.effects:
            home.sandbox.world.schedules.set_members(key, level=None)

    key, other = home.schedules(2)
    for one in (key, other):
        home.sandbox.world.schedules.set_members(one, level={"of": "risk"}, asset=one[0])
    home.sync(["schedules"])
    home.sandbox._server.app.before = drop
    home.sandbox.world.schedules.set_members(other, asset=None)
    edits = [home.schedule(UPDATE, one, {"description": "ours"}) for one in (key, other)]
    plan = home.plan(*edits, resource="schedules")
    if is_killed:
        with dying(5):  # right after the second answer is in the journal
            home.apply(plan, max_concurrency=1)
    report = home.apply(plan)
    assert (report.exit_code, report.counts()) == (3, {"verified": 1, "skipped": 0, "failed": 1})
    assert "it is written, and level changed at the same time" in report.lines[0]
    assert home.apply(plan).lines == report.lines


@pytest.mark.slow
@pytest.mark.parametrize("wrapped", ['{"schedule": %s}', '{"status": "ok", "data": %s}', "[%s]"])
def test_a_schedule_inside_of_something_else_keeps_its_members(home: PushHome, wrapped: str) -> None:
    """It would look like one without any member, or like none."""
    changed, deleted = home.schedules(2)
    members = dict.fromkeys(MEMBERS) | {"description": "theirs", "property": changed[0], "type": changed[1]}
    body = {"kind": "status", "status": 200, "body": wrapped % json.dumps(members)}
    path = "/assessments/schedules/[^/]+/[^/]+"
    home.sandbox.set_faults([{"match": {"method": "GET", "path": path}, "effect": body}])
    empty = FieldChange("customReference", "Reference", "text", None, "ours")
    edit = Entry(2, UPDATE, changed, *changed, [empty])
    plan = home.plan(edit, home.schedule(DELETE, deleted, {}), resource="schedules")
    report = home.apply(plan)
    assert (report.exit_code, home.effects) == (3, {})
    assert all("is not the schedule that propsync asked for" in line for line in report.lines)
    home.sandbox.set_faults([])
    assert home.sandbox.world.schedules.get(deleted)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("has_list", "is_empty", "is_hidden"),
    [(True, False, False), (False, False, False), (True, True, False), (True, False, True)],
)
def test_a_schedule_keeps_the_members_that_only_its_list_shows(
    home: PushHome, *, has_list: bool, is_empty: bool, is_hidden: bool
) -> None:
    """If nothing shows them now, or two answers differ, propsync cannot send them, and sends nothing.

    The tables do not tell whether a hidden one has a value.
    """
    query = "select property_id, assessment_type_id, status from schedules where description > '' order by all limit 1"
    ((*place, status),) = home.rows(query)
    key = (place[0], place[1])
    kept = home.members(key)["description"]
    if is_hidden:
        (home.path / "propsync.toml").write_text('[privacy]\nhide = ["schedules.description"]\n')
        home.sync(["schedules"])
    shown = {"property": key[0], "type": key[1], "status": status, "dueDate": home.members(key)["dueDate"]}
    body = {"kind": "status", "status": 200, "body": json.dumps(shown | ({"description": None} if is_empty else {}))}
    one = {"match": {"method": "GET", "path": "/assessments/schedules/[^/]+/[^/]+"}, "effect": body}
    lists = {"match": {"method": "GET", "path": "/assessments/schedules"}, "effect": {"kind": "status", "status": 400}}
    home.sandbox.set_faults([one] if has_list else [one, lists])
    plan = home.plan(home.schedule(UPDATE, key, {"dueDate": "2031-01-01"}), resource="schedules")
    report = home.apply(plan)
    if has_list and not is_empty:
        assert (report.exit_code, report.lines) == (0, [])
        assert home.members(key)["dueDate"] == "2031-01-01"
        assert home.sandbox.world.truth("schedules")[key]["description"] == kept
        return
    assert (report.exit_code, home.effects, home.writes("state")) == (3, {}, [("skipped",)])
    assert "the API no longer shows description" in report.lines[0]
