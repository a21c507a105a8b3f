"""Timetables and automations: changes by people stay, and propsync makes nothing twice."""

import json
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from propsync.serving import deployments
from propsync.serving.deployments import automate, deploy, make_pool, next_run
from propsync.shipped import shipped

SHIPPED = {"schedule": {"cron": "30 2 * * *", "timezone": "Europe/London"}, "active": True, "slug": None}


class FakeServer:
    """Answers as the server does, before and after `prefect deploy`, and notes the changes that it receives."""

    def __init__(self, *answers):
        self._answers, self.patched = list(answers), []

    def all_of(self, path, body):
        return self._answers.pop(0)

    def get(self, path):
        return self._answers.pop(0)

    def post(self, path, body):
        self.posted = (path, body)

    def patch(self, path, body):
        self.patched.append((path, body))


def _fake(*answers) -> Any:
    return FakeServer(*answers)


def deployment(*schedules, paused=False):
    return {"id": "d", "paused": paused, "schedules": [{"id": "s", **one} for one in schedules]}


def patched(before, after, time_zone="Europe/London"):
    server: Any = FakeServer(before, after)
    with tempfile.TemporaryDirectory() as folder:
        deploy(server, lambda *words, cwd: None, time_zone, Path(folder))
        assert list(Path(folder).iterdir()) == []
    return [body for _, body in server.patched]


class PlannedRuns(FakeServer):
    """Answers with the first planned run that the filter lets through, as the server does."""

    def post(self, path, body):
        after = body["flow_runs"].get("next_scheduled_start_time", {}).get("after_", "")
        planned = sorted(one for one in self._answers if one > after)
        return [{"next_scheduled_start_time": one} for one in planned[: body["limit"]]]


def test_a_run_that_begins_at_once_is_not_the_next_one_of_the_timetable():
    now = datetime.now(UTC)
    late, asked, tonight = (now - timedelta(hours=8), now - timedelta(seconds=1), now + timedelta(hours=8))
    server: Any = PlannedRuns(deployment(SHIPPED), *(one.isoformat() for one in (late, asked, tonight)))
    assert next_run(server, "nightly") == tonight


def test_the_work_pool_is_made_with_propsync_s_template_or_put_back_to_it():
    template = json.loads((shipped("flows") / "job-template.json").read_text())
    new: Any = FakeServer(None)
    changed: Any = FakeServer({"base_job_template": {"variables": {}, "job_configuration": {}}})
    make_pool(new)
    assert new.posted[1]["base_job_template"] == template
    make_pool(changed)
    assert changed.patched == [("/work_pools/propsync", {"base_job_template": template})]


def test_a_new_deployment_follows_the_time_zone_of_the_settings():
    assert patched([], [deployment(SHIPPED)]) == []
    (body,) = patched([], [deployment(SHIPPED)], "Europe/Berlin")
    assert [one["schedule"] for one in body["schedules"]] == [{"cron": "30 4 * * *", "timezone": "Europe/Berlin"}]


def test_a_shipped_timetable_that_an_earlier_start_left_at_a_time_that_is_skipped_is_moved(caplog):
    earlier = {**SHIPPED, "schedule": {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}}
    (body,) = patched([deployment(earlier)], [deployment(SHIPPED)], "Europe/Berlin")
    assert body["schedules"][0]["schedule"]["cron"] == "30 4 * * *"
    assert caplog.text == ""


def test_a_time_that_people_chose_stays_with_a_warning_where_it_is_skipped(caplog):
    chosen = {**SHIPPED, "schedule": {"cron": "45 2 * * *", "timezone": "Europe/Berlin"}}
    (body,) = patched([deployment(chosen)], [deployment(SHIPPED)], "Europe/Berlin")
    assert body["schedules"][0]["schedule"]["cron"] == "45 2 * * *"
    assert "the clocks of Europe/Berlin skip or repeat the time of the timetable 45 2 * * *" in caplog.text


