"""Lost answers, busy servers and refused tokens: each effect happens once, and nothing written is forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from kit.command_line import CommandLine
from kit.deaths import dying
from kit.kept import KeptHomes
from kit.push_home import PushHome, push_home
from kit.versions import of_another_version
from msgspec.structs import replace
from variants import daily

from propsync.cli.status.command import print_status
from propsync.errors import ApiFailing, StateUnusable, TokenRefused, UsageError, WriteForbidden, WriteUnsupported
from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, Plan, save_plan
from propsync.push.values.schedule_values import MEMBERS
from propsync.runbooks.push.undo import undo, unfinished
from propsync_sandbox.exchange import Request

LOST = {"kind": "reset", "where": "before", "apply": True}
BUSY = {"kind": "status", "status": 429}
DOWN = {"kind": "status", "status": 503}
LATE = {"kind": "status", "status": 502, "apply": True}

FAULTS = [
    pytest.param(LOST, id="lost"),
    *(
        pytest.param(one, id=name, marks=mark)
        for one, name, mark in (
            (BUSY, "429", pytest.mark.release),
            (DOWN, "503", pytest.mark.release),
            (LATE, "502", pytest.mark.slow),
        )
    ),
]


def rule(method: str, effect: dict[str, Any], *, after: int = 0, times: int | None = 1) -> dict[str, Any]:
    return {"match": {"method": method}, "after": after, "times": times, "effect": effect}


def texts_of(home: PushHome, count: int, value: str = "new") -> list[Entry]:
    """Updates of the first text field of some assets."""
    return [home.update(asset_id, {home.field(kind, "text"): value}) for asset_id, _, kind in home.assets(count)]


def several_schedules(home: PushHome) -> list[Entry]:
    """One schedule to create, one to update, one to delete."""
    changed, deleted = home.schedules(2)
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    return [
        home.schedule(CREATE, free, {"description": "new"}),
        home.schedule(UPDATE, changed, {"dueDate": "2031-01-01"}),
        home.schedule(DELETE, deleted, {}),
    ]


def assert_done_once(home: PushHome, plan: Plan) -> None:
    """Each entry had one effect, and the tables are those of the sandbox."""
    assert sorted(home.effects.values()) == [1] * len(plan.entries)
    assert home.is_truth(plan.resource)


@pytest.mark.parametrize("effect", FAULTS)
@pytest.mark.slow
def test_updates_and_deletes_are_retried_and_happen_once(home: PushHome, effect: dict[str, Any]) -> None:
    faults = [rule(method, effect, times=2) for method in ("PATCH", "PUT", "DELETE", "GET")]
    edits, changes = home.plan(*texts_of(home, 3)), home.plan(*several_schedules(home), resource="schedules")
    for plan in (edits, changes):
        home.sandbox.set_faults(faults)
        report = home.apply(plan)
        assert (report.exit_code, report.left_behind) == (0, [])
        assert home.is_truth(plan.resource)
    repeats = {key: count for key, count in home.effects.items() if count > 1}
    # PUT of the same members again is an effect to the sandbox, and none to anybody else
    assert {action for action, _ in repeats} <= {"update"}


@pytest.mark.slow
@pytest.mark.parametrize("effect", FAULTS)
def test_a_creation_whose_answer_is_lost_is_found_or_sent_again(home: PushHome, effect: dict[str, Any]) -> None:
    _, place, kind = home.assets(1)[0]
    text = home.field(kind, "text")
    plan = home.plan(*(home.create(place, kind, {text: f"door {one % 2}"}) for one in range(4)))
    home.sandbox.set_faults([rule("POST", effect, after=1, times=2)])
    report = home.apply(plan)
    assert (report.exit_code, report.left_behind) == (0, [])
    assert_done_once(home, plan)


def test_several_new_assets_with_the_same_values_are_left_to_a_person(kept: KeptHomes, tmp_path: Path) -> None:
    def add_twins(request: Request) -> None:
        if request.method == "POST" and not twins:
            twins.extend(home.sandbox.world.assets.add(place, kind, {text: "same"}) for _ in range(2))

    twins: list[str] = []
    with push_home(kept, tmp_path / "home", before=add_twins) as home:
        _, place, kind = home.assets(1)[0]
        text = home.field(kind, "text")
        home.sandbox.set_faults([rule("POST", LOST)])
        report = home.apply(home.plan(home.create(place, kind, {text: "same"})))
        assert report.exit_code == 3
        assert home.writes("state, code") == [("parked", "Unsure")]
        assert "3 new assets have these values" in report.left_behind[0]
        assert home.requests.count(f"POST /properties/{place}/assets") == 1


@pytest.mark.slow
def test_a_store_that_changes_values_is_reported_by_row(kept: KeptHomes, tmp_path: Path) -> None:
    with push_home(kept, tmp_path / "home", normalise=True) as home:
        first, second = texts_of(home, 2)
        odd = home.update(first.key[0], {first.changes[0].field: "  two  spaces "})
        plan = home.plan(odd, second)
        report = home.apply(plan)
        assert (report.exit_code, report.counts()) == (3, {"skipped": 0, "failed": 1, "verified": 1})
        (line,) = report.left_behind
        assert line.startswith(f"row 2, {first.key[0]}, Label of")
        assert "the API stored another value than propsync sent" in line
        assert "spaces" not in line
        assert home.writes("state, code") == [("applied", "StoredOtherwise"), ("verified", None)]
        assert home.apply(plan).is_repeat


@pytest.mark.parametrize("is_slow", [True, False])
def test_a_read_back_may_be_older_than_the_write_once(home: PushHome, *, is_slow: bool) -> None:
    (edit,) = texts_of(home, 1)
    old = edit.changes[0].old

    def take_back(request: Request) -> None:
        if request.method == "GET" and home.effects:
            home.sandbox.world.assets.edit(edit.key[0], {edit.changes[0].field: old})

    home.sandbox._server.app.before = take_back
    plan = home.plan(edit)
    report = home.apply(plan)
    assert (report.exit_code, home.writes("state, code")) == (3, [("applied", None)])
    assert "the API does not show the write yet. Run the same command again" in report.left_behind[0]
    back = undo(home.settings(), plan.plan_id)
    assert (back.entries, len(back.refused)) == ([], 1), "it is not called as before already"
    if is_slow:
        home.sandbox._server.app.before = None
        home.sandbox.world.assets.edit(edit.key[0], {edit.changes[0].field: edit.changes[0].new})
        assert home.apply(plan).exit_code == 0
    else:
        report = home.apply(plan)
        assert (report.exit_code, home.writes("state, code")) == (3, [("applied", "StoredOtherwise")])
        assert "still shows the value from before" in report.left_behind[0]
    assert home.apply(plan).is_repeat
    assert len(home.effects) == 1


@pytest.mark.slow
@pytest.mark.parametrize("gives_up", [False, True])
def test_a_read_back_after_a_kill_may_be_older_than_the_write_too(home: PushHome, *, gives_up: bool) -> None:
    (edit,) = texts_of(home, 1)
    plan = home.plan(edit)
    with dying(3):  # right after the answer is in the journal
        home.apply(plan)
    home.sandbox._server.app.lists.lag = 3_600.0
    report = home.apply(plan, gives_up=gives_up)
    home.sandbox._server.app.lists.lag = 0.0
    if gives_up:
        assert (report.exit_code, home.writes("state, code")) == (3, [("applied", "StoredOtherwise")])
        assert unfinished(home.settings()) == [], "a plan that is given up ends"
    else:
        assert (report.exit_code, home.writes("state, code")) == (3, [("applied", None)])
        assert "the API does not show the write yet. Run the same command again" in report.left_behind[0]
        assert home.apply(plan).exit_code == 0
    assert len(home.effects) == 1


def test_a_write_that_the_api_accepts_and_stores_later_is_read_back_by_the_next_apply(home: PushHome) -> None:
    (edit,) = texts_of(home, 1)
    plan = home.plan(edit)
    home.sandbox.set_faults([rule("PATCH", {"kind": "status", "status": 202}, times=None)])
    assert home.apply(plan).exit_code == 3
    assert home.writes("state, code") == [("applied", None)]
    home.sandbox.world.assets.edit(edit.key[0], {edit.changes[0].field: edit.changes[0].new})
    assert home.apply(plan).exit_code == 0
    assert sum(one.startswith("PATCH") for one in home.requests) == 1, "it is sent once"
    assert len(undo(home.settings(), plan.plan_id).entries) == 1


def test_a_new_schedule_that_the_api_never_shows_is_not_called_gone(home: PushHome) -> None:
    (late, *_) = several_schedules(home)
    home.sandbox.set_faults([rule("PUT", {"kind": "status", "status": 202}, times=None)])
    plan = home.plan(late, resource="schedules")
    assert home.apply(plan).exit_code == 3
    (line,) = home.apply(plan).left_behind
    assert "the API accepted the new record and does not show it" in line


def test_a_new_schedule_may_be_shown_late_and_so_may_a_delete(home: PushHome) -> None:
    late, gone = several_schedules(home)[0], home.schedules(3)[2]
    new = (late.property_id, late.type_id)
    plan = home.plan(late, home.schedule(DELETE, gone, {}), resource="schedules")
    kept = home.sandbox.world.schedules.get(gone).members()  # type: ignore[union-attr]

    def take_back(request: Request) -> None:
        if request.method == "GET" and len(home.effects) == 2 and home.sandbox.world.schedules.get(new):
            home.sandbox.world.schedules.delete(new)
            home.sandbox.world.schedules.create(*gone, **{name: kept[name] for name in MEMBERS})

    home.sandbox._server.app.before = take_back
    assert home.apply(plan).exit_code == 3
    assert set(home.writes("state, code")) == {("applied", None)}
    home.sandbox._server.app.before = None
    home.sandbox.world.schedules.delete(gone)
    home.sandbox.world.schedules.create(*new, description="new")
    assert home.apply(plan).exit_code == 0


@pytest.mark.slow
def test_a_lost_answer_of_a_store_that_changes_values_creates_no_twin(kept: KeptHomes, tmp_path: Path) -> None:
    with push_home(kept, tmp_path / "home", normalise=True) as home:
        _, place, kind = home.assets(1)[0]
        home.sandbox.set_faults([rule("POST", LOST)])
        report = home.apply(home.plan(home.create(place, kind, {home.field(kind, "text"): " a  b "})))
        assert (report.exit_code, home.writes("state, code")) == (3, [("parked", "Unsure")])
        assert list(home.effects.values()) == [1]


@pytest.mark.slow
def test_values_that_the_api_shows_in_forms_of_its_own_are_known_after_a_lost_answer_and_come_back(
    home: PushHome,
) -> None:
    forms = {
        "number": ("2.50", "7.50", Decimal("7.5"), Decimal("2.5")),
        "date": ("2002-09-18T00:00:00Z", "2031-01-02T00:00:00Z", "2031-01-02", "2002-09-18"),
        "time": ("02:30:00", "23:15:00", "23:15", "02:30"),
    }
    some = "select asset_id, min(field_id) from asset_field_values where kind = ? group by all order by all limit 3"
    places = {kind: home.rows(some, kind)[number] for number, kind in enumerate(forms)}
    assert len({asset_id for asset_id, _ in places.values()}) == len(forms)
    assets = home.sandbox.world.assets
    for kind, (asset_id, field) in places.items():
        assets.edit_result(asset_id, field, forms[kind][0])
    home.sync(["assets"])

    def show(request: Request) -> None:
        for action, key in home.effects if request.method == "GET" else ():
            edited = [kind for kind, place in places.items() if place[0] == key]
            for kind in ["number"] if action == "create" else edited:
                assets.edit_result(key, places[kind][1], forms[kind][1])

    entries = [home.update(asset_id, {field: forms[kind][2]}) for kind, (asset_id, field) in places.items()]
    changes = [replace(one.changes[0], kind=kind) for one, kind in zip(entries, forms, strict=True)]
    entries = [replace(one, changes=[change]) for one, change in zip(entries, changes, strict=True)]
    first = entries[0]
    new = home.create(first.property_id, first.type_id, {first.changes[0].field: Decimal("7.5")})
    home.sandbox._server.app.before = show
    home.sandbox.set_faults([rule("PATCH", LOST, times=None), rule("POST", LOST, times=None)])
    run = home.apply(home.plan(*entries, new))
    assert (run.exit_code, run.left_behind) == (0, [])
    home.sandbox._server.app.before = None
    back = undo(home.settings(), run.run_id)
    assert [one.changes[0].new for one in back.entries] == [form[3] for form in forms.values()]
    assert not any(one.startswith("Otherwise") for one in back.notes)
    assert home.apply(back).exit_code == 0


def test_an_edit_between_plan_and_apply_is_skipped_and_named(home: PushHome) -> None:
    edits = texts_of(home, 3)
    theirs = edits[0]
    home.sandbox.world.assets.edit(theirs.key[0], {theirs.changes[0].field: "theirs"})
    home.sandbox.world.assets.delete(edits[1].key[0])
    plan = home.plan(*edits)
    report = home.apply(plan)
    assert (report.exit_code, report.counts()) == (3, {"skipped": 2, "failed": 0, "verified": 1})
    assert home.writes("state, code") == [("skipped", "ChangedMeanwhile"), ("skipped", "Gone"), ("verified", None)]
    assert "changed meanwhile, so propsync sent nothing" in report.left_behind[0]
    assert list(home.effects.values()) == [1]
    assert home.apply(plan).is_repeat


@pytest.mark.release
def test_another_edit_of_the_same_record_is_no_reason_to_skip_it(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    texts = [name for name, of in home.kinds(kind).items() if of == "text"]
    edit = home.update(asset_id, {texts[0]: "ours"})
    home.sandbox.world.assets.edit(asset_id, {texts[1]: "theirs"})
    assert home.apply(home.plan(edit)).exit_code == 0
    assert home.values(asset_id)[texts[0]] == "ours"
    assert home.values(asset_id)[texts[1]] == "theirs"


@pytest.mark.release
def test_a_value_that_is_there_already_counts_as_applied(home: PushHome) -> None:
    (edit,) = texts_of(home, 1)
    home.sandbox.world.assets.edit(edit.key[0], {edit.changes[0].field: "new"})
    report = home.apply(home.plan(edit))
    assert (report.exit_code, report.counts()["verified"], home.effects) == (0, 1, {})


@pytest.mark.slow
def test_a_refused_row_fails_alone_in_the_words_of_the_api(home: PushHome) -> None:
    first, second = texts_of(home, 2)
    report = home.apply(home.plan(second, _on(first, "field")))
    assert (report.exit_code, report.counts()) == (3, {"skipped": 0, "failed": 1, "verified": 1})
    assert home.writes("state, code") == [("verified", None), ("failed", "FieldInvalidNotSupported")]
    assert "a field cannot be written" in report.left_behind[0]


def _on(entry: Entry, field: str) -> Entry:
    """The entry with a field that its type does not have."""
    changes = [type(one)(field, one.label, one.kind, None, one.new) for one in entry.changes]
    return Entry(entry.row, entry.action, entry.key, entry.property_id, entry.type_id, changes)


def test_what_the_api_says_of_a_refused_field_is_for_the_person_who_applies_alone(home: PushHome) -> None:
    """It may repeat values, and the tables, the log of runs and the notices have none."""
    (asset_id, _, kind) = home.assets(1)[0]
    text, token = home.field(kind, "text"), home.sandbox.token
    words = {"message": "Invalid", "errors": {f"values.{text}": [f"'secret flat' is not a place, says {token}."]}}
    refused = {"kind": "status", "status": 422, "body": json.dumps(words)}
    home.sandbox.set_faults([{"match": {"method": "PATCH"}, "effect": refused}])
    plan = home.plan(home.update(asset_id, {text: "secret flat"}))
    label = plan.entries[0].changes[0].label
    report = home.apply(plan)
    (line,) = report.lines
    assert line.startswith(f"row 2, {asset_id}, {label}: failed: the API refused the request: 422 without a code. ")
    assert line.endswith(f"plan again. The API says: {label}: 'secret flat' is not a place, says [redacted]")
    ((message, error),) = home.rows("select message, error from ops.writes join ops.runs using (run_id)")
    assert "Correct the row, then plan again" in message
    assert "secret" not in f"{message}{error}{report.to_json()}{report.left_behind}"
    assert home.apply(plan).is_repeat


def test_a_run_names_a_few_of_many_failed_records_and_apply_all_of_them(
    home: PushHome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    posted: list[bytes] = []
    monkeypatch.setattr("propsync.runbooks.notice.post_notice", lambda _url, body: posted.append(body))
    entries = [home.schedule(UPDATE, key, {"description": "new", "customReference": "R1"}) for key in home.schedules(8)]
    plan = home.plan(*entries, resource="schedules")
    home.sandbox.set_faults([rule("PUT", {"kind": "status", "status": 409}, times=None)])
    report = home.apply(plan, notify_url="https://example.org/hook")
    assert (report.exit_code, report.counts()["failed"], len(report.lines)) == (3, 8, 8)
    assert ", description, customReference: failed: the API answered 409" in report.lines[0]
    assert report.lines[0].endswith("Plan again. If the API refuses it again, report this line")
    query = f"from ops.writes where plan_id = '{plan.plan_id}' and state <> 'verified'"
    assert report.left_behind == [*report.lines[:5], f'… and 3 more: propsync query "{query}"']
    ((error,),) = home.rows("select error from ops.runs where flow = 'push'")
    assert error == "; ".join(report.left_behind)
    assert json.loads(posted[0])["left_behind"] == report.left_behind
    ((failed,),) = home.rows(f"select count(*) from ({query})")
    assert failed == 16
    print_status(home.settings(), None, as_json=False)
    assert capsys.readouterr().out.endswith("Next: propsync push history\n")
    assert len(home.apply(plan).lines) == 8


@pytest.mark.slow
def test_a_token_refused_in_the_middle_stops_and_the_next_apply_finishes(home: PushHome) -> None:
    edits = texts_of(home, 12)
    plan = home.plan(*edits)
    good = home.sandbox.token
    home.sandbox.set_faults([rule("PATCH", {"kind": "status", "status": 401}, after=5, times=None)])
    with pytest.raises(TokenRefused):
        home.apply(plan)
    written = dict(home.effects)
    assert 0 < len(written) < 12
    states = home.writes("record_id, state")
    assert sorted(states) == sorted((key, "verified") for _, key in written)
    (journal,) = (home.path / "state" / "push").iterdir()
    assert journal.stat().st_mode & 0o777 == 0o600
    home.sandbox.set_faults([])
    assert good == home.sandbox.token
    report = home.apply(plan)
    assert (report.exit_code, report.counts()["verified"]) == (0, 12)
    assert_done_once(home, plan)
    assert len(set(home.column("select run_id from ops.writes"))) == 2
    assert home.apply(plan).is_repeat


def test_an_apply_that_stops_before_it_sends_leaves_nothing_unfinished(home: PushHome) -> None:
    plan = home.plan(*texts_of(home, 2))
    home.sandbox.set_faults([rule("GET", {"kind": "status", "status": 401}, times=None)])
    with pytest.raises(TokenRefused):
        home.apply(plan)
    assert unfinished(home.settings()) == []
    home.sandbox.set_faults([])
    assert home.apply(plan).exit_code == 0
    assert_done_once(home, plan)


@pytest.mark.slow
@pytest.mark.parametrize("is_new", [True, False])
def test_a_sent_record_whose_look_the_api_refuses_is_left_to_the_next_apply(home: PushHome, *, is_new: bool) -> None:
    asset_id, place, kind = home.assets(1)[0]
    values = {home.field(kind, "text"): "ours"}
    plan = home.plan(home.create(place, kind, values) if is_new else home.update(asset_id, values))
    with dying(2):  # before the outcome is in the journal
        home.apply(plan)
    refused = {"kind": "status", "status": 400, "code": "PropertyAssetValuesInvalid"}
    home.sandbox.set_faults([rule("GET", refused, times=None)])
    report = home.apply(plan)
    assert (report.exit_code, home.writes("state")) == (3, [("parked" if is_new else "failed",)])
    assert "propsync has sent this record and cannot look at it" in report.left_behind[0]
    home.sandbox.set_faults([])
    assert home.apply(plan).exit_code == 0
    assert_done_once(home, plan)


@pytest.mark.release
def test_a_token_that_cannot_even_read_leaves_what_was_written_as_applied(home: PushHome) -> None:
    edits = texts_of(home, 12)
    plan = home.plan(*edits)
    sandbox, before = home.sandbox, home.sandbox.token

    def revoked(request: Request) -> None:
        if request.method == "PATCH" and len(home.effects) >= 4:
            sandbox.callers.revoke(before)

    sandbox._server.app.before = revoked
    with pytest.raises(TokenRefused):
        home.apply(plan)
    assert {state for (state,) in home.writes("state")} == {"applied"}
    assert len(home.writes()) == len(home.effects) < 12
    sandbox._server.app.before = None
    sandbox.callers.accept(before)
    report = home.apply(plan)
    assert (report.exit_code, {state for (state,) in home.writes("state")}) == (0, {"verified"})
    assert_done_once(home, plan)


@pytest.mark.slow
def test_a_token_without_the_right_to_write_stops(kept: KeptHomes, tmp_path: Path) -> None:
    with push_home(kept, tmp_path / "home", rights={"tok-for-reads": ["/properties/*/assets/"]}) as home:
        plan = home.plan(*texts_of(home, 2))
        with pytest.raises(WriteForbidden, match="403"):
            home.apply(plan, push_token="tok-for-reads")
        assert home.effects == {}
        assert home.apply(plan).exit_code == 0


@pytest.mark.slow
def test_a_token_for_writes_alone_is_used_for_writes_alone(kept: KeptHomes, tmp_path: Path) -> None:
    with push_home(kept, tmp_path / "home", rights={"tok-for-writes": ["/properties/assets"]}) as home:
        assert home.apply(home.plan(*texts_of(home, 2)), push_token="tok-for-writes").exit_code == 0
        callers = {(entry.method, entry.caller) for entry in home.sandbox.journal if entry.method in ("GET", "PATCH")}
        assert len(callers) == 2


@pytest.mark.release
def test_a_server_that_is_down_for_one_record_leaves_it_to_the_next_apply(home: PushHome) -> None:
    edits = texts_of(home, 3)
    plan = home.plan(*edits)
    broken = {"match": {"method": "PATCH", "path": f".*/{edits[0].key[0]}"}, "times": None, "effect": DOWN}
    home.sandbox.set_faults([broken])
    report = home.apply(plan)
    assert (report.exit_code, report.counts()) == (3, {"skipped": 0, "failed": 1, "verified": 2})
    home.sandbox.set_faults([])
    again = home.apply(plan)
    assert (again.exit_code, again.is_repeat, again.counts()["verified"]) == (0, False, 3)
    assert_done_once(home, plan)


def test_an_api_that_fails_every_record_stops_the_apply_after_five(home: PushHome) -> None:
    plan = home.plan(*texts_of(home, 12))
    home.sandbox.set_faults([rule("PATCH", DOWN, after=3, times=None)])
    with pytest.raises(
        ApiFailing, match=r"failed 5 records in a row, the last because the API answered 503, after .* waiting\. Run"
    ):
        home.apply(plan, max_concurrency=1)
    assert len(home.effects) == 3
    assert len({one for one in home.requests if one.startswith("PATCH")}) == 3 + 5
    home.sandbox.set_faults([])
    assert home.apply(plan).counts()["verified"] == 12
    assert_done_once(home, plan)


def test_records_that_the_api_always_fails_keep_no_others_from_their_turn(home: PushHome) -> None:
    edits = texts_of(home, 8)
    plan = home.plan(*edits)
    broken = "|".join(edit.key[0] for edit in edits[:5])
    home.sandbox.set_faults([{"match": {"method": "PATCH", "path": f".*/({broken})"}, "times": None, "effect": DOWN}])
    for sent in (0, 3):
        with pytest.raises(ApiFailing):
            home.apply(plan, max_concurrency=1)
        assert len(home.effects) == sent


@pytest.mark.slow
def test_records_that_nobody_can_look_at_keep_no_others_from_their_turn(home: PushHome) -> None:
    edits = texts_of(home, 8)
    plan = home.plan(*edits)
    broken = "|".join(edit.key[0] for edit in edits[:5])
    home.sandbox.set_faults([{"match": {"method": "GET", "query": {"id": broken}}, "times": None, "effect": DOWN}])
    for sent in (0, 3):
        with pytest.raises(ApiFailing):
            home.apply(plan, max_concurrency=1)
        assert len(home.effects) == sent
    home.sandbox.set_faults([])
    assert home.apply(plan).counts()["verified"] == 8
    assert_done_once(home, plan)


@pytest.mark.slow
def test_records_that_always_fail_keep_those_that_failed_once_from_no_turn(home: PushHome) -> None:
    edits = texts_of(home, 12)
    plan = home.plan(*edits)
    always, once = ("|".join(edit.key[0] for edit in some) for some in (edits[:5], edits[5:10]))
    for broken, sent in ((always, 0), (once, 0), (always, 2), (always, 7)):
        look = {"method": "GET", "query": {"id": broken}}
        home.sandbox.set_faults([{"match": look, "times": None, "effect": DOWN}])
        with pytest.raises(ApiFailing):
            home.apply(plan, max_concurrency=1)
        assert len(home.effects) == sent


def test_a_record_that_the_token_may_not_read_keeps_no_others_from_their_turn(home: PushHome) -> None:
    edits = texts_of(home, 3)
    plan = home.plan(*edits)
    forbidden = {"kind": "status", "status": 403}
    look = {"method": "GET", "query": {"id": edits[0].key[0]}}
    home.sandbox.set_faults([{"match": look, "times": None, "effect": forbidden}])
    for sent in (0, 2):
        with pytest.raises(WriteForbidden):
            home.apply(plan, max_concurrency=1)
        assert len(home.effects) == sent
    report = home.apply(plan, gives_up=True)
    assert (report.exit_code, report.counts()["verified"], report.counts()["skipped"]) == (3, 2, 1)
    assert "the plan was given up, so propsync sent nothing" in report.lines[0]
    assert unfinished(home.settings()) == []
    assert home.apply(plan).is_repeat
    assert len(home.effects) == 2


def test_a_plan_that_is_given_up_names_what_may_be_sent(home: PushHome, tmp_path: Path) -> None:
    (edit,) = texts_of(home, 1)
    plan = home.plan(edit)
    save_plan(plan, tmp_path / "doors.plan")
    line = CommandLine(tmp_path, home.environ())
    done = line("push", "apply", "doors.plan", "--give-up")
    assert (done.returncode, "no apply of it has begun" in done.stderr, home.effects) == (2, True, {})
    home.sandbox.set_faults([rule("PATCH", DOWN, times=None)])
    assert home.apply(plan).exit_code == 3
    home.sandbox.set_faults([rule("GET", {"kind": "status", "status": 403}, times=None)])
    assert line("push", "apply", "doors.plan", "--give-up").returncode == 3
    assert home.writes("state, code") == [("parked", "Unsure")]
    assert unfinished(home.settings()) == []


def test_a_plan_is_given_up_while_the_api_refuses_the_token(home: PushHome) -> None:
    plan = home.plan(*texts_of(home, 2))
    home.sandbox.set_faults([rule("PATCH", DOWN, times=None)])
    home.apply(plan)
    home.sandbox.set_faults([rule("GET", {"kind": "status", "status": 401}, times=None)])
    assert home.apply(plan, gives_up=True).exit_code == 3
    assert {*home.writes("state, code")} == {("parked", "Unsure")}
    assert unfinished(home.settings()) == []


def one_of_each(home: PushHome) -> list[Plan]:
    """A plan of an edit, of a new asset, and of schedules."""
    (edit,) = texts_of(home, 1)
    new = home.create(edit.property_id, edit.type_id, {edit.changes[0].field: "new"})
    return [home.plan(edit), home.plan(new), home.plan(*several_schedules(home), resource="schedules")]


@pytest.mark.parametrize(("place", "status"), daily(product(range(3), (401, 403)), 1, is_row=True))
def test_a_plan_that_is_given_up_says_that_refused_writes_did_nothing(home: PushHome, place: int, status: int) -> None:
    plan, refused = one_of_each(home)[place], {"kind": "status", "status": status}
    home.sandbox.set_faults([rule(method, refused, times=None) for method in ("PATCH", "POST", "PUT", "DELETE")])
    with pytest.raises((TokenRefused, WriteForbidden)):
        home.apply(plan)
    report = home.apply(plan, gives_up=True)
    assert report.counts() == {"skipped": len(plan.entries), "failed": 0, "verified": 0}
    assert any("the API shows nothing of what propsync sent. Run" in one for one in report.lines)
    assert home.effects == {}


@pytest.mark.parametrize("place", daily(range(3), 1))
def test_a_plan_that_is_given_up_finds_what_has_arrived(home: PushHome, place: int) -> None:
    plan = one_of_each(home)[place]
    sent = [rule(method, LATE, times=None) for method in ("PATCH", "POST", "PUT", "DELETE")]
    looks = [rule("GET", DOWN, after=1 + (plan.resource == "assets"), times=None)]
    home.sandbox.set_faults([*sent, *looks])
    assert home.apply(plan, max_concurrency=1).exit_code == 3
    home.sandbox.set_faults([])
    assert home.apply(plan, gives_up=True).counts()["verified"] == 1


def test_a_plan_that_is_given_up_after_a_kill_cannot_tell_of_a_write_on_its_way(home: PushHome) -> None:
    plan = home.plan(*texts_of(home, 1))
    home.sandbox.set_faults([rule("PATCH", {"kind": "status", "status": 204})])
    with dying(2):  # right after the answer
        home.apply(plan)
    report = home.apply(plan, gives_up=True)
    assert (report.counts()["failed"], home.writes("state, code")) == (1, [("parked", "Unsure")])


@pytest.mark.parametrize(
    ("method", "status"),
    daily(product(("PATCH", "POST", "PUT", "DELETE"), (405, 501, 302)), 2, is_row=True),
)
def test_a_write_that_the_api_does_not_know_ends_the_sending_at_once(home: PushHome, method: str, status: int) -> None:
    _, place, kind = home.assets(1)[0]
    entries = {
        "PATCH": lambda: texts_of(home, 7),
        "POST": lambda: [home.create(place, kind, {home.field(kind, "text"): f"new {one}"}) for one in range(7)],
        "PUT": lambda: [home.schedule(UPDATE, key, {"description": "new"}) for key in home.schedules(7)],
        "DELETE": lambda: [home.schedule(DELETE, key, {}) for key in home.schedules(7)],
    }[method]()
    resource = "assets" if method in ("PATCH", "POST") else "schedules"
    plan = home.plan(*entries, resource=resource)
    home.sandbox.set_faults([rule(method, {"kind": "status", "status": status}, times=None)])
    with pytest.raises(WriteUnsupported, match=rf"{method} .* answered {status}.* Check PROPSYNC_BASE_URL"):
        home.apply(plan, max_concurrency=1)
    assert [one.method for one in home.sandbox.journal].count(method) == 1
    home.sandbox.set_faults([])
    assert home.apply(plan).counts()["verified"] == 7
    assert_done_once(home, plan)


def test_a_record_whose_address_alone_does_not_know_the_write_fails_alone(home: PushHome) -> None:
    edits = texts_of(home, 4)
    plan = home.plan(*edits)
    odd = {"match": {"method": "PATCH", "path": f".*/{edits[0].key[0]}"}, "times": None}
    home.sandbox.set_faults([odd | {"effect": {"kind": "status", "status": 405}}])
    with pytest.raises(WriteUnsupported):
        home.apply(plan, max_concurrency=1)
    report = home.apply(plan)
    assert (report.exit_code, report.counts()) == (3, {"skipped": 0, "failed": 1, "verified": 3})
    assert home.writes("state, code")[0] == ("failed", "WriteUnsupported")
    assert home.apply(plan).is_repeat


def test_a_delete_that_the_api_answers_with_404_fails_if_the_schedule_stays(home: PushHome) -> None:
    plan = home.plan(home.schedule(DELETE, home.schedules(1)[0], {}), resource="schedules")
    home.sandbox.set_faults([{"match": {"method": "DELETE"}, "times": 1, "effect": {"kind": "status", "status": 404}}])
    report = home.apply(plan)
    assert report.exit_code == 3
    assert {*home.writes("state, code")} == {("failed", "NotFound")}
    assert home.effects == {}


@pytest.mark.slow
def test_a_delete_that_is_repeated_because_a_look_was_late_is_ours(home: PushHome) -> None:
    *_, delete = several_schedules(home)
    schedules, key = home.sandbox.world.schedules, delete.key
    kept = schedules.get(key).members()  # type: ignore[arg-type, union-attr]

    def show_late(request: Request) -> None:
        """The API has deleted it, and its answers to GET show it still."""
        is_shown = schedules.get(key) is not None  # type: ignore[arg-type]
        if is_shown and request.method == "DELETE" and home.effects:
            schedules.delete(key)  # type: ignore[arg-type]
        elif not is_shown and request.method == "GET":
            schedules.create(*key, **{name: kept[name] for name in MEMBERS})  # type: ignore[call-arg]

    home.sandbox._server.app.before = show_late
    home.sandbox.set_faults([rule("DELETE", LOST)])
    plan = home.plan(delete, resource="schedules")
    report = home.apply(plan)
    assert (report.exit_code, set(home.writes("state, code"))) == (3, {("applied", None)}), report.lines
    home.sandbox._server.app.before = None
    schedules.delete(key)  # type: ignore[arg-type]
    assert home.apply(plan).exit_code == 0
    assert [one.action for one in undo(home.settings(), plan.plan_id).entries] == [CREATE]


def test_a_new_asset_that_the_api_refuses_with_an_odd_status_fails_for_good(home: PushHome) -> None:
    _, place, kind = home.assets(1)[0]
    plan = home.plan(home.create(place, kind, {home.field(kind, "text"): "new"}))
    home.sandbox.set_faults([rule("POST", {"kind": "status", "status": 409}, times=None)])
    report = home.apply(plan)
    assert (report.exit_code, home.writes("state, code")) == (3, [("failed", "Status409")])
    assert home.apply(plan).is_repeat


@pytest.mark.slow
@pytest.mark.parametrize("gives_up", [False, True])
def test_what_cannot_be_read_back_is_read_back_by_the_next_apply_or_given_up(home: PushHome, *, gives_up: bool) -> None:
    plan = home.plan(*texts_of(home, 3))
    # the look before a write asks for two records at most
    read_back = {"match": {"method": "GET", "query": {"id": ".*", "limit": "1000"}}, "times": None, "effect": DOWN}
    home.sandbox.set_faults([read_back])
    report = home.apply(plan)
    assert (report.exit_code, {state for (state,) in home.writes("state")}) == (3, {"applied"})
    assert all("propsync could not read it back" in line for line in report.left_behind)
    if gives_up:
        report = home.apply(plan, gives_up=True)
        assert all("was given up: compare the record with it" in line for line in report.left_behind)
        assert (report.exit_code, unfinished(home.settings())) == (3, [])
        assert home.apply(plan).lines == report.lines
        return
    home.sandbox.set_faults([])
    assert home.apply(plan).exit_code == 0
    assert {state for (state,) in home.writes("state")} == {"verified"}
    assert_done_once(home, plan)


def clears(home: PushHome) -> Plan:
    (edit,) = texts_of(home, 1)
    change = edit.changes[0]
    changes = [type(change)(f"f{one}", "Label", "text", "x", None) for one in range(101)]
    return home.plan(Entry(2, UPDATE, edit.key, edit.property_id, edit.type_id, changes))


def deletes(home: PushHome) -> Plan:
    return home.plan(*(home.schedule(DELETE, key, {}) for key in home.schedules(21)), resource="schedules")


@pytest.mark.parametrize(("make", "why"), [(clears, "clears 101 values"), (deletes, "deletes 21 schedules")])
def test_a_large_plan_needs_its_own_id(home: PushHome, make: Callable[[PushHome], Plan], why: str) -> None:
    plan = make(home)
    with pytest.raises(UsageError, match=why) as refused:
        home.apply(plan)
    assert f"--allow-large {plan.plan_id}" in str(refused.value)
    with pytest.raises(UsageError, match="is not this plan"):
        home.apply(plan, allow_large="0" * 16)
    assert home.requests == []


def test_a_plan_of_another_home_is_refused(home: PushHome) -> None:
    plan = Plan("assets", "a.csv", "0", "20200101T000000000000Z", texts_of(home, 1))
    with pytest.raises(UsageError, match="which this home does not have"):
        home.apply(plan)
    assert home.requests == []


@pytest.mark.slow
def test_nothing_is_sent_before_a_rebuild_that_an_upgrade_asks_for(home: PushHome) -> None:
    plan = home.plan(*texts_of(home, 2))
    of_another_version(home.path)
    with pytest.raises(StateUnusable, match="its schema version is 0, not "):
        home.apply(plan)
    assert home.effects == {}
    home.rebuild()
    assert home.apply(plan).exit_code == 0
    assert_done_once(home, plan)


def test_values_are_in_no_log_and_no_notice(
    home: PushHome, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    posted: list[bytes] = []
    monkeypatch.setattr("propsync.runbooks.notice.post_notice", lambda _url, body: posted.append(body))
    caplog.set_level("DEBUG")
    home.sandbox.set_faults([rule("PATCH", LOST), rule("POST", LOST)])
    _, place, kind = home.assets(1)[0]
    made = home.create(place, kind, {home.field(kind, "text"): "SECRET-VALUE"})
    edits = texts_of(home, 3, "SECRET-VALUE")
    home.sandbox.world.assets.edit(edits[0].key[0], {edits[0].changes[0].field: "SECRET-THEIRS"})
    report = home.apply(home.plan(*edits, made), notify_url="https://example.org/hook")
    assert report.exit_code == 3
    assert "push" in posted[0].decode()
    said = caplog.text + posted[0].decode() + "".join(report.left_behind)
    assert "SECRET" not in said
    assert home.sandbox.token not in said
    assert not list((home.path / "state" / "push").glob("*"))


def sequences(home: PushHome) -> Sequence[int]:
    """Where the writes are among all requests."""
    return [place for place, one in enumerate(home.requests) if one.startswith("PATCH")]


@pytest.mark.release
def test_each_record_is_looked_at_right_before_its_write(home: PushHome) -> None:
    home.apply(home.plan(*texts_of(home, 4)), max_concurrency=1)
    assert sequences(home) == [2, 5, 7, 9], "names of types first, and one more look after the first write"
