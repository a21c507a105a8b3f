"""Each effect of the fault plan, as a client meets it."""

import gzip
import json
import time
from email.utils import parsedate_to_datetime

import httpx
import pytest

from propsync_sandbox import FaultPlan, FaultPlanError

ASSETS = "/properties/assets"


def rule(kind: str, times: int | None = 1, **options) -> dict:
    return {"match": {"path": ASSETS}, "times": times, "effect": {"kind": kind} | options}


def keys(answer: httpx.Response) -> list[str]:
    return [row["id"] for row in answer.json()["assets"]]


def last(sandbox):
    return sandbox.journal.entries()[-1]


def test_status_answers_with_any_code_and_then_recovers(start) -> None:
    sandbox, client = start(faults=[rule("status", 2, status=503, retry_after=3)])
    for _ in range(2):
        answer = client.get(ASSETS)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "3")
        assert isinstance(answer.json()["code"], str)
        assert (last(sandbox).fault, last(sandbox).records) == ("status", ())
    assert client.get(ASSETS).status_code == 200


def test_retry_after_may_be_a_date(start) -> None:
    _, client = start(faults=[rule("status", status=429, retry_after="http-date")])
    told = parsedate_to_datetime(client.get(ASSETS).headers["Retry-After"])
    assert 0 <= told.timestamp() - time.time() <= 3


def test_status_can_carry_a_code_or_a_body_of_its_own(start) -> None:
    _, client = start(faults=[rule("status", status=400, code="PageTooFar"), rule("status", status=502, body="<bad>")])
    assert client.get(ASSETS).json()["code"] == "PageTooFar"
    answer = client.get(ASSETS)
    assert (answer.status_code, answer.text) == (502, "<bad>")


@pytest.mark.parametrize(("apply", "made"), [(False, 0), (True, 1)])
def test_a_write_answered_badly_is_carried_out_only_when_the_plan_says_so(start, apply: bool, made: int) -> None:
    effect = {"kind": "status", "status": 500, "apply": apply}
    sandbox, client = start(faults=[{"match": {"method": "POST"}, "effect": effect}])
    before = len(sandbox.world.assets)
    body = {"type": sandbox.world.asset_types.ids()[0]}
    assert client.post(f"/properties/{sandbox.world.properties.ids()[0]}/assets", json=body).status_code == 500
    assert len(sandbox.world.assets) - before == made


def test_a_closed_connection_loses_the_answer_but_not_the_write(start) -> None:
    sandbox, client = start(faults=[{"match": {"method": "DELETE"}, "times": 1, "effect": {"kind": "close"}}])
    place, kind = sandbox.world.schedules.pick()
    with pytest.raises(httpx.RemoteProtocolError):
        client.delete(f"/assessments/schedules/{place}/{kind}")
    assert (place, kind) not in sandbox.world.schedules


@pytest.mark.parametrize("kind", ["cut_body", "cut_chunked"])
def test_a_cut_body_ends_before_it_should(start, kind: str) -> None:
    sandbox, client = start(faults=[rule(kind, fraction=0.3)])
    with client.stream("GET", ASSETS) as answer:
        assert answer.status_code == 200
        assert ("Content-Length" in answer.headers) == (kind == "cut_body")
        with pytest.raises(httpx.RemoteProtocolError, match="without"):
            answer.read()
    assert not last(sandbox).delivered
    assert last(sandbox).shown
    assert client.get(ASSETS).status_code == 200


def test_a_reset_may_come_before_any_answer(start) -> None:
    sandbox, client = start(faults=[rule("reset")])
    with pytest.raises(httpx.ReadError, match="reset"):
        client.get(ASSETS)
    assert not last(sandbox).delivered


def test_a_reset_may_come_in_the_middle_of_the_body(start) -> None:
    sandbox, client = start(scale=1000, faults=[rule("reset", where="body")])
    with client.stream("GET", ASSETS) as answer:
        assert answer.status_code == 200
        with pytest.raises(httpx.ReadError, match="reset"):
            answer.read()
    assert not last(sandbox).delivered


def test_close_answers_nothing(start) -> None:
    sandbox, client = start(faults=[rule("close")])
    with pytest.raises(httpx.RemoteProtocolError, match="disconnected"):
        client.get(ASSETS)
    assert not last(sandbox).delivered


def test_a_stall_runs_into_the_time_limit_of_the_client(start) -> None:
    sandbox, client = start(faults=[rule("stall", seconds=30)])
    with pytest.raises(httpx.ReadTimeout):
        client.get(ASSETS, timeout=0.2)
    assert not last(sandbox).delivered
    started = time.monotonic()
    sandbox.stop()
    assert time.monotonic() - started < 2


