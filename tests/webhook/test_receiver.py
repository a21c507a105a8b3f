"""The receiver takes what the service posts, and to anybody else it is not there."""

from __future__ import annotations

import base64
import json
import logging
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kit.receiving import HOOK, SECRET, Receiving, is_accepted, is_refused, receiving

from propsync.errors import DiskFull
from propsync.webhook import bounds
from propsync.webhook.inbox import Inbox
from propsync.webhook.receiver import MOST_A_MINUTE, MOST_BYTES
from propsync.webhook.signature import signature

ONE = json.dumps([{"type": "property", "id": "P1"}]).encode()
KEY = b"a key of the tests, 32 bytes lon"


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiving]:
    """A receiver that counts addresses by a header, so that a test can have many."""
    with receiving(tmp_path, address_header="X-Real-IP", seconds=1.0) as made:
        yield made


def test_an_accepted_post_is_on_the_disk_as_it_came(receiver: Receiving):
    body = b'[{"type": "property",   "id": "P1"}, "\xc3\xa9"]'
    assert is_accepted(receiver.post(body))
    assert receiver.bodies() == [body]
    assert receiver.asked == 1


def test_files_of_hints_are_private(receiver: Receiving, tmp_path: Path):
    receiver.post(ONE)
    (path,) = (tmp_path / "state" / "hints").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_an_empty_post_is_refused(receiver: Receiving):
    assert is_refused(receiver.post(b""))
    assert receiver.bodies() == []


def test_a_post_that_names_nothing_to_read_is_kept_and_wakes_nobody(receiver: Receiving):
    assert is_accepted(receiver.post(b'[{"type": "task", "id": "1"}]'))
    assert is_accepted(receiver.post(b"not JSON"))
    assert len(receiver.bodies()) == 2
    assert receiver.asked == 0


@pytest.mark.parametrize(
    ("path", "method"),
    [
        ("/", "GET"),
        ("/hooks/", "POST"),
        (f"/hooks/{SECRET[:-1]}", "POST"),
        (f"/hooks/{SECRET}x", "POST"),
        (f"/hooks/{SECRET.upper()}", "POST"),
        (f"/hooks/{SECRET}/", "POST"),
        (f"//hooks/{SECRET}", "POST"),
        (f"/hooks/%61{SECRET[1:]}", "POST"),
        (HOOK, "GET"),
        (HOOK, "HEAD"),
        (HOOK, "PUT"),
        (HOOK, "OPTIONS"),
        (HOOK, "DELETE"),
        (HOOK, "BREW"),
    ],
)
def test_any_other_path_or_method_is_not_there(receiver: Receiving, path: str, method: str):
    assert is_refused(receiver.post(ONE, path, method))
    assert receiver.bodies() == []


