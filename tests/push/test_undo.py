"""Undo brings the values from before back, except where somebody edited since, and except for new assets."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from kit.command_line import CommandLine
from kit.deaths import dying
from kit.push_home import PushHome
from msgspec.structs import replace

from propsync.erasing.request import Request
from propsync.errors import UsageError
from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, FieldChange
from propsync.push.planning.undo import Present, Recorded, way_back
from propsync.push.values.fields import Field
from propsync.runbooks import erase
from propsync.runbooks.push.undo import history, undo, unfinished
from propsync_sandbox.exchange import Request as PushedRequest


def truth(home: PushHome) -> dict[str, object]:
    """The sandbox's assets and schedules, the order of field results apart."""
    assets = home.sandbox.world.truth("assets")
    for one in assets.values():
        one["fields"] = {
            result["field"]: result.get("value") for result in one["fields"] if result.get("value") is not None
        }
    return {"assets": assets, "schedules": home.sandbox.world.truth("schedules")}


@pytest.mark.slow
def test_every_kind_of_value_comes_back(home: PushHome) -> None:
    before = truth(home)
    entries = []
    one_of_each = {kind: asset_id for asset_id, _, kind in home.assets(1_000)}
    for kind, asset_id in one_of_each.items():
        kinds = home.kinds(kind)
        new = {
            name: _other(home, kind, name, of) for name, of in kinds.items() if of in ("text", "number", "option", "qr")
        }
        old = home.values(asset_id)
        cleared = next(name for name in new if old.get(name) is not None)
        entries.append(
            home.update(
                asset_id, {name: value for name, value in new.items() if value != old.get(name)} | {cleared: None}
            )
        )
    plan = home.plan(*entries)
    report = home.apply(plan, allow_large=plan.plan_id)
    assert report.left_behind == []
    assert truth(home) != before
    back = undo(home.settings(), report.run_id)
    assert (back.refused, back.undoes) == ([], report.run_id)
    assert home.apply(back, allow_large=back.plan_id).left_behind == []
    assert truth(home) == before
    assert home.is_truth("assets")


def _other(home: PushHome, type_id: str, field_id: str, kind: str) -> object:
    definition = home.sandbox.world.asset_types.field(type_id, field_id)
    if kind == "option":
        return [definition["options"][0]["id"]]
    if kind == "number":
        return Decimal("12345678901234567890.125")
    # the API shows dates and times in fields that it defines as texts
    return "new"


@pytest.mark.slow
def test_schedules_come_back(home: PushHome) -> None:
    before = truth(home)
    changed, deleted = home.schedules(2)
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    plan = home.plan(
        home.schedule(UPDATE, changed, {"description": "new", "dueDate": "2031-01-01"}),
        home.schedule(CREATE, free, {"customReference": "R/1"}),
        home.schedule(DELETE, deleted, {}),
        resource="schedules",
    )
    run = home.apply(plan).run_id
    back = undo(home.settings(), run)
    assert back.counts() == {"create": 1, "update": 1, "delete": 1}
    assert "and lacks any member that no write may have" in back.notes[-1]
    assert home.apply(back).left_behind == []
    status = "status"  # the API accepts none
    assert {key: one | {status: None} for key, one in truth(home)["schedules"].items()} == {  # type: ignore[attr-defined]
        key: one | {status: None}
        for key, one in before["schedules"].items()  # type: ignore[attr-defined]
    }


def test_a_due_date_that_stands_for_none_comes_back(home: PushHome) -> None:
    (key,) = home.schedules(1)
    home.sandbox.world.schedules.set_members(key, dueDate="0001-01-01")
    home.sync(["schedules"])
    change = FieldChange("dueDate", "Due date", "date", "0001-01-01", "2031-01-01")
    run = home.apply(home.plan(Entry(2, UPDATE, key, *key, [change]), resource="schedules")).run_id
    assert home.apply(undo(home.settings(), run)).left_behind == []
    assert truth(home)["schedules"][key]["dueDate"] == "0001-01-01"  # type: ignore[index]