def test_a_delay_comes_before_the_headers(start) -> None:
    sandbox, client = start(faults=[rule("delay", seconds=0.3)])
    started = time.monotonic()
    with client.stream("GET", ASSETS) as answer:
        assert time.monotonic() - started >= 0.3
        answer.read()
    assert len(keys(answer)) == 60
    assert last(sandbox).delivered


def test_a_slow_body_comes_whole_but_late(start) -> None:
    _, client = start(faults=[rule("slow_body", seconds=0.4, chunks=4)])
    started = time.monotonic()
    with client.stream("GET", ASSETS) as answer:
        headed = time.monotonic()
        answer.read()
    assert time.monotonic() - headed >= 0.25
    assert time.monotonic() - started >= 0.4
    assert len(keys(answer)) == 60


@pytest.mark.parametrize(
    ("content", "body"),
    [("empty", b""), ("string", b'"ok"'), ("object", b"{}"), ("array", b"[]"), ("null", b"null")],
)
def test_wrong_content_is_sent_with_200(start, content: str, body: bytes) -> None:
    sandbox, client = start(faults=[rule("wrong_content", content=content)])
    answer = client.get(ASSETS)
    assert (answer.status_code, answer.content) == (200, body)
    assert not last(sandbox).delivered


def test_wrong_content_can_be_a_page_of_html(start) -> None:
    _, client = start(faults=[rule("wrong_content")])
    answer = client.get(ASSETS)
    assert answer.headers["Content-Type"].startswith("text/html")
    assert answer.text.startswith("<!DOCTYPE html>")


def test_truncated_json_has_a_correct_length(start) -> None:
    sandbox, client = start(faults=[rule("wrong_content", content="truncated_json")])
    with client.stream("GET", ASSETS) as answer:
        raw = b"".join(answer.iter_raw())
    assert len(raw) == int(answer.headers["Content-Length"])
    with pytest.raises(json.JSONDecodeError):
        json.loads(gzip.decompress(raw))
    assert not last(sandbox).delivered


def test_a_wrong_content_type_leaves_the_body_alone(start) -> None:
    sandbox, client = start(faults=[rule("wrong_content", content="content_type")])
    answer = client.get(ASSETS)
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert len(keys(answer)) == 60
    assert last(sandbox).delivered


@pytest.mark.parametrize(
    ("how", "pages", "told"),
    [("capped", 1, [20, 20]), ("capped", 9, [60, 60]), ("page", 1, [20, 0]), ("nothing", 1, [0, 0])],
)
def test_a_total_is_capped_or_counts_the_page_or_nothing(start, how, pages, told):
    _, client = start(faults=[rule("total", None, how=how, pages=pages)])
    totals = [client.get(ASSETS, params={"limit": 20, "page": page}).json()["total"] for page in (1, 9)]
    assert totals == told


def test_of_a_filter_that_is_cut_the_first_values_count(start):
    sandbox, client = start(faults=[rule("cut_filter", None, of="id", first=2)])
    keys = [record.key for record in sandbox.world.assets.records()][:5]
    told = client.get(ASSETS, params={"id": ",".join(keys)}).json()
    assert {one["id"] for one in told["assets"]} == set(keys[:2])


@pytest.mark.parametrize("by", [-3, 5])
def test_the_total_lies_by_as_much_as_it_is_told_to(start, by: int) -> None:
    sandbox, client = start(faults=[rule("total", by=by)])
    assert client.get(ASSETS).json()["total"] == 60 + by == last(sandbox).total
    assert client.get(ASSETS).json()["total"] == 60


def test_a_random_total_is_another_lie_at_each_request(start) -> None:
    _, client = start(faults=[rule("total", None, random=True)])
    totals = {client.get(ASSETS, params={"limit": 1}).json()["total"] for _ in range(12)}
    assert len(totals) > 2
    assert 60 not in totals


def pages(client: httpx.Client, *numbers: int) -> list[list[str]]:
    return [keys(client.get(ASSETS, params={"limit": 20, "page": number})) for number in numbers]


def test_rows_moved_to_the_next_page_are_shown_there_in_exchange(start) -> None:
    sandbox, client = start()
    one, two, three = pages(client, 1, 2, 3)
    sandbox.set_faults([rule("move_rows", rows=2)])
    assert pages(client, 1, 2, 3, 1, 2) == [two[:2] + one[2:], one[:2] + two[2:], three, one, two]


def test_a_shifted_page_misses_rows_and_shows_those_of_the_next_twice(start) -> None:
    sandbox, client = start()
    one, two, _ = pages(client, 1, 2, 3)
    sandbox.set_faults([rule("move_rows", how="shift", rows=1)])
    torn = pages(client, 1, 2)
    assert torn == [one[1:] + two[:1], two]
    assert [entry.records[0].key for entry in sandbox.journal.entries()[-2:]] == [one[1], two[0]]


