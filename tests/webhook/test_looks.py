"""A hint says where to look: propsync reads the record, and publishes what the API shows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kit.hint_home import HintHome, assessment_hint, property_hint, schedule_hint

from propsync.errors import Busy
from propsync.runbooks import Step
from propsync.runs import RunLock
from propsync.storage import LocalStorage
from propsync.webhook.next_look import NextLook, Spent

NO_SUCH = "00000000-0000-4000-8000-000000000000"


def busiest(home: HintHome) -> str:
    """The property with the most assets."""
    return str(home.column("select property_id from assets group by 1 order by count(*) desc, 1")[0])


def approved(home: HintHome, count: int) -> list[str]:
    """Some approved assessments."""
    return home.column("select assessment_id from assessments where status = 'approved' order by 1 limit ?", count)


def schedules(home: HintHome, count: int) -> list[tuple[str, str]]:
    """Some schedules."""
    query = "select property_id, assessment_type_id from schedules order by all limit ?"
    return [(row[0], row[1]) for row in home.rows(query, count)]


def is_truth(home: HintHome) -> bool:
    """Whether exactly the records of the sandbox are published."""
    return all(home.is_truth(resource) for resource in ("assets", "assessments", "schedules"))


def test_a_changed_assessment_is_published_after_its_hint(home: HintHome, caplog: pytest.LogCaptureFixture):
    caplog.set_level("INFO", "propsync.hints")
    (key,) = approved(home, 1)
    home.sandbox.world.assessments.set_members(key, title="Seen at once")
    home.hint(assessment_hint(key))
    report = home.read()
    assert (report.status, report.resources["assessments"]["updated"]) == ("ok", 1)
    told = "flow hints, ok: looked at 1, put off 0; records: 1 read, 1 changed, 0 rejected; "
    assert f"run {report.run_id}, {told}" in caplog.text
    assert home.known("assessments")[key]["title"] == "Seen at once"
    assert home.hints() == [("assessment", key, "changed")]
    assert not home.inbox.files()
    assert is_truth(home)


@pytest.mark.slow
def test_a_changed_schedule_and_a_new_one_are_published(home: HintHome):
    ((property_id, type_id),) = schedules(home, 1)
    world = home.sandbox.world
    world.schedules.set_members((property_id, type_id), description="Bring a ladder")
    new = next(
        (place, kind)
        for place in world.properties.ids()
        for kind in world.assessment_types.ids()
        if (place, kind) not in world.schedules
    )
    world.schedules.create(*new, status="notstarted", dueDate="2027-02-01")
    home.hint(schedule_hint((property_id, type_id)), schedule_hint(new))
    report = home.read()
    assert (report.resources["schedules"]["inserted"], report.resources["schedules"]["updated"]) == (1, 1)
    assert home.states() == ["changed", "changed"]
    assert is_truth(home)


@pytest.mark.slow
def test_everything_of_a_hinted_property_is_read_and_nothing_elsewhere(home: HintHome):
    here = busiest(home)
    elsewhere = next(one for one in home.column("select distinct property_id from assets order by 1") if one != here)
    world = home.sandbox.world
    gone, edited = home.column("select asset_id from assets where property_id = ? order by 1 limit 2", here)
    world.assets.delete(gone)
    world.assets.scribble(edited)
    added = world.assets.add(here)
    unseen = world.assets.add(elsewhere)
    home.hint(property_hint(here))
    report = home.read()
    counts = report.resources["assets"]
    assert (counts["inserted"], counts["updated"], counts["deleted"]) == (1, 1, 1)
    known = home.known("assets")
    assert added in known
    assert gone not in known
    assert unseen not in known
    assert home.states() == ["changed"]


@pytest.mark.slow
def test_a_property_from_which_an_asset_moved_away_counts_as_changed(home: HintHome):
    here, there = home.column("select property_id from assets group by 1 order by count(*) desc, 1 limit 2")
    (asset,) = home.column("select asset_id from assets where property_id = ? order by 1 limit 1", here)
    home.sandbox.world.assets.move(asset, there)
    home.hint(property_hint(here), property_hint(there))
    home.read()
    assert home.states() == ["changed", "changed"]
    assert home.is_truth("assets")


@pytest.mark.slow
def test_a_new_assessment_is_published(home: HintHome):
    key = home.sandbox.world.assessments.add(status="approved")
    home.hint(assessment_hint(key))
    assert home.read().resources["assessments"]["inserted"] == 1
    assert is_truth(home)


@pytest.mark.slow
def test_a_hint_of_a_change_that_the_api_shows_later_is_looked_at_again(home: HintHome):
    (key,) = approved(home, 1)
    home.hint(assessment_hint(key))
    home.read()
    assert home.hints("state, looks, next_look_at - looked_at = interval 1 minute") == [("waiting", 1, True)]
    home.requests()
    home.wait(seconds=59)
    assert home.read().run_id == ""
    assert home.requests() == []
    home.wait(seconds=1)
    home.read()
    home.sandbox.world.assessments.set_members(key, title="Late")
    home.wait(minutes=4)
    home.read()
    assert home.hints("state, looks") == [("changed", 3)]
    assert home.known("assessments")[key]["title"] == "Late"


@pytest.mark.slow
def test_after_four_looks_without_a_change_propsync_stops(home: HintHome):
    (key,) = approved(home, 1)
    home.hint(assessment_hint(key))
    began = home.now
    times = []
    for _ in range(40):
        if home.read().run_id:
            times.append((home.now - began).total_seconds() / 60)
        home.wait(minutes=1)
    assert times == [0, 1, 5, 30]
    assert home.hints("state, looks, next_look_at") == [("unchanged", 4, None)]


@pytest.mark.slow
def test_a_record_that_nobody_knows_is_missing_and_nothing_else_happens(home: HintHome):
    pair = schedules(home, 1)[0]
    home.hint(assessment_hint(NO_SUCH), property_hint(NO_SUCH), schedule_hint((pair[0], NO_SUCH)))
    for minutes in (0, 1, 4, 25):
        home.wait(minutes=minutes, seconds=1)  # two runs at one time differ by a microsecond
        report = home.read()
        assert report.exit_code == 0, report.left_behind
    assert home.states() == ["missing"] * 3
    assert is_truth(home)


def test_a_deleted_assessment_is_deleted_by_the_rules_of_a_night(home: HintHome):
    """Its lists and its report show nothing: that is evidence, the hint is none."""
    (key,) = approved(home, 1)
    home.sandbox.world.assessments.delete(key)
    home.hint(assessment_hint(key))
    assert home.read().resources["assessments"]["deleted"] == 1
    asked = [one for one in home.requests() if key in one]
    assert len(asked) > 2
    assert any("report.pdf" in one for one in asked)
    assert is_truth(home)


@pytest.mark.slow
def test_a_list_that_does_not_show_a_record_deletes_nothing_while_its_report_exists(home: HintHome):
    (key,) = approved(home, 1)
    home.sandbox.world.assessments.set_status(key, "archived")
    home.hint(assessment_hint(key))
    assert home.read().resources["assessments"]["deleted"] == 0
    assert home.rows("select status from assessments where assessment_id = ?", key) == [(None,)]


def test_look_ups_that_show_not_even_known_records_delete_nothing(home: HintHome):
    (key,) = approved(home, 1)
    known = home.known("assessments").keys()
    home.sandbox.world.assessments.delete(key)
    for other in known - {key}:
        home.sandbox.world.assessments.set_status(other, "archived")
    home.hint(assessment_hint(key))
    report = home.read()
    assert report.resources["assessments"]["deleted"] == 0
    assert home.known("assessments").keys() == known
    assert home.states() == ["waiting"]


@pytest.mark.slow
def test_only_a_refused_property_waits_and_the_others_are_read(home: HintHome):
    """The API may refuse one id of several, and propsync cannot know which."""
    places = home.column("select property_id from assets group by 1 order by 1 limit 5")
    added = {place: home.sandbox.world.assets.add(place) for place in places}
    refused = {"path": "/properties/assets", "query": {"property": f".*{places[1]}.*"}}
    home.sandbox.set_faults([{"match": refused, "effect": {"kind": "status", "status": 400}}])
    home.hint(*map(property_hint, places))
    report = home.read()
    assert report.exit_code in (1, 3)
    assert home.hints("state, next_look_at is not null and looks = 0") == [
        ("waiting", True) if place == places[1] else ("changed", False) for place in places
    ]
    assert added.keys() - {places[1]} == {place for place in places if added[place] in home.known("assets")}
    home.sandbox.set_faults([])
    home.wait(minutes=5, seconds=1)  # runs at one time differ by a microsecond
    assert home.read().exit_code == 0
    assert home.states() == ["changed"] * 5


@pytest.mark.slow
def test_an_api_that_refuses_every_property_is_not_asked_for_each(home: HintHome):
    places = home.column("select property_id from assets group by 1 order by 1 limit 8")
    home.sandbox.set_faults([{"match": {"path": "/properties/assets"}, "effect": {"kind": "status", "status": 400}}])
    home.hint(*map(property_hint, places))
    home.read()
    home.wait(seconds=1)
    assert home.hints("distinct state, looks") == [("waiting", 0)]
    assert home.rows("select count(*) from ops.runs where flow = 'hints'") == [(8,)]  # of 8, 4, 2, 1, 2, 1, 2 and 1


def test_properties_that_one_list_refuses_and_another_fails_wait_before_the_next_look(home: HintHome):
    places = home.column("select property_id from assets group by 1 order by 1 limit 3")
    refused = {"path": "/properties/assets", "query": {"property": f".*{places[1]}.*"}}
    forbidden = {"match": {"path": "/assessments"}, "effect": {"kind": "status", "status": 403}}
    home.sandbox.set_faults([{"match": refused, "effect": {"kind": "status", "status": 400}}, forbidden])
    home.hint(*map(property_hint, places))
    assert home.read().exit_code == 3
    assert home.hints("state, looks, next_look_at > received_at + interval 4 minutes") == [("waiting", 0, True)] * 3


@pytest.mark.slow
def test_hints_together_delete_no_more_than_a_night_may(home: HintHome):
    keys = home.column("select assessment_id from assessments order by 1")[:28]
    for key in keys:
        home.sandbox.world.assessments.delete(key)
    for start in range(0, 28, 7):
        home.hint(*map(assessment_hint, keys[start : start + 7]))
        report = home.read()
        home.wait(minutes=2)
    assert report.exit_code == 3
    assert "PROPSYNC_DELETE_LIMIT" in report.left_behind[0]
    (deleted,) = home.column(
        "select sum(deleted) from ops.run_resources join ops.runs using (run_id) where flow = 'hints'"
    )
    assert deleted == 14
    assert home.column("select count(*) from ops.held_deletes") == [14]


@pytest.mark.slow
def test_hints_delete_nothing_that_a_night_held(home: HintHome):
    keys = home.column("select assessment_id from assessments order by 1")[:28]
    for key in keys:
        home.sandbox.world.assessments.delete(key)
    assert home.sync().resources["assessments"]["held"] == 28
    home.hint(*map(assessment_hint, keys[:5]))
    counts = home.read().resources["assessments"]
    assert (counts["deleted"], counts["held"]) == (0, 5)
    assert home.column("select count(*) from ops.held_deletes") == [28]


@pytest.mark.slow
def test_a_doubled_hint_costs_one_look(home: HintHome):
    (key,) = approved(home, 1)
    home.hint(*[assessment_hint(key)] * 50)
    home.hint(assessment_hint(key))
    home.read()
    few = len(home.requests())
    assert home.hints("items, looks") == [(50, 1), (1, 1)]
    home.wait(minutes=2)
    home.hint(assessment_hint(key))
    home.read()
    assert len(home.requests()) <= few


@pytest.mark.slow
def test_a_record_is_looked_at_once_a_minute_at_most(home: HintHome):
    (key,) = approved(home, 1)
    home.hint(assessment_hint(key))
    home.read()
    home.requests()
    home.wait(seconds=30)
    home.hint(assessment_hint(key))
    home.read()
    assert home.requests() == []
    home.wait(seconds=30)
    home.read()
    assert any(key in one for one in home.requests())


@pytest.mark.slow
def test_requests_grow_with_the_hints_and_not_with_the_estate(home: HintHome):
    home.hint(*map(assessment_hint, approved(home, 8)))
    home.read()
    assert 0 < len(home.requests()) <= 8
    home.wait(hours=1)
    home.hint(property_hint(busiest(home)))
    home.read()
    assert 0 < len(home.requests()) <= 8 + 14


@pytest.mark.slow
def test_the_budget_of_a_day_ends_and_begins_again_at_midnight(home: HintHome):
    (first,), second = approved(home, 1), busiest(home)
    home.hint(assessment_hint(first))
    assert home.read(webhook_requests=12).exit_code == 0
    used = len(home.requests())
    home.wait(minutes=10)
    added = home.sandbox.world.assets.add(second)
    home.hint(property_hint(second))
    report = home.read(webhook_requests=12)
    assert report.exit_code == 3
    used += len(home.requests())  # of another look at the first, which fits
    told = f"hints have used {used} of 12 requests today (PROPSYNC_WEBHOOK_REQUESTS): 1 must wait for tomorrow"
    assert report.left_behind == [told]
    home.wait(hours=2)
    home.hint(property_hint(second))
    assert "used up" in home.read(webhook_requests=12).notes[0]
    home.now = datetime(2027, 1, 5, 0, 1, tzinfo=UTC)
    assert home.read(webhook_requests=40).exit_code == 0
    assert added in home.known("assets")


@pytest.mark.slow
def test_more_requests_a_day_count_at_once(home: HintHome):
    place = busiest(home)
    home.hint(assessment_hint(approved(home, 1)[0]), property_hint(place))
    added = home.sandbox.world.assets.add(place)
    assert "PROPSYNC_WEBHOOK_REQUESTS" in home.read(webhook_requests=12).left_behind[0]
    home.wait(minutes=1)
    assert home.read(webhook_requests=12).run_id == ""
    assert added not in home.known("assets")
    assert home.read(webhook_requests=100).exit_code == 0
    assert added in home.known("assets")


def test_a_limit_that_no_look_at_a_property_fits_in_is_named(home: HintHome):
    home.hint(property_hint(busiest(home)))
    (line,) = home.read(webhook_requests=5).left_behind
    assert line.startswith(
        "hints have used 0 of 5 requests today (PROPSYNC_WEBHOOK_REQUESTS): 1 must wait for the night"
    )
    assert line.endswith("Set at least 12, which a look at a property takes")


def test_a_night_at_work_makes_hints_wait_and_loses_none(home: HintHome):
    (key,) = approved(home, 1)
    home.sandbox.world.assessments.set_members(key, title="After the night")
    home.hint(assessment_hint(key))
    with RunLock(home.path / "state" / "run.lock").held("propsync nightly", 0), pytest.raises(Busy):
        home.read(lock_wait=0)
    assert len(home.inbox.files()) == 1
    home.read()
    assert home.states() == ["changed"]


@pytest.mark.slow
def test_an_api_that_fails_loses_no_hint(home: HintHome):
    (key,) = approved(home, 1)
    home.sandbox.world.assessments.set_members(key, title="After the failure")
    home.hint(assessment_hint(key), property_hint(busiest(home)))
    home.sandbox.set_faults([{"effect": {"kind": "status", "status": 503}}])
    report = home.read()
    assert report.exit_code == 3, "the run about the record published that it waits; the run about the property failed"
    assert any("the API answered 503" in line for line in report.left_behind)
    assert not home.inbox.files()
    home.sandbox.set_faults([])
    home.wait(minutes=5)
    home.read()
    assert home.known("assessments")[key]["title"] == "After the failure"
    assert "changed" in home.states()


def test_the_time_of_the_next_look_is_noted_under_the_lock(home: HintHome, monkeypatch: pytest.MonkeyPatch):
    """Else an older time could replace that of a run which began meanwhile, and its hints would be read too late."""
    note, free = NextLook.note, []

    def noted(self: NextLook, look_at: datetime | None, spent: Spent | None = None) -> None:
        try:
            with RunLock(home.path / "state" / "run.lock").held("somebody else", 0):
                free.append(look_at)
        except Busy:
            note(self, look_at, spent)

    monkeypatch.setattr(NextLook, "note", noted)
    home.hint(assessment_hint(approved(home, 1)[0]))
    home.read()
    assert not free
    assert NextLook(LocalStorage(home.path)).at(home.now, 5_000) == home.now + timedelta(minutes=1)


def test_a_run_that_dies_before_it_publishes_comes_again(home: HintHome):
    (key,) = approved(home, 1)
    home.sandbox.world.assessments.set_members(key, title="Merged, not published")
    home.hint(assessment_hint(key))

    def dies(name: str, step: Step) -> None:
        if name == "publish":
            raise KeyboardInterrupt
        home.call(name, step)

    with pytest.raises(KeyboardInterrupt):
        home.read(call=dies)
    assert "title" not in home.known("assessments")[key]
    assert home.read().run_id
    assert home.known("assessments")[key]["title"] == "Merged, not published"


@pytest.mark.slow
def test_a_nightly_run_settles_what_waited_long_and_forgets_what_is_old(home: HintHome):
    (key,) = approved(home, 1)
    home.hint(assessment_hint(key), {"type": "task", "id": "1"})
    home.read()
    home.wait(hours=8)
    home.hint(assessment_hint(key))
    home.nightly()
    assert home.states() == ["night", "ignored", "waiting"]
    home.wait(days=31)
    home.nightly()
    assert home.states() == []


@pytest.mark.slow
def test_hints_that_name_nothing_to_read_wait_for_the_next_run(home: HintHome):
    home.hint({"type": "task", "id": "1"}, {"type": "task", "id": "2"}, {"type": "propertygroup", "id": "3"}, "what?")
    home.post(b"\xff not JSON")
    assert home.read().run_id == ""
    assert home.requests() == []
    home.nightly()
    rows = home.hints("type, record_id, items, state, payload")
    assert rows == [
        ("propertygroup", None, 1, "ignored", None),
        ("task", None, 2, "ignored", None),
        (None, None, 1, "unknown", '"what?"'),
        (None, None, 1, "unknown", '"\ufffd not JSON"'),
    ]


@pytest.mark.slow
def test_old_landing_is_left_to_the_night(home: HintHome):
    """A base costs as much after a hint as after a night, and there may be hundreds of hints a day."""
    for _ in range(3):
        home.wait(hours=1)
        home.nightly()
    old = [folder for folder in (home.path / "landing" / "assets").iterdir() if folder.is_dir()]
    home.wait(days=40)
    home.hint(assessment_hint(approved(home, 1)[0]))
    home.read()
    assert all(folder.exists() for folder in old)
    home.wait(hours=1)
    home.nightly()
    assert not any(folder.exists() for folder in old)


@pytest.mark.slow
def test_a_rebuild_carries_hints_over(home: HintHome):
    (key,) = approved(home, 1)
    home.sandbox.world.assessments.set_members(key, title="New")
    home.hint(assessment_hint(key), {"type": "task"})
    home.read()
    before = home.rows("from ops.hints order by all")
    home.rebuild()
    assert home.rows("from ops.hints order by all") == before
    assert home.known("assessments")[key]["title"] == "New"


@pytest.mark.slow
def test_the_miss_rate_says_what_only_the_night_found(home: HintHome):
    one, other, third = approved(home, 3)
    for key in (one, other, third):
        home.sandbox.world.assessments.set_members(key, title="Changed")
    home.hint(assessment_hint(one))
    home.read()
    home.wait(hours=1)
    home.nightly()
    columns = "resource, changes_by_hint, changes_by_night, round(miss_rate, 3)"
    found = home.rows(f"select {columns} from marts.hint_coverage order by all")
    assert found == [("assessments", 1, 2, 0.667), ("assets", 0, 0, None), ("schedules", 0, 0, None)]


def test_deletes_at_several_properties_count_together_until_the_night(home: HintHome) -> None:
    query = "select property_id, count(*) from assets group by 1 having count(*) <= 20 order by 2 desc, 1 limit 3"
    places = home.rows(query)
    assert places[0][1] + places[1][1] > 20
    deleted, held = [], []
    for place, _ in places[:2]:
        for asset in home.column("select asset_id from assets where property_id = ?", place):
            home.sandbox.world.assets.delete(asset)
        home.hint(property_hint(place))
        report = home.read()
        deleted.append(report.resources["assets"]["deleted"])
        held.append(report.resources["assets"]["held"])
        home.wait(minutes=2)
    assert (deleted, held) == ([places[0][1], 0], [0, places[1][1]])


def test_hints_that_wait_are_looked_at_after_a_rebuild_without_the_note_of_their_time(home: HintHome):
    """Another machine has read them so far, or this one has lost its disk."""
    (key,) = approved(home, 1)
    home.hint(assessment_hint(key))
    home.read()
    LocalStorage(home.path).delete("state/hints/next.json")
    home.rebuild()
    home.wait(minutes=2)
    home.sandbox.world.assessments.set_members(key, title="Seen later")
    home.read()
    assert home.states() == ["changed"]
