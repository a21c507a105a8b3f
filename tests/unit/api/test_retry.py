"""Promises of the one retry policy: what is tried again, how long, and what it ends in."""

import socket
from dataclasses import replace

import pytest
from unit.api.loopback import EPOCH, HANG_UP, LIST, Reply, http_date

from propsync.api import ApiRequest, FieldKind, RetryPolicy, WriteErrorCode
from propsync.api.status_codes import retry_after
from propsync.errors import (
    AccessForbidden,
    AnswerLost,
    ApiUnreachable,
    NotFound,
    PropsyncError,
    RequestRefused,
    TransientApiError,
    UnexpectedAnswer,
)

OK = Reply()
CUT = Reply(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}")
GARBAGE = Reply(raw=b"SSH-2.0-OpenSSH\r\n")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 599])
def test_a_passing_status_is_tried_again(api, server, status):
    server.script = [Reply(status), Reply(status), OK]
    answer = api.fetch(LIST)
    assert (answer.attempts, answer.body) == (3, b'{"total":0}')
    assert (api.traffic.requests, api.traffic.retries) == (3, 2)


@pytest.mark.parametrize("reply", [HANG_UP, CUT, GARBAGE, Reply(body=b"<html>"), Reply(body=b"{")])
def test_a_broken_answer_is_tried_again(api, server, reply):
    server.script = [reply, OK]
    assert api.fetch(LIST).attempts == 2


def test_waits_double_up_to_the_cap_and_the_eighth_attempt_is_the_last(api, server, clock):
    server.script = [Reply(500)]
    with pytest.raises(TransientApiError) as caught:
        api.fetch(LIST)
    assert clock.sleeps == [0.5, 1, 2, 4, 8, 16, 30]
    assert (len(server.seen), caught.value.attempts, caught.value.waited) == (8, 8, 61.5)
    assert caught.value.status == 500
    assert str(LIST) in str(caught.value)


def test_a_request_to_send_once_is_not_tried_again(api, server, clock):
    server.script = [Reply(503, headers={"Retry-After": "1"})]
    with pytest.raises(TransientApiError):
        api.fetch(replace(LIST, once=True))
    assert (len(server.seen), clock.sleeps) == (1, [])


def test_jitter_is_full(connect, server, clock):
    draws = iter([0.0, 0.5, 0.25])
    server.script = [Reply(500), Reply(500), Reply(500), OK]
    connect(policy=RetryPolicy(rng=lambda: next(draws))).fetch(LIST)
    assert clock.sleeps == [0, 0.5, 0.5]


def test_the_budget_of_waiting_may_end_it_before_the_attempts_do(connect, server, clock):
    server.script = [Reply(500)]
    with pytest.raises(TransientApiError):
        connect(policy=RetryPolicy(budget=10, rng=lambda: 1.0)).fetch(LIST)
    assert clock.sleeps == [0.5, 1, 2, 4]


def test_a_limit_of_requests_a_minute_is_waited_for_without_retry_after(connect, server, clock):
    server.answer = lambda _: OK if clock.elapsed >= 60 else Reply(429)
    assert connect(policy=RetryPolicy(rng=lambda: 0.0)).fetch(LIST).attempts == 8
    assert clock.sleeps == [0.5, 1, 2, 4, 8, 16, 30]


@pytest.mark.parametrize(("value", "waited"), [("7", 7), ("0", 1), (" 12 ", 12), ("soon", 1), ("-3", 1), ("", 1)])
def test_retry_after_in_seconds_has_a_floor_and_nonsense_is_passed_over(api, server, clock, value, waited):
    server.script = [Reply(429, headers={"Retry-After": value}), OK]
    api.fetch(LIST)
    assert clock.elapsed == waited


@pytest.mark.parametrize(("ahead", "waited"), [(40, 40), (0, 1), (-100, 1)])
def test_retry_after_as_a_date_counts_from_the_answer_s_own_clock(api, server, clock, ahead, waited):
    theirs = EPOCH - 86_400
    server.script = [Reply(503, headers={"Retry-After": http_date(theirs + ahead), "Date": http_date(theirs)}), OK]
    api.fetch(LIST)
    assert clock.elapsed == waited


def test_retry_after_as_a_date_without_one_counts_from_ours(api, server, clock):
    server.script = [Reply(503, headers={"Retry-After": http_date(EPOCH + 25)}), OK]
    api.fetch(LIST)
    assert clock.elapsed == 25


@pytest.mark.parametrize("value", ["Fri, 99 Foo 2026", "9" * 400, "Mon, 01 Jan 99999 00:00:00 GMT", "٣"])
def test_strange_retry_after_headers_break_nothing(value):
    wait = retry_after(value, "not a date", EPOCH)
    assert wait is None or 1 <= wait < 1e9