@pytest.mark.parametrize(
    ("name", "zone", "warns"),
    [
        ("@daily", "Europe/London", False),
        ("@Weekly", "Atlantic/Azores", True),
        ("@hourly", "Atlantic/Azores", False),
    ],
)
def test_a_name_that_stands_for_a_cron_line_stays_with_a_warning_where_midnight_is_skipped(caplog, name, zone, warns):
    chosen = {**SHIPPED, "schedule": {"cron": name, "timezone": "UTC"}}
    (body,) = patched([deployment(chosen)], [deployment(SHIPPED)], zone)
    assert body["schedules"][0]["schedule"] == {"cron": name, "timezone": zone}
    assert (f"the clocks of {zone} skip or repeat" in caplog.text) is warns


def test_what_people_changed_is_put_back():
    changed = {"schedule": {"cron": "0 4 * * *", "timezone": "Europe/London"}, "active": False, "slug": None}
    (body,) = patched([deployment(changed, paused=True)], [deployment(SHIPPED)])
    assert body["paused"] is True
    assert body["schedules"] == [{"schedule": changed["schedule"], "active": False}]
    assert patched([deployment()], [deployment(SHIPPED)]) == [{"paused": False, "schedules": []}]


def test_a_start_that_dies_after_prefect_replaced_a_timetable_loses_no_change_of_people(tmp_path):
    changed = {"schedule": {"cron": "0 4 * * *", "timezone": "Europe/London"}, "active": True}
    with pytest.raises(KeyboardInterrupt):
        deploy(_fake([deployment(changed, paused=True)]), _killed, "Europe/London", tmp_path)
    server = _fake([deployment(SHIPPED)])
    deploy(server, lambda *words, cwd: None, "Europe/London", tmp_path)
    assert server.patched == [("/deployments/d", {"paused": True, "schedules": [changed]})]
    # the one after that believes the server again
    server = _fake([deployment(changed)], [deployment(SHIPPED)])
    deploy(server, lambda *words, cwd: None, "Europe/London", tmp_path)
    assert server.patched == [("/deployments/d", {"paused": False, "schedules": [changed]})]


@pytest.mark.parametrize(
    "damage", [lambda body: body[:40], lambda body: body.replace(b"0 4 ", b"0 5 "), lambda body: b"\xff"]
)
def test_a_damaged_note_of_a_start_that_died_is_told_and_ends_no_start(tmp_path, caplog, damage):
    changed = {"schedule": {"cron": "0 4 * * *", "timezone": "Europe/London"}, "active": True}
    with pytest.raises(KeyboardInterrupt):
        deploy(_fake([deployment(changed)]), _killed, "Europe/London", tmp_path)
    (note,) = tmp_path.iterdir()
    note.write_bytes(damage(note.read_bytes()))
    server = _fake([deployment(SHIPPED)], [deployment(SHIPPED)])
    deploy(server, lambda *words, cwd: None, "Europe/London", tmp_path)
    assert server.patched == []
    assert "compare each timetable in the pages" in caplog.text
    assert list(tmp_path.iterdir()) == []


def _killed(*words, cwd):
    raise KeyboardInterrupt


@pytest.mark.parametrize("form", ["list", "under automations"])
def test_only_automations_that_lack_are_made(tmp_path, monkeypatch, form):
    wanted = [{"name": "there"}, {"name": "new", "description": "x"}]
    (tmp_path / "automations.yaml").write_text(json.dumps(wanted if form == "list" else {"automations": wanted}))
    monkeypatch.setattr(deployments, "shipped", lambda name: tmp_path)
    commands = []
    automate(_fake([{"name": "there"}]), lambda *words: commands.append(words))
    assert commands == [("automation", "create", "--from-json", json.dumps(wanted[1:]))]
    automate(_fake(wanted), lambda *words: commands.append(words))
    assert len(commands) == 1


def test_the_shipped_automations_have_names_of_their_own():
    path = shipped("flows") / "automations.yaml"
    names = [one["name"] for one in deployments._automations(path)]
    assert names
    assert len(names) == len(set(names))