@pytest.mark.parametrize(
    "words",
    [
        b"nonsense\r\n\r\n",
        b"GET http://[ HTTP/9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        f"POST {HOOK} HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".encode(),
        f"POST {HOOK} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: {'x' * 300_000}\r\n\r\n".encode(),
        f"GET {HOOK} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n".encode(),
    ],
)
def test_what_is_no_request_gets_the_same_answer_or_none(
    receiver: Receiving, words: bytes, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("propsync.webhook.server.HEADER_SECONDS", 0.5)
    answer = receiver.say(words)
    assert answer == b"" or is_refused(answer)
    assert receiver.bodies() == []
    assert is_accepted(receiver.post(ONE))


def test_a_body_of_a_megabyte_is_taken_and_a_longer_one_is_not(receiver: Receiving):
    assert is_accepted(receiver.post(b" " * (MOST_BYTES - len(ONE)) + ONE))
    assert is_refused(receiver.post(b" " * (MOST_BYTES + 1 - len(ONE)) + ONE))
    chunk = b"%x\r\n%b\r\n" % (400_000, b" " * 400_000)
    head = f"POST {HOOK} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    assert is_accepted(receiver.say(head + chunk * 2 + b"0\r\n\r\n"))
    assert is_refused(receiver.say(head + chunk * 3 + b"0\r\n\r\n"))
    assert len(receiver.bodies()) == 2


def test_a_thousand_items_are_taken_and_one_more_is_not(receiver: Receiving):
    items = [{"type": "property", "id": f"P{number}"} for number in range(1001)]
    assert is_accepted(receiver.post(json.dumps(items[:1000]).encode()))
    assert is_refused(receiver.post(json.dumps(items).encode()))


def test_a_slow_body_is_given_up(receiver: Receiving):
    head = f"POST {HOOK} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 500\r\n\r\n[".encode()
    began = time.monotonic()
    assert is_refused(receiver.say(head))
    assert 0.9 < time.monotonic() - began < 10
    assert receiver.bodies() == []


def test_slow_headers_are_given_up_on_a_used_connection_too(receiver: Receiving, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("propsync.webhook.server.HEADER_SECONDS", 0.5)
    assert receiver.say(b"POST /hooks/") == b""

    def again(connection):
        time.sleep(1)  # longer than a sender may take for headers: an idle connection stays
        connection.sendall(b"POST /ho")

    first = f"POST {HOOK} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(ONE)}\r\n\r\n".encode() + ONE
    assert is_accepted(receiver.say(first, again))


def test_a_rest_of_a_body_that_nobody_wants_does_not_come_for_ever(
    receiver: Receiving, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("propsync.webhook.server.HEADER_SECONDS", 0.5)

    def trickle(connection):
        for _ in range(100):
            connection.sendall(b"x")
            time.sleep(0.05)

    began = time.monotonic()
    answer = receiver.say(b"POST /hooks/wrong HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n", trickle)
    assert answer == b"" or is_refused(answer)
    assert time.monotonic() - began < 4


def test_connections_beyond_the_most_are_refused_and_the_others_are_served(
    receiver: Receiving, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("propsync.webhook.server.MOST_CONNECTIONS", 2)
    head = f"POST {HOOK} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {len(ONE)}\r\n\r\n".encode()
    refused = []

    def crowd(connection):
        with socket.create_connection(("127.0.0.1", receiver.port)):
            time.sleep(0.1)
            refused.append(receiver.say(head + ONE))
        connection.sendall(ONE)

    assert is_accepted(receiver.say(head, crowd))
    assert refused == [b""]
    assert receiver.bodies() == [ONE]


def test_an_address_has_sixty_requests_a_minute(receiver: Receiving):
    answers = [receiver.post(ONE, X_Real_IP="10.0.0.1") for _ in range(MOST_A_MINUTE + 5)]
    assert [is_accepted(answer) for answer in answers] == [True] * MOST_A_MINUTE + [False] * 5
    assert all(map(is_refused, answers[MOST_A_MINUTE:]))
    assert is_accepted(receiver.post(ONE, X_Real_IP="10.0.0.2"))
    assert is_refused(receiver.post(ONE, X_Real_IP="10.0.0.3, 10.0.0.1")), "the proxy adds the last one"


def test_without_the_setting_no_header_says_who_sends(tmp_path: Path):
    with receiving(tmp_path) as receiver:
        answers = [receiver.post(ONE, X_Real_IP=f"10.0.0.{place}") for place in range(MOST_A_MINUTE + 1)]
    assert is_refused(answers[-1])


def test_a_minute_passes_and_few_addresses_are_remembered(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bounds, "_MOST_ADDRESSES", 2)
    rate = bounds.Rate(1)
    assert rate.passes("a", 0.0)
    assert not rate.passes("a", 59.9)
    assert rate.passes("a", 60.0)
    assert rate.passes("b", 61.0)
    assert rate.passes("c", 61.0)
    assert rate.passes("a", 61.0), "it was forgotten: memory is bounded"


def signed(body: bytes, *, at: float | None = None, key: bytes = KEY, name: str = "m1") -> dict[str, str]:
    """The headers of a signed post."""
    sent_at = str(int(time.time() if at is None else at))
    made = signature(key, name, sent_at, body)
    return {"webhook_id": name, "webhook_timestamp": sent_at, "webhook_signature": f"v1,AAAA v1a,{made} v1,{made}"}


def test_only_signed_posts_are_taken_if_the_service_signs(tmp_path: Path):
    with receiving(tmp_path, signing_key=KEY) as receiver:
        assert is_accepted(receiver.post(ONE, **signed(ONE)))
        wrong = [
            {},
            signed(ONE) | {"webhook_id": "m2"},
            signed(ONE) | {"webhook_signature": "v1,"},
            signed(ONE) | {"webhook_signature": "v1a," + signature(KEY, "m1", str(int(time.time())), ONE)},
            signed(ONE) | {"webhook_timestamp": "soon"},
            signed(ONE, key=b"another key, of the same length."),
            signed(ONE, at=time.time() - 301),
            signed(ONE, at=time.time() + 330),  # a slow machine posts it seconds later
            signed(ONE + b" "),
        ]
        for headers in wrong:
            assert is_refused(receiver.post(ONE, **headers)), headers
        assert receiver.bodies() == [ONE]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (-600, "it was signed 10 minutes before the time of this machine. Correct its clock"),
        (980, "it was signed 16 minutes after the time of this machine. Correct its clock"),
        (None, "PROPSYNC_WEBHOOK_SIGNING_KEY did not sign it"),
    ],
)
def test_the_log_says_why_no_signed_post_is_taken(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, seconds: float | None, told: str
):
    """By a wrong clock or key the service never posts well, and the receiver would look healthy."""
    headers = signed(ONE, key=KEY[::-1]) if seconds is None else signed(ONE, at=time.time() + seconds)
    with receiving(tmp_path, signing_key=KEY) as receiver:
        assert is_refused(receiver.post(ONE, **headers))
    assert [one.getMessage() for one in caplog.records] == [f"propsync refused a post: {told}"]


def test_the_signature_is_that_of_the_standard():
    """The example of the Standard Webhooks libraries."""
    key = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    made = signature(base64.b64decode(key), "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", b'{"test": 2432232314}')
    assert made == "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_posts_at_once_share_fsyncs(receiver: Receiving, monkeypatch: pytest.MonkeyPatch):
    written: list[int] = []
    add = Inbox.add

    def slowly(inbox, posts):
        time.sleep(0.05)
        written.append(len(posts))
        add(inbox, posts)

    monkeypatch.setattr(Inbox, "add", slowly)
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda place: receiver.post(b"[%d]" % place, X_Real_IP=str(place)), range(50)))
    assert all(map(is_accepted, answers))
    assert sorted(receiver.bodies()) == sorted(b"[%d]" % place for place in range(50))
    assert len(written) < 25


def test_a_full_disk_is_the_senders_to_hear_of(
    receiver: Receiving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def full(inbox, posts):
        raise DiskFull("state/hints", "the disk is full")

    monkeypatch.setattr(Inbox, "add", full)
    with caplog.at_level(logging.ERROR, "propsync.webhook"):
        answer = receiver.post(ONE)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert answer.endswith(b"\r\n\r\n")
    assert "the disk is full" in caplog.text
    monkeypatch.undo()
    assert is_accepted(receiver.post(ONE))


def test_a_run_that_begins_harms_no_post(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """It removes the unfinished files that it finds: the receiver writes again."""
    inbox_folder = tmp_path / "state" / "hints"
    with receiving(tmp_path) as receiver:
        storage = receiver.inbox._storage
        put, tries = storage.put, []

        def robbed(key, body):
            tries.append(key)
            if len(tries) < 3:
                raise FileNotFoundError(key)
            put(key, body)

        monkeypatch.setattr(storage, "put", robbed)
        assert is_accepted(receiver.post(ONE))
    assert len(tries) == 3
    assert len(list(inbox_folder.iterdir())) == 1