@pytest.mark.slow
def test_an_edit_since_and_a_new_asset_stay_and_are_named(home: PushHome) -> None:
    (first, place, kind), (second, _, other) = home.assets(2)
    text = home.field(kind, "text")
    run = home.apply(
        home.plan(
            home.update(first, {text: "ours"}),
            home.update(second, {home.field(other, "text"): "ours"}),
            home.create(place, kind, {text: "made"}),
        )
    ).run_id
    home.sandbox.world.assets.edit(first, {text: "theirs"})
    home.sync(["assets"])
    back = undo(home.settings(), run)
    assert [entry.key for entry in back.entries] == [(second,)]
    assert [(one.row, one.reason) for one in back.refused] == [
        (2, "somebody edited it since, so the undo leaves it as it is"),
        (4, "the API has no delete for assets, so the new asset stays"),
    ]
    assert back.notes == [
        "1 record can be reversed",
        "Edited by somebody else since: 1 value. The undo leaves them as they are",
        "Impossible: 1 new asset. The API has no delete for assets",
    ]
    assert home.apply(back).exit_code == 0
    assert home.values(first)[text] == "theirs"


def test_an_undo_names_a_value_that_somebody_may_have_edited_before_the_read_back(home: PushHome) -> None:
    edits = [home.update(asset_id, {home.field(kind, "text"): "ours"}) for asset_id, _, kind in home.assets(2)]
    theirs = edits[0]

    def edit(request: PushedRequest) -> None:
        if request.method == "GET" and len(home.effects) == len(edits):
            home.sandbox.world.assets.edit(theirs.key[0], {theirs.changes[0].field: "theirs"})

    home.sandbox._server.app.before = edit
    run = home.apply(home.plan(*edits)).run_id
    back = undo(home.settings(), run)
    assert [(one.changes[0].old, one.changes[0].new) for one in back.entries] == [
        ("theirs", theirs.changes[0].old),
        ("ours", edits[1].changes[0].old),
    ]
    (note,) = (one for one in back.notes if one.startswith("Otherwise: "))
    assert "1 value to replace: the record has another one than propsync sent: row 2, " in note