def test_a_wait_beyond_the_budget_ends_it_at_once_and_tells_how_long(api, server, clock):
    server.script = [Reply(429, headers={"Retry-After": "3600"})]
    with pytest.raises(TransientApiError, match="3600 s") as caught:
        api.fetch(LIST)
    assert (clock.sleeps, caught.value.asked_to_wait, caught.value.attempts) == ([], 3600, 1)
    assert caught.value.is_quota_spent


@pytest.mark.parametrize("asked", ["1", "200"])
def test_a_wait_that_fitted_at_first_is_no_spent_quota(api, server, asked):
    server.script = [Reply(429, headers={"Retry-After": asked})]
    with pytest.raises(TransientApiError) as caught:
        api.fetch(LIST)
    assert not caught.value.is_quota_spent


def test_a_wait_that_fitted_at_first_may_not_fit_the_second_time(api, server, clock):
    server.script = [Reply(429, headers={"Retry-After": "200"})]
    with pytest.raises(TransientApiError):
        api.fetch(LIST)
    assert clock.sleeps == [200]


def test_a_refused_wait_does_not_hold_the_requests_after_it(api, server, clock):
    server.script = [Reply(429, headers={"Retry-After": "3600"}), OK]
    with pytest.raises(TransientApiError):
        api.fetch(LIST)
    api.fetch(LIST)
    assert clock.sleeps == []


@pytest.mark.parametrize(("status", "kind"), [(403, AccessForbidden), (404, NotFound), (410, NotFound)])
def test_a_lasting_refusal_is_not_repeated(api, server, status, kind):
    server.script = [Reply(status, b"nobody reads this")]
    with pytest.raises(kind) as caught:
        api.fetch(LIST)
    assert (len(server.seen), caught.value.status) == (1, status)


@pytest.mark.parametrize("status", [400, 416, 422])
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"code":"PropertyNotFound"}', "PropertyNotFound"),
        (b'{"code":"PageTooHigh","x":1}', "PageTooHigh"),
        (b'{"code":5}', None),
        (b'["code"]', None),
        (b"<html>", None),
        (b"", None),
        (b'{"code":"' + b"x" * 100_000 + b'"}', None),
        (b"[" * 50_000, None),
    ],
)
def test_a_refused_request_tells_its_code_whatever_the_body(api, server, status, body, code):
    server.script = [Reply(status, body)]
    with pytest.raises(RequestRefused) as caught:
        api.fetch(LIST)
    assert (caught.value.status, caught.value.code) == (status, code)
    assert caught.value.says_not_found is (code == "PropertyNotFound")


def test_a_write_s_known_code_says_what_it_means(api, server):
    server.script = [Reply(400, b'{"code":"FieldInvalidNotSupported"}')]
    with pytest.raises(RequestRefused) as caught:
        api.update_asset("p", "a", {"f": "x"}, {"f": FieldKind("text")})
    assert WriteErrorCode.of(caught.value.code) is WriteErrorCode.FIELD_NOT_SUPPORTED
    assert caught.value.next_step == WriteErrorCode.FIELD_NOT_SUPPORTED.next_step


@pytest.mark.parametrize("status", [402, 405, 409, 414, 418, 201, 202, 204, 206])
def test_a_status_the_document_does_not_know_is_unexpected(api, server, status):
    server.script = [Reply(status, b"")]
    with pytest.raises(UnexpectedAnswer, match=str(status)):
        api.fetch(LIST)
    assert len(server.seen) == 1


def test_an_answer_of_300_and_more_without_an_address_is_named(api, server):
    server.script = [Reply(304)]
    with pytest.raises(UnexpectedAnswer, match="the API answered 304, which names no other address"):
        api.fetch(LIST)


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("https://login.example.org/oauth?token=abcdef", "https://login.example.org/oauth"),
        ("https://user:pw@h.example/x#y", "https://h.example/x"),
        ("http://h.example:8080/x", "http://h.example:8080/x"),
        ("/elsewhere", "/elsewhere"),
        ("http://[bad", "no address"),
    ],
)
def test_a_redirect_is_not_followed_and_tells_where_it_points(api, server, location, shown):
    server.script = [Reply(302, headers={"Location": location})]
    with pytest.raises(UnexpectedAnswer) as caught:
        api.fetch(LIST)
    assert f"a redirect to {shown}" in str(caught.value)
    assert not [secret for secret in ("abcdef", "pw", "token=") if secret in str(caught.value)]
    assert len(server.seen) == 1


def test_no_connection_at_all_is_told_apart(connect):
    with pytest.raises(ApiUnreachable) as caught:
        connect(f"http://127.0.0.1:{free_port()}").fetch(LIST)
    assert (caught.value.attempts, caught.value.status) == (8, None)


