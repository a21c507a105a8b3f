"""The log of what was shown, and the control paths."""

import json
import threading

import httpx

from propsync_sandbox import RESOURCES, Sandbox, World
from propsync_sandbox.callers import caller_label


def test_the_journal_tells_who_saw_which_version_of_what_in_order(start) -> None:
    sandbox, client = start()
    first = client.get("/properties/assets?limit=5&page=2")
    sandbox.world.assets.scribble(first.json()["assets"][1]["id"])
    second = client.get("/properties/assets?limit=5&page=2")
    entries = sandbox.journal.entries()
    assert [e.sequence for e in entries] == [1, 2]
    assert entries[0].time <= entries[1].time
    keys = [row["id"] for row in second.json()["assets"]]
    assert [key for key, _ in entries[1].shown] == keys
    assert [version for _, version in entries[0].shown] == [1, 1, 1, 1, 1]
    assert [version for _, version in entries[1].shown] == [1, 2, 1, 1, 1]
    told = entries[1]
    assert (told.method, told.path, told.query) == ("GET", "/properties/assets", "limit=5&page=2")
    assert (told.total, told.status, told.fault, told.delivered) == (60, 200, None, True)
    assert [json.loads(record.body)["id"] for record in told.records] == keys


def test_the_journal_names_the_caller_but_never_the_token(start) -> None:
    sandbox, client = start()
    client.get("/assessments")
    client.get("/assessments", headers={"Authorization": "Bearer someone-else"})
    callers = [entry.caller for entry in sandbox.journal]
    assert callers == [caller_label(sandbox.token), "nobody"]
    assert sandbox.token.encode() not in sandbox.journal.as_json_lines()


def test_single_schedules_and_documents_are_noted_too(start) -> None:
    sandbox, client = start()
    place, kind = sandbox.world.schedules.keys()[0]
    client.get(f"/assessments/schedules/{place}/{kind}")
    assessment = sandbox.world.assessments.keys()[0]
    client.get(f"/assessments/{assessment}/report.pdf")
    client.get("/assessments/schedules/none/none")
    shown = [entry.shown for entry in sandbox.journal]
    assert shown == [(((place, kind), 1),), ((assessment, 1),), ()]


def test_types_shown_are_kept_as_they_were(start) -> None:
    sandbox, client = start()
    before = client.get("/properties/assets/types").json()["type"]
    sandbox.world.asset_types.rename(before[0]["id"], "Renamed")
    client.get("/properties/assets?limit=1")
    then, now = (json.loads(entry.types) for entry in sandbox.journal)
    assert then == before
    assert now[0]["name"] == "Renamed"


def test_a_journal_that_is_off_notes_nothing(start) -> None:
    sandbox, client = start(journal=False)
    assert client.get("/assessments").status_code == 200
    assert len(sandbox.journal) == 0


def test_requests_from_many_threads_get_a_sequence_without_gaps(start) -> None:
    sandbox, _ = start()
    headers = {"Authorization": f"Bearer {sandbox.token}"}

    def ask() -> None:
        with httpx.Client(base_url=sandbox.base_url, headers=headers, trust_env=False) as client:
            for _ in range(10):
                client.get("/assessments?limit=1")

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [entry.sequence for entry in sandbox.journal] == list(range(1, 61))


def test_a_client_that_goes_away_leaves_the_entry_undelivered(start) -> None:
    effect = {"kind": "slow_body", "seconds": 1, "chunks": 20}
    sandbox, client = start(scale=500, faults=[{"effect": effect}])
    with client.stream("GET", "/properties/assets") as answer:
        next(answer.iter_raw(10))
    sandbox.stop()
    assert [entry.delivered for entry in sandbox.journal] == [False]