def test_what_is_as_before_already_needs_no_undo(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    run = home.apply(home.plan(home.update(asset_id, {home.field(kind, "text"): "ours"}))).run_id
    assert home.apply(undo(home.settings(), run)).left_behind == []
    again = undo(home.settings(), run)
    assert (again.entries, again.refused) == ([], [])
    assert again.notes == [
        "0 records can be reversed",
        "As before already: 1 value. The undo has nothing to do there",
    ]


def test_schedules_that_are_as_before_already_are_not_called_edited(home: PushHome) -> None:
    deleted, edited = home.schedules(2)
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    plan = home.plan(
        home.schedule(CREATE, free, {"customReference": "R/1"}),
        home.schedule(DELETE, deleted, {}),
        home.schedule(DELETE, edited, {}),
        resource="schedules",
    )
    run = home.apply(plan).run_id
    assert home.apply(undo(home.settings(), run)).left_behind == []
    home.apply(home.plan(home.schedule(UPDATE, edited, {"description": "theirs"}), resource="schedules"))
    again = undo(home.settings(), run)
    assert again.entries == []
    assert [one.row for one in again.refused] == [4]
    assert "As before already: 2 values. The undo has nothing to do there" in again.notes


@pytest.mark.slow
def test_an_edit_that_no_night_has_seen_is_found_when_the_undo_is_applied(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    text = home.field(kind, "text")
    back = undo(home.settings(), home.apply(home.plan(home.update(asset_id, {text: "ours"}))).run_id)
    home.sandbox.world.assets.edit(asset_id, {text: "theirs"})
    report = home.apply(back)
    assert (report.exit_code, report.counts()) == (3, {"skipped": 1, "failed": 0, "verified": 0})
    assert home.sandbox.world.assets.get(asset_id).members()["fields"]  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize("is_seen", [True, False])
def test_a_new_schedule_that_somebody_has_begun_stays(home: PushHome, *, is_seen: bool) -> None:
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    run = home.apply(home.plan(home.schedule(CREATE, free, {"description": "new"}), resource="schedules")).run_id
    early = undo(home.settings(), run)
    home.sandbox.world.schedules.set_members(free, status="inprogress")
    if is_seen:
        home.sync(["schedules"])
        late = undo(home.settings(), run)
        assert (late.entries, [one.column for one in late.refused]) == ([], ["Status"])
    else:
        assert home.apply(early).counts()["skipped"] == 1
    assert home.sandbox.world.schedules.get(free) is not None


def test_a_field_of_an_asset_that_is_gone_and_a_member_have_their_labels(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    text = home.field(kind, "text")
    run = home.apply(home.plan(home.update(asset_id, {text: "ours"}))).run_id
    home.sandbox.world.assets.delete(asset_id)
    home.sync(["assets"])
    label = home.sandbox.world.asset_types.field(kind, text)["label"]
    assert [one.column for one in undo(home.settings(), run).refused] == [label]
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    run = home.apply(home.plan(home.schedule(CREATE, free, {"description": "new"}), resource="schedules")).run_id
    home.sandbox.world.schedules.set_members(free, description="theirs")
    home.sync(["schedules"])
    assert [one.column for one in undo(home.settings(), run).refused] == ["Description"]


def test_a_new_schedule_whose_status_the_api_no_longer_shows_can_be_undone(home: PushHome) -> None:
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    run = home.apply(home.plan(home.schedule(CREATE, free, {"description": "new"}), resource="schedules")).run_id
    home.sandbox.world.schedules.set_members(free, status=None)
    home.sync(["schedules"])
    assert undo(home.settings(), run).counts()["delete"] == 1


def test_an_api_that_shows_a_removed_value_as_an_empty_text_has_removed_it(home: PushHome) -> None:
    def blank(request: PushedRequest) -> None:
        for _, key in list(home.effects) if request.method == "GET" and is_blank else ():
            home.sandbox.world.assets.edit_result(key, text, "")

    is_blank = True
    (asset_id, text, old) = next(
        (one, name, value)
        for one, _, kind in home.assets(1_000)
        for name, value in home.values(one).items()
        if value and home.kinds(kind)[name] == "text"
    )
    home.sandbox._server.app.before = blank
    report = home.apply(home.plan(home.update(asset_id, {text: None})))
    assert (report.exit_code, report.left_behind, home.values(asset_id)[text]) == (0, [], "")
    is_blank = False
    assert home.apply(undo(home.settings(), report.run_id)).left_behind == []
    assert home.values(asset_id)[text] == old


def test_a_write_that_was_not_read_back_is_not_called_as_before(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "ours"}))
    # the look before the write asks for two records at most
    back = {"match": {"method": "GET", "query": {"limit": "1000"}}, "times": None}
    home.sandbox.set_faults([back | {"effect": {"kind": "status", "status": 403}}])
    run = home.apply(plan).run_id
    assert home.writes("state, code") == [("applied", None)]
    early = undo(home.settings(), run)
    assert (early.entries, [(one.row, one.found) for one in early.refused]) == ([], [(2, asset_id)])
    assert early.notes[-1] == "Unknown yet: 1 write. Apply the plan again, then undo it"
    home.sandbox.set_faults([])
    assert home.apply(plan).exit_code == 0
    assert [one.key for one in undo(home.settings(), run).entries] == [(asset_id,)]


@pytest.mark.slow
def test_a_write_that_nothing_records_is_named_by_an_undo(home: PushHome) -> None:
    edits = [home.update(asset_id, {home.field(kind, "text"): "ours"}) for asset_id, _, kind in home.assets(2)]
    plan = home.plan(*edits)
    with dying(4):  # the second is sent, and its answer is not in the journal
        home.apply(plan, max_concurrency=1)
    assert len(home.effects) == 2
    with pytest.raises(UsageError, match="unfinished, and propsync may have sent 2 records without recording it"):
        undo(home.settings(), plan.plan_id)
    home.sync(["assets"])
    back = undo(home.settings(), plan.plan_id)
    first, second = (one.key for one in edits)
    assert ([one.key for one in back.entries], [one.found for one in back.refused]) == ([first], [second[0]])


def test_a_parked_write_is_named_by_an_undo(home: PushHome) -> None:
    (first, _, kind), (second, _, other) = home.assets(2)
    text = home.field(kind, "text")
    edits = [home.update(first, {text: "ours"}), home.update(second, {home.field(other, "text"): "a"})]

    def edit(request: PushedRequest) -> None:
        if request.method == "PATCH" and request.path.endswith(first):
            home.sandbox.world.assets.edit(first, {text: "theirs"})

    lost = {"match": {"method": "PATCH", "path": f".*{first}"}, "times": 1, "effect": {"kind": "status", "status": 502}}
    home.sandbox.set_faults([lost])
    home.sandbox._server.app.before = edit
    plan = home.plan(*edits)
    home.apply(plan)
    assert home.writes("state") == [("parked",), ("verified",)]
    back = undo(home.settings(), plan.plan_id)
    assert ([one.key for one in back.entries], [one.found for one in back.refused]) == ([(second,)], [first])
    assert back.notes[1] == "Parked: 1 value. propsync cannot tell what its write did: look at the records"
    home.sandbox.world.assets.edit(first, {text: "before"})
    home.sync(["assets"])
    home.sandbox.set_faults([lost])
    parked = home.plan(home.update(first, {text: "again"}))
    home.apply(parked)
    with pytest.raises(UsageError, match="cannot tell what any write of this run did"):
        undo(home.settings(), parked.plan_id)


def test_a_new_asset_that_may_exist_is_named_by_an_undo(home: PushHome) -> None:
    (asset_id, place, kind), *_ = home.assets(1)
    text = home.field(kind, "text")
    plan = home.plan(home.create(place, kind, {text: "new"}), home.update(asset_id, {text: "ours"}))
    home.sandbox.set_faults([{"match": {"method": "POST"}, "effect": {"kind": "status", "status": 202}}])
    home.apply(plan)
    assert home.writes("record_id, state") == [(None, "parked"), (asset_id, "verified")]
    back = undo(home.settings(), plan.plan_id)
    assert ([one.key for one in back.entries], [(one.row, one.found) for one in back.refused]) == (
        [(asset_id,)],
        [(2, None)],
    )


def test_a_run_that_the_home_does_not_have_is_not_one_that_wrote_nothing(home: PushHome) -> None:
    with pytest.raises(UsageError, match=r"^doors\.plan: this home has no such run, .*the id of the plan from"):
        undo(home.settings(), "doors.plan")


@pytest.mark.slow
def test_a_run_that_wrote_nothing_cannot_be_undone_and_history_names_those_that_did(home: PushHome) -> None:
    with pytest.raises(UsageError, match="accepted no write"):
        undo(home.settings(), str(home.note()["run"]))
    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "new"}))
    run = home.apply(plan).run_id
    (past,) = history(home.settings())
    assert (past.run_id, past.plan_id, past.records, past.verified) == (run, plan.plan_id, 1, 1)
    assert unfinished(home.settings()) == []
    assert undo(home.settings(), plan.plan_id).entries == undo(home.settings(), run).entries


