"""A write that is sent again is looked at again: somebody may have edited the record while propsync waited."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from kit.push_home import PushHome
from push.corrections import csv_file, planned

from propsync.api import Sent
from propsync.errors import RequestRefused, UsageError
from propsync.push.outcome import APPLIED, FAILED, PARKED, Outcome
from propsync.push.plan import CREATE, DELETE, UPDATE
from propsync.push.sending import verdicts
from propsync.push.sending.looks import Looks
from propsync.runbooks.push.plans import Wanted
from propsync.runbooks.push.undo import undo
from propsync_sandbox.exchange import Request

DOWN = {"kind": "status", "status": 503}
GATEWAY = {"kind": "status", "status": 502}
LOST = {"kind": "reset", "where": "before", "apply": True}


def disturb(home: PushHome, method: str, effect: dict[str, Any], edit: Callable[[], object]) -> None:
    """The API fails the first write by a method, right after somebody else edits."""

    def interfere(request: Request) -> None:
        if request.method == method and not seen:
            seen.append(method)
            edit()

    seen: list[str] = []
    home.sandbox._server.app.before = interfere
    home.sandbox.set_faults([{"match": {"method": method}, "times": 1, "effect": effect}])


@pytest.mark.slow
@pytest.mark.parametrize(("effect", "state"), [(DOWN, "skipped"), (GATEWAY, "parked")])
def test_an_edit_while_an_update_waits_stays(home: PushHome, effect: dict[str, Any], state: str) -> None:
    asset_id, _, kind = home.assets(1)[0]
    text = home.field(kind, "text")
    plan = home.plan(home.update(asset_id, {text: "ours"}))
    disturb(home, "PATCH", effect, lambda: home.sandbox.world.assets.edit(asset_id, {text: "theirs"}))
    assert home.apply(plan).exit_code == 3
    assert (home.writes("state"), home.effects) == ([(state,)], {})
    assert sum(one.startswith("PATCH") for one in home.requests) == 1


def test_a_record_that_is_gone_after_a_lost_answer_may_have_been_written(home: PushHome) -> None:
    asset_id, _, kind = home.assets(1)[0]
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "ours"}))
    disturb(home, "PATCH", GATEWAY, lambda: home.sandbox.world.assets.delete(asset_id))
    report = home.apply(plan)
    assert (report.exit_code, home.writes("state, code")) == (3, [("parked", "Gone")])
    assert "propsync sent this record and cannot tell what the API did; the API no longer has" in report.left_behind[0]


@pytest.mark.slow
def test_a_refused_write_of_which_the_api_has_stored_a_part_is_left_to_a_person(home: PushHome) -> None:
    asset_id, _, kind = next(one for one in home.assets(1_000) if len(texts_of(home, one[2])) > 1)
    first, second = texts_of(home, kind)[:2]
    plan = home.plan(home.update(asset_id, {first: "ours", second: "ours too"}))
    refused = {"kind": "status", "status": 400, "code": "PropertyAssetValuesInvalid"}
    disturb(home, "PATCH", refused, lambda: home.sandbox.world.assets.edit(asset_id, {first: "ours"}))
    report = home.apply(plan)
    assert (report.exit_code, home.writes("state")) == (3, [("parked",), ("parked",)])
    assert f"Label of {first} no longer has the old value" in report.left_behind[0]


def texts_of(home: PushHome, kind: str) -> list[str]:
    return [name for name, of in home.kinds(kind).items() if of == "text"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "state", "said"),
    [
        (202, "applied", "the API does not show the write yet. Run the same command again"),
        (409, "failed", "the API answered 409 (Status409), which the API's document does not mention. Plan again"),
        (413, "failed", "The values may be too long: shorten them, then plan again"),
    ],
)
def test_a_write_that_the_api_only_accepts_is_not_called_failed(
    home: PushHome, status: int, state: str, said: str
) -> None:
    asset_id, _, kind = home.assets(1)[0]
    home.sandbox.set_faults([{"match": {"method": "PATCH"}, "effect": {"kind": "status", "status": status}}])
    report = home.apply(home.plan(home.update(asset_id, {home.field(kind, "text"): "ours"})))
    assert (report.exit_code, home.writes("state")) == (3, [(state,)])
    assert said in report.left_behind[0]


def test_a_write_that_the_api_accepts_with_another_status_may_be_stored_otherwise(home: PushHome) -> None:
    def normalise(request: Request) -> None:
        """As an API whose PATCH tidies texts and answers with the record."""
        if request.method == "PATCH":
            home.sandbox.world.assets.edit(asset_id, {text: "ours"})

    asset_id, _, kind = home.assets(1)[0]
    text = home.field(kind, "text")
    before = home.values(asset_id)[text]
    plan = home.plan(home.update(asset_id, {text: " ours "}))
    home.sandbox.set_faults([{"match": {"method": "PATCH"}, "effect": {"kind": "status", "status": 200, "body": "{}"}}])
    home.sandbox._server.app.before = normalise
    assert home.apply(plan).exit_code == 3
    assert home.writes("state, code") == [("applied", "StoredOtherwise")]
    assert home.values(asset_id)[text] == "ours", "the tables show what the API has"
    (entry,) = undo(home.settings(), plan.plan_id).entries
    assert entry.changes[0].new == before


@pytest.mark.slow
def test_a_repeated_put_keeps_what_others_wrote_into_its_other_members(home: PushHome) -> None:
    (key,) = home.schedules(1)
    plan = home.plan(home.schedule(UPDATE, key, {"dueDate": "2031-01-01"}), resource="schedules")
    disturb(home, "PUT", DOWN, lambda: home.sandbox.world.schedules.set_members(key, description="theirs"))
    assert home.apply(plan).exit_code == 0
    members = home.members(key)
    assert (members["dueDate"], members["description"]) == ("2031-01-01", "theirs")


@pytest.mark.slow
@pytest.mark.parametrize(("action", "method"), [(UPDATE, "PUT"), (DELETE, "DELETE")])
def test_an_edit_while_a_write_of_a_schedule_waits_stays(home: PushHome, action: str, method: str) -> None:
    (key,) = home.schedules(1)
    plan = home.plan(home.schedule(action, key, {"dueDate": "2031-01-01"}), resource="schedules")
    disturb(home, method, DOWN, lambda: home.sandbox.world.schedules.set_members(key, dueDate="2032-02-02"))
    assert home.apply(plan).exit_code == 3
    assert {state for (state,) in home.writes("state")} == {"skipped"}
    assert home.effects == {}


@pytest.mark.parametrize("shows_status", [True, False])
def test_a_schedule_that_somebody_has_begun_since_is_not_deleted(
    home: PushHome, tmp_path: Path, *, shows_status: bool
) -> None:
    query = "select property_id, assessment_type_id from schedules where status = 'notstarted' order by all limit 1"
    ((place, kind),) = home.rows(query)
    path = csv_file(tmp_path / "old.csv", ["property_id", "type", "delete"], [str(place), str(kind), "yes"])
    plan = planned(home, tmp_path, Wanted("schedules", path))
    begun = "inprogress" if shows_status else None
    home.sandbox.world.schedules.set_members((str(place), str(kind)), status=begun)
    report = home.apply(plan)
    if shows_status:
        assert (report.exit_code, report.counts()["skipped"], home.effects) == (3, 1, {})
        assert "Status changed meanwhile, so propsync sent nothing" in report.left_behind[0]
    else:
        assert (report.exit_code, list(home.effects.values())) == (0, [1])


@pytest.mark.slow
def test_what_was_as_planned_already_is_recorded_as_not_sent_and_no_undo_touches_it(home: PushHome) -> None:
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    (gone,) = home.schedules(1)
    plan = home.plan(
        home.schedule(CREATE, free, {"description": "same"}),
        home.schedule(DELETE, gone, {}),
        resource="schedules",
    )
    home.sandbox.world.schedules.create(*free, description="same")
    home.sandbox.world.schedules.delete(gone)
    report = home.apply(plan)
    assert (report.exit_code, report.already, report.has_written, home.effects) == (0, 2, False, {})
    states = home.rows("select distinct state, code, written_at from ops.writes")
    assert states == [("verified", "Already", None)]
    with pytest.raises(UsageError, match="accepted no write"):
        undo(home.settings(), report.run_id)
    again = home.apply(plan)
    assert (again.is_repeat, again.has_written) == (True, False)


@pytest.mark.slow
def test_what_arrived_before_its_answer_was_lost_is_ours_and_can_be_undone(home: PushHome) -> None:
    taken = set(home.schedules(10_000))
    free = next((place, kind) for place, _ in taken for _, kind in taken if (place, kind) not in taken)
    (gone,) = home.schedules(1)
    plan = home.plan(
        home.schedule(CREATE, free, {"description": "ours"}),
        home.schedule(DELETE, gone, {}),
        resource="schedules",
    )
    home.sandbox.set_faults([{"match": {"method": one}, "times": 1, "effect": LOST} for one in ("PUT", "DELETE")])
    report = home.apply(plan)
    assert (report.exit_code, report.already, report.has_written) == (0, 0, True)
    assert list(home.effects.values()) == [1, 1], "a look comes before a repeat"
    assert undo(home.settings(), report.run_id).counts() == {"create": 1, "update": 0, "delete": 1}


@pytest.mark.parametrize(
    ("earlier", "found", "state"),
    [
        (Sent.MAYBE, verdicts.applied(), APPLIED),
        (Sent.MAYBE, None, FAILED),
        (Sent.NOTHING, verdicts.gone(Sent.MAYBE), FAILED),
        (Sent.NOTHING, verdicts.applied(), APPLIED),
        (Sent.NOTHING, verdicts.unsure("a part is stored", "Look at it"), PARKED),
    ],
)
def test_a_refusal_decides_unless_the_record_has_changed(earlier: Sent, found: Outcome | None, state: str) -> None:
    def write() -> Outcome:
        raise RequestRefused("PATCH /x", "the API answered 400", status=400)

    outcome = Looks(lambda _: found, earlier).run(write)
    assert outcome.state == state
    if state == PARKED:
        assert outcome.reason == "the API answered 400; a part is stored", "a person who looks knows what the API said"


@pytest.mark.slow
def test_a_put_that_the_api_refuses_and_stores_in_part_is_named_with_its_answer(home: PushHome) -> None:
    def store(request: Request) -> None:
        if request.method == "PUT":
            home.sandbox.world.schedules.set_members(key, dueDate="2031-01-01")

    key = next(one for one in home.schedules(1_000) if home.members(one)["description"])
    home.sandbox._server.app.before = store
    home.sandbox.set_faults([{"match": {"method": "PUT"}, "effect": {"kind": "status", "status": 422}}])
    wanted = {"dueDate": "2031-01-01", "description": "ours"}
    report = home.apply(home.plan(home.schedule(UPDATE, key, wanted), resource="schedules"))
    assert (report.exit_code, report.has_written) == (3, False)
    assert "parked: the API refused the request: 422 " in report.lines[0]


@pytest.mark.slow
def test_a_schedule_that_a_look_before_its_delete_did_not_show_is_named_as_such(home: PushHome) -> None:
    (key,) = home.schedules(1)
    missing = {"kind": "status", "status": 404}
    path = "/assessments/schedules/[^/]+/[^/]+"
    home.sandbox.set_faults([{"match": {"method": "GET", "path": path}, "times": 1, "effect": missing}])
    report = home.apply(home.plan(home.schedule(DELETE, key, {}), resource="schedules"))
    assert (report.exit_code, home.effects) == (3, {})
    assert "skipped: propsync found no such schedule and sent nothing; the API shows it now" in report.lines[0]


def test_an_asset_of_another_type_since_is_not_written(home: PushHome) -> None:
    """Nor if its id belongs to a different asset by now."""
    asset_id, _, kind = home.assets(1)[0]
    other = next(one for _, _, one in home.assets(1_000) if one != kind)
    plan = home.plan(home.update(asset_id, {home.field(kind, "text"): "ours"}))
    home.sandbox.world.assets.set_members(asset_id, type=other)
    report = home.apply(plan)
    assert (report.exit_code, home.effects, home.writes("state, code")) == (3, {}, [("skipped", "ChangedMeanwhile")])
    assert "the asset is no longer of that type" in report.lines[0]


@pytest.mark.slow
def test_an_edit_while_an_update_waits_for_the_first_write_stays(home: PushHome) -> None:
    """The first write goes alone, to see whether the API keeps other values, and it may take minutes."""
    entries = {one: home.update(one, {home.field(kind, "text"): "ours"}) for one, _, kind in home.assets(2)}
    edited: list[str] = []

    def is_seen(asset_id: str) -> bool:
        return any(f"id={asset_id}" in one.query for one in home.sandbox.journal)

    def interfere(request: Request) -> None:
        if request.method == "PATCH" and not edited:
            edited.extend(entries.keys() - {request.path.rpartition("/")[2]})
            ends = monotonic() + 10
            while not is_seen(edited[0]) and monotonic() < ends:
                sleep(0.01)
            sleep(0.2)  # for the answer to that look
            home.sandbox.world.assets.edit(edited[0], {entries[edited[0]].changes[0].field: "theirs"})

    home.sandbox._server.app.before = interfere
    assert home.apply(home.plan(*entries.values())).exit_code == 3
    assert dict(home.writes("record_id, state"))[edited[0]] == "skipped"
    assert ("update", edited[0]) not in home.effects