def test_control_paths_need_no_token_and_stay_out_of_the_journal(start) -> None:
    sandbox, client = start()
    client.get("/assessments?limit=2")
    bare = httpx.Client(base_url=sandbox.base_url, trust_env=False)
    with bare:
        summary = bare.post("/_sandbox/night").json()
        assert summary["assets_added"] > 0
        lines = [json.loads(line) for line in bare.get("/_sandbox/journal").text.splitlines()]
    assert len(lines) == len(sandbox.journal) == 1
    assert lines[0]["path"] == "/assessments"
    assert lines[0]["shown"] == [[key, version] for key, version in sandbox.journal.entries()[0].shown]


def test_the_world_can_be_read_over_http(start) -> None:
    sandbox, client = start()
    sandbox.night()
    for name in RESOURCES:
        lines = [json.loads(line) for line in client.get(f"/_sandbox/world/{name}").text.splitlines()]
        records = sandbox.world.shelf(name).records()
        assert [line["version"] for line in lines] == [record.version for record in records]
        assert [line["record"] for line in lines] == [json.loads(record.shown(True)) for record in records]
        assert [line["performed"] for line in lines] == [sorted(record.performed) for record in records]
    assert client.get("/_sandbox/world/elements").status_code == 404


def test_a_night_of_a_chosen_seed_is_the_same_over_http(start) -> None:
    one, client_one = start()
    other, client_other = start()
    client_one.post("/_sandbox/night?seed=4")
    client_other.post("/_sandbox/night?seed=4")
    assert one.world.truth("assets") == other.world.truth("assets")


def test_faults_are_replaced_over_http_and_wrong_ones_refused(start) -> None:
    _, client = start()
    plan = [{"match": {"path": "/assessments"}, "effect": {"kind": "status", "status": 418}}]
    assert client.post("/_sandbox/faults", json=plan).status_code == 204
    assert client.get("/assessments").status_code == 418
    refusal = client.post("/_sandbox/faults", json=[{"effect": {"kind": "nap"}}])
    assert refusal.status_code == 400
    assert "faults[0].effect.kind" in refusal.json()["message"]
    assert client.get("/assessments").status_code == 418
    assert client.post("/_sandbox/faults", json={"faults": []}).status_code == 204
    assert client.get("/assessments").status_code == 200


def test_faults_never_reach_the_control_paths(start) -> None:
    _, client = start(faults=[{"effect": {"kind": "close"}}])
    assert client.get("/_sandbox/journal").status_code == 200


def test_a_sandbox_can_serve_a_world_that_is_given() -> None:
    world = World(seed=1, scale=12)
    with Sandbox(world=world) as one, Sandbox(world=world) as other:
        assert one.base_url != other.base_url
        assert one.world is other.world


def test_the_changes_of_a_night_and_the_world_before_it_can_be_read_over_http(start) -> None:
    sandbox, client = start()
    before = sorted(client.get("/_sandbox/world/assessments").text.splitlines())
    sandbox.night()
    sandbox.night()
    assert sorted(client.get("/_sandbox/world/assessments?night=0").text.splitlines()) == before
    lines = [json.loads(line) for line in client.get("/_sandbox/changes?night=2").text.splitlines()]
    assert [line["sequence"] for line in lines] == [change.sequence for change in sandbox.world.changes.of_night(2)]
    assert {line["kind"] for line in lines} == {"added", "edited", "deleted"}
    assert len(client.get("/_sandbox/changes").text.splitlines()) == len(sandbox.world.changes) > len(lines)
    days = client.get("/_sandbox/today").json()
    assert days == {"today": sandbox.world.today.isoformat(), "first": "2026-03-02", "nights": 2}
    assert client.get("/_sandbox/changes?night=-1").status_code == 400


def test_an_entry_has_the_worlds_date(start) -> None:
    sandbox, client = start()
    client.get("/assessments/types")
    sandbox.night()
    client.get("/assessments/types")
    assert [str(entry.day) for entry in sandbox.journal] == ["2026-03-02", "2026-03-03"]
    assert json.loads(sandbox.journal.as_json_lines().splitlines()[1])["day"] == "2026-03-03"