def test_an_undo_replaces_a_plan_and_no_other_file(home: PushHome, tmp_path: Path) -> None:
    asset_id, _, kind = home.assets(1)[0]
    run = home.apply(home.plan(home.update(asset_id, {home.field(kind, "text"): "new"}))).run_id
    (tmp_path / "doors.xlsx").write_text("somebody's edits")
    line = CommandLine(tmp_path, home.environ(token=""))
    done = line("push", "undo", run, "--out", "doors.xlsx")
    assert (done.returncode, (tmp_path / "doors.xlsx").read_text()) == (2, "somebody's edits")
    assert "it exists already, and is no plan" in done.stderr
    assert [line("push", "undo", run, "--out", "back.plan").returncode for _ in range(2)] == [0, 0]


def test_an_undo_names_options_members_and_types_as_a_plan_does(home: PushHome) -> None:
    chosen = next(
        (asset_id, type_id, name)
        for asset_id, _, type_id in home.assets(1_000)
        for name, kind in home.kinds(type_id).items()
        if kind == "option" and home.values(asset_id).get(name)
    )
    asset_id, type_id, name = chosen
    options = home.sandbox.world.asset_types.field(type_id, name)["options"]
    old = home.values(asset_id)[name]
    new = next(one["id"] for one in options if one["id"] not in old)
    report = home.apply(home.plan(home.update(asset_id, {name: [new]})))
    back = undo(home.settings(), report.run_id)
    (change,) = back.entries[0].changes
    assert change.names == {one["id"]: one["label"] for one in options if one["id"] in {new, *old}}
    assert back.types[type_id] == home.sandbox.world.asset_types.get(type_id)["name"]


@pytest.mark.slow
def test_a_value_that_the_api_would_refuse_does_not_come_back(home: PushHome) -> None:
    asset_id, _, kind = next(one for one in home.assets(1_000) if "number" in home.kinds(one[2]).values())
    number, text = home.field(kind, "number"), home.field(kind, "text")
    home.sandbox.world.assets.edit_result(asset_id, number, "about two")
    home.sync(["assets"])
    run = home.apply(home.plan(home.update(asset_id, {number: 2, text: "new"}))).run_id
    back = undo(home.settings(), run)
    assert [one.field for entry in back.entries for one in entry.changes] == [text]
    (refused,) = back.refused
    assert (refused.row, refused.found) == (2, asset_id)
    assert refused.reason == "the value before does not fit its field, so the API would refuse it"
    assert back.notes[-1] == "Impossible: 1 value that the API shows, and would refuse"