def test_a_body_that_stays_wrong_is_unexpected(api, server):
    server.script = [Reply(body=b"<html>please log in</html>")]
    with pytest.raises(UnexpectedAnswer, match=r"not JSON.*8 attempts"):
        api.fetch(LIST)
    assert len(server.seen) == 8


def test_an_answer_that_a_cache_has_kept_since_last_night_is_asked_for_again(api, server):
    server.script = [Reply(headers={"Age": "86000"}), Reply(headers={"Age": "12"})]
    assert api.fetch(LIST).attempts == 2
    server.script = [Reply(headers={"Age": "86000"})]
    with pytest.raises(UnexpectedAnswer, match=r"a cache before the API has kept this answer for 1,433 minutes.*Ask"):
        api.fetch(LIST)


@pytest.mark.parametrize("age", ["", "none", "-5", "0", "3600", "1" * 5_000])
def test_an_age_that_says_nothing_is_passed_over(api, server, age):
    server.script = [Reply(headers={"Age": age})]
    assert api.fetch(LIST).attempts == 1


@pytest.mark.parametrize("reply", [HANG_UP, Reply(500), Reply(503), Reply(429), Reply(200, b"{"), Reply(202, b"{}")])
def test_a_post_that_may_have_been_done_is_not_repeated(api, server, reply):
    server.script = [reply, Reply(body=b'{"id":"a1"}')]
    with pytest.raises(AnswerLost) as caught:
        api.create_asset("p", "t")
    assert len(server.seen) == 1
    assert caught.value.exit_code == 3


def test_a_post_that_was_never_sent_is_repeated(connect, clock):
    with pytest.raises(ApiUnreachable) as caught:
        connect(f"http://127.0.0.1:{free_port()}").create_asset("p", "t")
    assert caught.value.attempts == 8


def test_a_post_that_was_refused_is_told_as_such(api, server):
    server.script = [Reply(400, b'{"code":"AssetTypeNotFound"}')]
    with pytest.raises(RequestRefused):
        api.create_asset("p", "t")


@pytest.mark.parametrize("status", [200, 201])
def test_a_post_has_the_id_of_its_answer(api, server, status):
    server.script = [Reply(status, b'{"id":"a1"}')]
    assert api.create_asset("p", "t") == "a1"


@pytest.mark.parametrize("body", [b"{}", b'{"id":""}', b'{"id":5}', b"[]"])
def test_a_post_whose_answer_has_no_id_is_lost(api, server, body):
    server.script = [Reply(body=body)]
    with pytest.raises(AnswerLost, match="does not give its id"):
        api.create_asset("p", "t")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_other_writes_are_repeated(api, server, method):
    server.script = [HANG_UP, Reply(503), Reply(204, b"")]
    calls = {
        "PUT": lambda: api.put_schedule("p", "t", {"description": "d"}),
        "PATCH": lambda: api.update_asset("p", "a", {"f": None}, {"f": FieldKind("text")}),
        "DELETE": lambda: api.delete_schedule("p", "t"),
    }
    calls[method]()
    assert [seen.method for seen in server.seen] == [method] * 3


def test_crowding_is_learnt_from_and_failures_of_the_client_s_own_are_not(api, server):
    server.script = [OK]
    for _ in range(5):
        api.fetch(LIST)
    assert api.concurrency == 4
    server.script = [Reply(404)]
    with pytest.raises(NotFound):
        api.fetch(LIST)
    assert api.concurrency == 4
    server.script = [Reply(429), OK]
    api.fetch(LIST)
    assert api.concurrency == 2


def test_a_slow_drip_ends(connect, server, clock):
    server.script = [Reply(body=b'{"total":' + b" " * 100_000 + b"0}"), OK]
    clock.tick = 301  # every look at the clock finds the page's time over
    with pytest.raises(TransientApiError, match="did not arrive within 300 s"):
        connect().fetch(LIST)


def test_an_address_that_cannot_be_used_is_said_once(connect):
    with pytest.raises(PropsyncError, match="PROPSYNC_BASE_URL") as caught:
        connect("http://127.0.0.1:port").fetch(ApiRequest("GET", "/x"))
    assert caught.value.exit_code in (2, 3)


def test_a_repeat_that_others_wait_would_hold_beyond_its_budget_gives_up(connect, server, clock):
    def jitter():
        api._gate.hold(1000)  # what another request was asked for meanwhile
        return 1.0

    server.script = [Reply(500), OK]
    api = connect(policy=RetryPolicy(rng=jitter))
    with pytest.raises(TransientApiError, match="asks to wait 1000 s"):
        api.fetch(LIST)
    assert (len(server.seen), clock.sleeps) == (1, [0.5])
