"""After a lost answer, a new asset is found by its values, or a person must look: there is never a second one."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from pathlib import Path

import pytest
from kit.deaths import dying
from kit.kept import KeptHomes
from kit.push_home import PushHome, push_home
from push.corrections import csv_file, planned
from variants import daily

from propsync.errors import UsageError
from propsync.push.values.sameness import is_form_of
from propsync.runbooks.push.plans import Wanted
from propsync_sandbox.exchange import Request

LOST = {"kind": "reset", "where": "before", "apply": True}
DOWN = {"kind": "status", "status": 503}
REFUSED = {"kind": "status", "status": 400}


def faults(*effects: dict[str, object]) -> list[dict[str, object]]:
    """One effect for each POST, in this order."""
    return [{"match": {"method": "POST"}, "times": 1, "effect": effect} for effect in effects]


def posts(home: PushHome) -> int:
    return sum(one.startswith("POST") for one in home.requests)


@pytest.mark.slow
@pytest.mark.parametrize("shown", ["No defects recorded", ""])
@pytest.mark.parametrize("has_values", [True, False])
def test_a_field_that_the_server_fills_makes_no_second_asset(home: PushHome, shown: str, has_values: bool) -> None:
    def fill(request: Request) -> None:
        for action, key in list(home.effects) if request.method == "GET" else ():
            if action == "create" and key not in filled:
                filled.append(key)
                home.sandbox.world.assets.edit(key, {other: shown})

    filled: list[str] = []
    place, kind, text, other = room(home)
    home.sandbox._server.app.before = fill
    home.sandbox.set_faults(faults(LOST))
    values = {text: "ours"} if has_values else {}
    report = home.apply(home.plan(*(home.create(place, kind, values) for _ in range(5))))
    assert list(home.effects.values()) == [1] * 5
    assert posts(home) == 5
    made = {key for _, key in home.effects}
    assert {key for (key,) in home.writes("record_id")} == made
    is_known = has_values or not shown  # without any value, nothing says that it is ours
    assert (report.exit_code, home.writes("state")[0]) == ((0, ("verified",)) if is_known else (3, ("parked",)))


@pytest.mark.slow
@pytest.mark.parametrize("is_filled", [True, False])
def test_a_server_that_changes_values_and_fields_makes_no_second_asset(
    kept: KeptHomes, tmp_path: Path, *, is_filled: bool
) -> None:
    def change(request: Request) -> None:
        if request.method == "POST" and not made:
            stored = {text: "tidied", other: "a default"} if is_filled else {text: "first"}
            made.append(home.sandbox.world.assets.add(place, kind, stored))

    made: list[str] = []
    with push_home(kept, tmp_path / "home", before=change) as home:
        place, kind, text, other = room(home)
        home.sandbox.set_faults(faults(DOWN))
        planned_values = {text: " tidied "} if is_filled else {text: "first", other: "dropped"}
        report = home.apply(home.plan(home.create(place, kind, planned_values)))
        assert (report.exit_code, posts(home)) == (3, 1)
        assert home.writes("record_id, state") == [(made[0], "parked")] * len(planned_values)


def room(home: PushHome) -> tuple[str, str, str, str]:
    """A property, a type, and two of its text fields."""
    for _, place, kind in home.assets(1_000):
        texts = sorted(name for name, of in home.kinds(kind).items() if of == "text")
        if len(texts) > 1:
            return place, kind, texts[0], texts[1]
    raise AssertionError("no type has two texts")


@pytest.mark.slow
@pytest.mark.parametrize("is_alike", [True, False])
def test_a_new_asset_with_a_planned_field_is_left_to_a_person_and_any_other_is_somebody_elses(
    kept: KeptHomes, tmp_path: Path, *, is_alike: bool
) -> None:
    def add_another(request: Request) -> None:
        if request.method == "POST" and not others:
            theirs = {text: "other"} if is_alike else {other: "other"}
            others.append(home.sandbox.world.assets.add(place, kind, theirs))

    others: list[str] = []
    with push_home(kept, tmp_path / "home", before=add_another) as home:
        place, kind, text, other = room(home)
        home.sandbox.set_faults(faults(DOWN))
        report = home.apply(home.plan(home.create(place, kind, {text: "same"})))
        if is_alike:
            assert (report.exit_code, posts(home)) == (3, 1)
            assert home.writes("record_id, state, code") == [(others[0], "parked", "Unsure")]
            assert f"a new asset has other values: {others[0]}" in report.left_behind[0]
        else:
            assert (report.exit_code, list(home.effects.values())) == (0, [1])
            assert home.writes("record_id") != [(others[0],)]


@pytest.mark.slow
@pytest.mark.parametrize(("status", "is_shown"), [(202, True), (202, False), (504, True)])
def test_an_asset_that_a_list_shows_late_is_sent_once(home: PushHome, status: int, *, is_shown: bool) -> None:
    def show(request: Request) -> None:
        """The list is late: it shows the asset at the third look after the write."""
        looks.append(request.method)
        if is_shown and looks[-3:] == ["GET"] * 3 and "POST" in looks and not late:
            late.append(home.sandbox.world.assets.add(place, kind, {text: "ours"}))

    looks: list[str] = []
    late: list[str] = []
    place, kind, text, _ = room(home)
    home.sandbox._server.app.before = show
    home.sandbox.set_faults(faults({"kind": "status", "status": status}))
    report = home.apply(home.plan(home.create(place, kind, {text: "ours"})))
    assert posts(home) == 1
    if is_shown:
        assert (report.exit_code, home.writes("record_id, state")) == (0, [(late[0], "verified")])
    else:
        assert (report.exit_code, home.writes("record_id, state")) == (3, [(None, "parked")])
        assert "accepted the new asset without its id" in report.left_behind[0]


@pytest.mark.slow
@pytest.mark.parametrize("effect", [{"kind": "wrong_content", "content": "html"}, {"kind": "cut_body"}])
def test_an_asset_whose_answer_of_success_cannot_be_read_is_sent_once(
    home: PushHome, effect: dict[str, object]
) -> None:
    place, kind, text, _ = room(home)
    home.sandbox.set_faults(faults(effect))
    home.sandbox._server.app.lists.lag = 3_600.0
    report = home.apply(home.plan(home.create(place, kind, {text: "ours"})))
    assert (report.exit_code, posts(home)) == (3, 1)
    assert home.writes("record_id, state") == [(None, "parked")]


@pytest.mark.slow
def test_an_asset_that_a_list_shows_late_after_a_kill_is_sent_once(home: PushHome) -> None:
    def show(request: Request) -> None:
        """The list shows the asset at the second look of the next apply."""
        looks.append(request.method)
        if is_dead and looks[-2:] == ["GET"] * 2 and not late:
            late.append(home.sandbox.world.assets.add(place, kind, {text: "ours"}))

    looks: list[str] = []
    late: list[str] = []
    is_dead = False
    place, kind, text, _ = room(home)
    home.sandbox._server.app.before = show
    home.sandbox.set_faults(faults({"kind": "status", "status": 202}))
    plan = home.plan(home.create(place, kind, {text: "ours"}))
    with dying(2):  # before the outcome is in the journal
        home.apply(plan)
    is_dead, looks[:] = True, []
    report = home.apply(plan)
    assert (report.exit_code, posts(home)) == (0, 1), report.lines
    assert home.writes("record_id, state") == [(late[0], "verified")]


@pytest.mark.slow
@pytest.mark.parametrize("is_deleted", [True, False])
def test_an_asset_that_came_after_a_kill_and_went_is_sent_once(home: PushHome, *, is_deleted: bool) -> None:
    """The night between saw it. Whether propsync knows already that it is gone makes no difference."""
    place, kind, text, _ = room(home)
    plan = home.plan(home.create(place, kind, {text: "ours"}))
    with dying(2):  # before the outcome is in the journal
        home.apply(plan)
    ((_, made),) = home.effects
    assert home.sync(["assets"]).exit_code == 0
    home.sandbox.world.assets.delete(made)
    if is_deleted:
        assert home.sync(["assets"]).exit_code == 0
    report = home.apply(plan)
    assert (report.exit_code, posts(home)) == (3, 1)
    assert home.writes("state, code") == [("parked", "Unsure")]
    assert f"was in the lists and is gone: {made}" in report.left_behind[0]


@pytest.mark.parametrize("status", daily([400, 404, 422], 1))
@pytest.mark.parametrize("kept_value", ["ours", "OURS"])
def test_an_asset_that_the_api_made_and_refused_is_not_called_failed(
    home: PushHome, status: int, kept_value: str
) -> None:
    place, kind, text, _ = room(home)

    def make(request: Request) -> None:
        if request.method == "POST" and not made:
            made.append(home.sandbox.world.assets.add(place, kind, {text: kept_value}))

    made: list[str] = []
    home.sandbox._server.app.before = make
    home.sandbox.set_faults(faults({"kind": "status", "status": status}))
    report = home.apply(home.plan(home.create(place, kind, {text: "ours"})))
    state = "verified" if kept_value == "ours" else "parked"
    assert (posts(home), home.writes("record_id, state")) == (1, [(made[0], state)])
    assert report.exit_code == (0 if state == "verified" else 3)


def test_an_answer_that_names_an_older_asset_is_not_believed(home: PushHome) -> None:
    place, kind, text, _ = room(home)
    ((older,),) = home.rows("select min(asset_id) from assets where (property_id, asset_type_id) = (?, ?)", place, kind)
    answer = {"kind": "status", "status": 200, "apply": True, "body": json.dumps({"id": older})}
    home.sandbox.set_faults(faults(answer))
    report = home.apply(home.plan(home.create(place, kind, {text: "ours"})))
    ((_, made),) = home.effects
    assert (report.exit_code, home.writes("record_id, state")) == (0, [(made, "verified")])


@pytest.mark.slow
def test_an_asset_of_another_plan_is_not_the_one_in_question(home: PushHome) -> None:
    _, place, kind = home.assets(1)[0]
    text = home.field(kind, "text")
    first, second = (home.plan(home.create(place, kind, {text: one})) for one in ("first", "second"))
    home.sandbox.set_faults([{"match": {"method": "POST"}, "times": None, "effect": DOWN}])
    assert home.apply(first).exit_code == 3
    assert home.writes("record_id, state, code") == [(None, "parked", "AnswerLost")]
    home.sandbox.set_faults([])
    assert home.apply(second).exit_code == 0
    assert home.apply(first).exit_code == 0
    assert list(home.effects.values()) == [1, 1]


@pytest.mark.slow
def test_a_refusal_after_a_lost_answer_is_no_failure_if_the_asset_is_there(kept: KeptHomes, tmp_path: Path) -> None:
    def arrive_late(request: Request) -> None:
        if request.method == "POST" and posts(home) == 1:
            late.append(home.sandbox.world.assets.add(place, kind, {text: "ours"}))

    late: list[str] = []
    with push_home(kept, tmp_path / "home", before=arrive_late) as home:
        place, kind, text, _ = room(home)
        home.sandbox.set_faults(faults(DOWN, REFUSED))
        report = home.apply(home.plan(home.create(place, kind, {text: "ours"})))
        assert (report.exit_code, posts(home)) == (0, 2)
        assert home.writes("record_id, state") == [(late[0], "verified")]


def test_a_plan_that_a_copy_of_the_home_applies_too_makes_no_second_assets(home: PushHome, tmp_path: Path) -> None:
    place, kind, text, _ = room(home)
    plan = home.plan(*(home.create(place, kind, {text: "ours"}) for _ in range(2)))
    restored = PushHome(home.sandbox, shutil.copytree(home.path, tmp_path / "backup", symlinks=True))
    assert home.apply(plan).exit_code == 0, "equal rows of one plan are two assets"
    report = restored.apply(plan)
    assert (report.exit_code, restored.writes("state, code")) == (3, [("skipped", "Exists")] * 2)
    assert "was made since the plan, so propsync sent nothing" in report.left_behind[0]
    assert (posts(home), sum(home.effects.values())) == (2, 2)


@pytest.mark.slow
def test_nor_does_it_if_the_api_has_tidied_the_values(kept: KeptHomes, tmp_path: Path) -> None:
    """It trims texts and rounds numbers, so no new asset has exactly the planned values."""
    with push_home(kept, tmp_path / "home", normalise=True) as home:
        place, kind, text, _ = room(home)
        number = home.field(kind, "number")
        values = {text: "  ours ", number: Decimal("3.14159")}
        plan = home.plan(home.create(place, kind, values))
        restored = PushHome(home.sandbox, shutil.copytree(home.path, tmp_path / "backup", symlinks=True))
        other = home.plan(home.create(place, kind, values | {number: Decimal("3.15159")}))
        assert home.apply(plan).exit_code == 3, "stored otherwise"
        report = restored.apply(plan)
        assert (report.exit_code, restored.writes("state, code")) == (3, [("skipped", "Exists")] * 2)
        assert posts(home) == 1
        home.apply(other)
        assert posts(home) == 2, "3.14 is no form of 3.15159"


@pytest.mark.parametrize(
    ("kind", "now", "new", "is_one"),
    [
        ("text", "Flat 7", " flat  7", True),
        ("text", "Flat 7", "Flat 71", False),
        ("text", "Flat 7", None, False),
        ("number", Decimal("3.14"), Decimal("3.14159"), True),
        ("number", 4, Decimal("3.9"), True),
        ("number", "3.10", Decimal("3.1"), True),
        ("number", Decimal("3.15"), Decimal("3.141"), True),  # rounded up
        ("number", Decimal("3.14159"), Decimal("3.14"), False),  # nothing makes a number longer
        ("number", 5, Decimal("3.9"), False),
        ("number", None, 0, False),
        ("date", "2026-01-31T00:00:00Z", "2026-01-31", True),
        ("option", ["b", "a"], ["a", "b"], True),
        ("option", ["b"], ["a", "b"], False),
    ],
)
def test_a_value_may_come_back_in_another_form(kind: str, now: object, new: object, is_one: bool) -> None:
    assert is_form_of(now, new, kind) is is_one


def test_assets_that_a_gateway_makes_twice_are_named(home: PushHome) -> None:
    """It sends each POST twice, and gives one answer."""

    def double(request: Request) -> None:
        if request.method == "POST":
            twins.append(home.sandbox.world.assets.add(place, kind, {text: f"ours {len(twins)}"}))

    twins: list[str] = []
    place, kind, text, _ = room(home)
    home.sandbox._server.app.before = double
    plan = home.plan(*(home.create(place, kind, {text: f"ours {number}"}) for number in range(2)))
    report = home.apply(plan)
    assert (report.exit_code, home.writes("state, code")) == (3, [("applied", "MadeTwice")] * 2)
    assert all(
        f"the API also has {twin} with these values" in line for twin, line in zip(twins, report.lines, strict=True)
    )
    assert posts(home) == 2
    assert home.apply(plan).lines == report.lines, "nothing is left to send"


def test_an_asset_that_the_api_makes_elsewhere_is_not_verified(home: PushHome) -> None:
    def misplace(request: Request) -> None:
        for _, key in list(home.effects) if request.method == "GET" else ():
            home.sandbox.world.assets.move(key, elsewhere)

    place, kind, text, _ = room(home)
    elsewhere = next(one for _, one, _ in home.assets(100) if one != place)
    home.sandbox._server.app.before = misplace
    report = home.apply(home.plan(home.create(place, kind, {text: "ours"})))
    assert (report.exit_code, home.writes("state, code")) == (3, [("applied", "Elsewhere")])
    assert "with another property or type than the plan has" in report.lines[0]


def test_two_plans_of_one_asset_make_it_once(home: PushHome) -> None:
    place, kind, text, _ = room(home)
    first, second = (home.plan(home.create(place, kind, {text: "ours"}), file=name) for name in ("a.csv", "b.csv"))
    assert (home.apply(first).exit_code, home.apply(second).exit_code) == (0, 3)
    assert [one for one in home.writes("state, code") if one[0] != "verified"] == [("skipped", "Exists")]
    again = home.plan(home.create(place, kind, {text: "ours"}), file="b.csv")
    assert (home.apply(again).exit_code, posts(home)) == (0, 2), "a plan that knew of it makes one more"


@pytest.mark.parametrize("is_seen", [True, False])
def test_an_asset_that_a_colleague_has_made_since_the_plan_is_not_made_twice(home: PushHome, *, is_seen: bool) -> None:
    place, kind, text, other = room(home)
    plan = home.plan(home.create(place, kind, {text: "ours"}), home.create(place, kind, {}))
    home.sandbox.world.assets.add(place, kind, {text: "ours", other: "and more"})
    if is_seen:
        home.sync(["assets"])
    home.apply(plan)
    assert home.writes("state, code") == [("skipped", "Exists"), ("verified", None)]
    again = home.plan(home.create(place, kind, {text: "ours"}))
    assert home.apply(again).exit_code == (0 if is_seen else 3), "a plan that knew of it makes one more"


@pytest.mark.slow
def test_a_file_whose_plan_is_unfinished_makes_no_second_plan_of_new_assets(home: PushHome, tmp_path: Path) -> None:
    place, kind, text, _ = room(home)
    rows = [["asset_id", "property_id", "type", text], *(["", place, kind, f"new {one}"] for one in range(3))]
    path = csv_file(tmp_path / "new.csv", *rows)
    first = planned(home, tmp_path, Wanted("assets", path))
    with dying(4):  # the second asset is made, and its answer is not in the journal
        home.apply(first)
    assert len(home.effects) == 2
    corrected = csv_file(path, *rows[:2], ["", place, kind, "corrected"], rows[3])
    with pytest.raises(UsageError, match=f"plan {first.plan_id} of a file of this name is unfinished"):
        planned(home, tmp_path, Wanted("assets", corrected))
    other = home.assets(1)[0][0]
    edits = csv_file(path, ["asset_id", text], [other, "edited"])
    assert planned(home, tmp_path, Wanted("assets", edits)).counts()["update"] == 1, "an edit doubles nothing"
    assert home.sync(["assets"]).exit_code == 0
    assert home.writes("file_row, state, code") == [(2, "applied", None), (3, "parked", "Unsure")]
    csv_file(path, *rows)
    shutil.rmtree(home.path / "state" / "push")  # as on another machine, which rebuilt from a bucket
    again = planned(home, tmp_path, Wanted("assets", path))
    assert [one.row for one in again.entries] == [4]
    created, unsure = again.refused
    assert "created it from a file of this name, as asset" in created.reason
    assert "does not know whether it exists" in unsure.reason


@pytest.mark.slow
def test_a_night_records_what_a_later_apply_settled(home: PushHome) -> None:
    place, kind, text, _ = room(home)
    plan = home.plan(*(home.create(place, kind, {text: one}) for one in ("one", "two")))
    with dying(2):
        home.apply(plan)
    home.sync(["assets"])
    assert home.writes("state, written_at") == [("parked", None)]
    with dying(2):  # it has resumed the journal, and settled the first
        home.apply(plan)
    home.sync(["assets"])
    assert [state for (state,) in home.writes("state")] == ["applied"]
    assert home.apply(plan).exit_code == 0
    assert list(home.effects.values()) == [1, 1]


@pytest.mark.slow
def test_a_row_whose_asset_a_person_must_look_at_is_refused_with_what_to_do(kept: KeptHomes, tmp_path: Path) -> None:
    with push_home(kept, tmp_path / "home", normalise=True) as home:
        place, kind, text, _ = room(home)
        path = csv_file(tmp_path / "new.csv", ["asset_id", "property_id", "type", text], ["", place, kind, " a  b "])
        home.sandbox.set_faults(faults(LOST))
        assert home.apply(planned(home, tmp_path, Wanted("assets", path))).exit_code == 3
        ((_, made),) = home.effects
        (refused,) = planned(home, tmp_path, Wanted("assets", path)).refused
        assert made in refused.reason
        assert "write its id into asset_id; if not, rename the file" in refused.reason