def test_a_field_or_an_option_that_its_type_no_longer_has_does_not_come_back() -> None:
    """The API would refuse the other values of the record with it."""
    gone = Field("f-gone", "Gone", "text", "gone", is_listed=False)
    rating = Field("f-rate", "Rating", "option", "rating", {"o2": "Poor"}, former={"o1": "Good"})
    height = Field("f-h", "Height", "number", "height")
    old = {"f-gone": "a", "f-rate": ["o1"], "f-h": 1}
    new = {"f-gone": "b", "f-rate": ["o2"], "f-h": 2}
    written = [
        Recorded("r", 2, "assets", "a1", UPDATE, name, old[name], new[name], None, is_unread=False, is_parked=False)
        for name in old
    ]
    fields = {("t1", one.id): one for one in (gone, rating, height)}
    back = way_back(written, {("a1",): Present("p1", "t1", new, "r")}, fields)
    assert [one.field for entry in back.entries for one in entry.changes] == ["f-h"]
    assert [one.column for one in back.refused] == ["Gone", "Rating"]
    assert back.notes[-1] == "Impossible: 2 values of fields or options that their type no longer has"


@pytest.mark.slow
def test_a_due_date_that_no_calendar_has_does_not_come_back_and_the_rest_does(home: PushHome) -> None:
    changed, deleted = home.schedules(2)
    for key in (changed, deleted):
        home.sandbox.world.schedules.set_members(key, dueDate="31/02/2027")
    home.sync(["schedules"])
    edit = home.schedule(UPDATE, changed, {"dueDate": "2027-03-01", "description": "new"})
    gone = home.schedule(DELETE, deleted, {})
    for entry in (edit, gone):
        entry.changes[0] = replace(entry.changes[0], old="31/02/2027")  # as the planner has it
    report = home.apply(home.plan(edit, gone, resource="schedules"))
    assert report.left_behind == []
    back = undo(home.settings(), report.run_id)
    assert [(one.row, one.column, one.reason) for one in back.refused] == [
        (row, "Due date", "the value before does not fit its field, so the API would refuse it") for row in (2, 3)
    ]
    assert "Impossible: 2 values that the API shows, and would refuse" in back.notes
    assert home.apply(back).left_behind == []
    assert home.members(changed)["description"] == edit.changes[1].old
    assert home.members(deleted) == {one.field: one.old for one in gone.changes} | {"dueDate": None}


@pytest.mark.slow
def test_a_write_names_the_member_that_keeps_it_from_being_sent(home: PushHome) -> None:
    (key,) = home.schedules(1)
    home.sandbox.world.schedules.set_members(key, dueDate="31/02/2027")
    home.sync(["schedules"])
    report = home.apply(home.plan(home.schedule(UPDATE, key, {"description": "new"}), resource="schedules"))
    (line,) = report.left_behind
    assert line.endswith("schedule due_date has a value that does not fit it. Give a real date such as 2026-01-31")


def test_tables_without_writes_are_named_with_what_to_do(home: PushHome) -> None:
    plan = home.plan(home.create("p", home.assets(1)[0][2], {}))
    home.published.chmod(0o644)
    with duckdb.connect(home.published) as connection:  # as an earlier version published them
        connection.execute("drop table ops.writes")
    with pytest.raises(UsageError, match=r"earlier version of propsync published it\. Run `propsync rebuild`"):
        history(home.settings())
    with pytest.raises(UsageError, match="Run `propsync rebuild`"):
        home.apply(plan)


@pytest.mark.release
def test_a_value_of_which_a_part_was_erased_stays_as_it_is(home: PushHome) -> None:
    first, second = home.assets(2)
    name, number = 'Jo "J" Zqüx', Decimal(55500017)
    text, other, count = home.field(first[2], "text"), home.field(second[2], "text"), home.field(first[2], "number")
    home.apply(home.plan(home.update(first[0], {text: f"by {name}", count: number})))
    run = home.apply(
        home.plan(home.update(first[0], {text: "new", count: Decimal(7)}), home.update(second[0], {other: name}))
    ).run_id
    for words in (name, "55500017"):
        assert erase(home.settings(), Request(text=words, reason="asked")).exit_code == 0
    back = undo(home.settings(), run)
    assert "Impossible: 2 values, erased wholly or in part" in back.notes
    changed = {(entry.key[0], one.field): one.new for entry in back.entries for one in entry.changes}
    assert changed.keys() == {(second[0], other)}