def test_duplicated_rows_push_others_off_a_full_page(start) -> None:
    sandbox, client = start()
    one = pages(client, 1)[0]
    sandbox.set_faults([rule("move_rows", how="duplicate", rows=1)])
    assert pages(client, 1, 1) == [[one[0], *one[:-1]], one]


def test_dropped_rows_are_back_at_the_next_request(start) -> None:
    sandbox, client = start()
    one = pages(client, 1)[0]
    sandbox.set_faults([rule("move_rows", how="drop", rows=3)])
    assert pages(client, 1, 1) == [one[3:], one]


def test_hidden_rows_are_on_no_page_and_in_no_total_until_the_rule_ends(start) -> None:
    sandbox, client = start()
    shown = client.get(ASSETS).json()
    hidden = sorted(asset["id"] for asset in shown["assets"])[:3]
    sandbox.set_faults([{"effect": {"kind": "hide", "rows": 3}}])
    listed = [client.get(ASSETS, params={"limit": 20, "page": page}).json() for page in (1, 2, 3)]
    assert {one["total"] for one in listed} == {shown["total"] - 3}
    assert not {asset["id"] for one in listed for asset in one["assets"]}.intersection(hidden)
    sandbox.set_faults([])
    assert client.get(ASSETS).json()["total"] == shown["total"]


def test_a_rule_matches_method_path_and_query_and_page_one_when_unsaid(start) -> None:
    match = {"method": "GET", "path": "/assessments.*", "query": {"page": "1", "performed": "For"}}
    _, client = start(faults=[{"match": match, "effect": {"kind": "status", "status": 418}}])
    assert client.get("/assessments?performed=For").status_code == 418
    assert client.get("/assessments?performed=For&page=1").status_code == 418
    assert client.get("/assessments?performed=For&page=2").status_code == 200
    assert client.get("/assessments?performed=By").status_code == 200
    assert client.get("/assessments").status_code == 200
    assert client.get("/properties/assets?performed=For").status_code == 200


def test_a_path_must_match_from_end_to_end(start) -> None:
    _, client = start(faults=[{"match": {"path": "/assessments"}, "effect": {"kind": "status", "status": 418}}])
    assert client.get("/assessments/types").status_code == 200
    assert client.get("/assessments").status_code == 418


def test_after_skips_and_times_ends(start) -> None:
    _, client = start(faults=[rule("status", 2, status=418) | {"after": 1}])
    assert [client.get(ASSETS).status_code for _ in range(5)] == [200, 418, 418, 200, 200]


def test_the_first_rule_that_fires_wins(start) -> None:
    _, client = start(faults=[rule("status", 1, status=418), rule("status", 1, status=419)])
    assert [client.get(ASSETS).status_code for _ in range(3)] == [418, 419, 200]


def test_probability_is_drawn_from_the_seed() -> None:
    def fired(seed: int) -> list[bool]:
        plan = FaultPlan([rule("close", None) | {"probability": 0.3, "seed": seed}])
        return [plan.draw("GET", ASSETS, {}) is not None for _ in range(400)]

    assert fired(1) == fired(1) != fired(2)
    assert 80 < sum(fired(1)) < 160


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ([1], r"faults\[0\]: must be an object"),
        ([{}], r"faults\[0\]\.effect: is missing"),
        ([{"effect": {"kind": "explode"}}], r"faults\[0\]\.effect\.kind: must be one of status, .*'explode'"),
        ([{"effect": {"kind": "status"}}], r"faults\[0\]\.effect\.status: is missing"),
        ([{"effect": {"kind": "status", "status": "503"}}], r"effect\.status: must be a status code"),
        ([{"effect": {"kind": "close", "seconds": 1}}], r"effect\.seconds: unknown; known are apply"),
        ([{"effect": {"kind": "reset", "where": "after"}}], r"effect\.where: must be one of before, body"),
        ([{"effect": {"kind": "close"}, "time": 1}], r"faults\[0\]\.time: unknown"),
        ([{"effect": {"kind": "close"}, "times": -1}], r"faults\[0\]\.times: must be an integer"),
        ([{"effect": {"kind": "close"}, "probability": 2}], r"faults\[0\]\.probability: must be a number from 0 to 1"),
        ([{"effect": {"kind": "close"}, "match": {"path": "("}}], r"match\.path: must be a regular expression"),
        (
            [{"effect": {"kind": "close"}}, {"effect": {"kind": "close"}, "match": {"verb": "GET"}}],
            r"faults\[1\]\.match",
        ),
    ],
)
def test_a_wrong_plan_is_refused_with_the_place_and_the_reason(plan, message: str) -> None:
    with pytest.raises(FaultPlanError, match=message):
        FaultPlan(plan)
