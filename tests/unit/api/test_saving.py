"""Promises about documents that break off: resumed where that is safe, and right byte for byte always."""

from __future__ import annotations

import hashlib
import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.api.loopback import Reply

from propsync.errors import DiskFull, FileLimited, HomeUnusable, TransientApiError, UnexpectedAnswer

OVERLAP = 4_096
BODY = b"%PDF-1.7" + random.Random(1).randbytes(300_000)
OTHER = b"%PDF-1.7" + random.Random(2).randbytes(300_000)
ETAG = '"one"'
OFFER = {"Accept-Ranges": "bytes", "ETag": ETAG}


def cut(body, at, status=200, **headers):
    """An answer that promises a body and breaks off after `at` bytes of it."""
    told = OFFER | {"Content-Length": str(len(body))} | {name.replace("_", "-"): text for name, text in headers.items()}
    head = "".join(f"{name}: {text}\r\n" for name, text in told.items() if text)
    return Reply(raw=f"HTTP/1.1 {status} So\r\n{head}\r\n".encode() + body[:at])


def asked_from(seen):
    """The first byte that a request asks for, 0 for all."""
    told = {name.lower(): text for name, text in seen.headers.items()}.get("range")
    return int(told.removeprefix("bytes=").removesuffix("-")) if told else 0


def part(body, start, *, total=None, first=None, **headers):
    """The rest of a body from `start`, as a server with ranges sends it."""
    first = start if first is None else first
    told = {"Content-Range": f"bytes {first}-{len(body) - 1}/{len(body) if total is None else total}", "ETag": ETAG}
    told |= {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(206, body[start:], {name: text for name, text in told.items() if text})


def save(api, before=b""):
    file = io.BytesIO(before)
    file.seek(len(before))
    saved = api.documents.report("a", file)
    body = file.getvalue()[len(before) :]
    assert file.getvalue()[: len(before)] == before
    assert (saved.size, saved.sha256) == (len(body), hashlib.sha256(body).hexdigest())
    return body


def play(server, *script):
    """Answers in turn; one that is a function gets the byte that is asked from."""
    left = list(script)

    def answer(seen):
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply(asked_from(seen)) if callable(reply) else reply

    server.answer = answer


def starts(server):
    return [asked_from(seen) for seen in server.seen]


@pytest.mark.parametrize("before", [b"", b"what stood there before"])
def test_a_body_that_broke_off_is_resumed(api, server, before):
    play(server, cut(BODY, 100_000), lambda start: part(BODY, start))
    assert save(api, before) == BODY
    assert starts(server) == [0, 100_000 - OVERLAP]


def test_it_may_break_off_again_and_again_and_is_asked_for_in_parts(api, server):
    def broken(start):
        rest = BODY[start:]
        content_range = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
        return cut(rest, OVERLAP + 50_000, 206, Content_Range=content_range)

    play(server, cut(BODY, 50_000), broken, broken, broken, lambda start: part(BODY, start))
    assert save(api) == BODY
    assert starts(server) == [0, *(50_000 * number - OVERLAP for number in (1, 2, 3, 4))]


@pytest.mark.parametrize("offer", ["", "none", "pages"])
def test_a_server_that_offers_no_parts_is_asked_for_none(api, server, offer):
    play(server, cut(BODY, 100_000, Accept_Ranges=offer), Reply(body=BODY))
    assert save(api) == BODY
    assert starts(server) == [0, 0]


def test_what_is_shorter_than_the_overlap_is_begun_afresh(api, server):
    play(server, cut(BODY, OVERLAP), Reply(body=BODY))
    assert save(api) == BODY
    assert starts(server) == [0, 0]


def test_a_server_that_answers_with_the_whole_is_taken_at_its_word(api, server):
    play(server, cut(BODY, 100_000), Reply(body=OTHER))
    assert save(api) == OTHER
    assert len(server.seen) == 2


def changed(body, place):
    return body[:place] + bytes([body[place] ^ 1]) + body[place + 1 :]


def rest(start, body=BODY, **headers):
    """A part with one thing wrong with it."""
    return part(body, start, **headers)


def ranged(start, told):
    return Reply(206, BODY[start:], {"ETag": ETAG, "Content-Range": told})


END = len(BODY) - 1
MULTIPART = {"Content-Type": "multipart/byteranges; boundary=x", "ETag": ETAG}
WRONG = {
    "another document, as long": lambda start: rest(start, OTHER),
    "a longer one": lambda start: rest(start, BODY + b"more"),
    "a shorter one": lambda start: rest(start, BODY[:-1]),
    "the first byte of the overlap differs": lambda start: rest(start, changed(BODY, start)),
    "the last byte of the overlap differs": lambda start: rest(start, changed(BODY, start + OVERLAP - 1)),
    "a part from elsewhere": lambda start: part(BODY, start + 1),
    "a part that says it is from elsewhere": lambda start: part(BODY, start, first=start + 1),
    "an unknown length": lambda start: part(BODY, start, total="*"),
    "no Content-Range": lambda start: Reply(206, BODY[start:], {"ETag": ETAG}),
    "a Content-Range of other units": lambda start: ranged(start, "pages 1-2/3"),
    "a Content-Range of numbers without end": lambda start: ranged(start, f"bytes {'9' * 5000}-{'9' * 5000}/1"),
    "a Content-Range that ends before it begins": lambda start: ranged(start, f"bytes {start}-{start - 1}/{END + 1}"),
    "a Content-Range that is longer than its part": lambda start: Reply(
        206, BODY[start:-9], {"ETag": ETAG, "Content-Range": f"bytes {start}-{END}/{END + 1}"}
    ),
    "several parts": lambda start: Reply(206, b"--x\r\n" + BODY[start:], MULTIPART),
    "several parts that say they are one": lambda start: Reply(
        206, b"--x\r\n" + BODY[start:-5], MULTIPART | {"Content-Range": f"bytes {start}-{END}/{END + 1}"}
    ),
    "a part that is shorter than the overlap": lambda start: Reply(
        206, BODY[start : start + 10], {"ETag": ETAG, "Content-Range": f"bytes {start}-{END}/{END + 1}"}
    ),
    "a part that ends early": lambda start: Reply(
        206, BODY[start:-100], {"ETag": ETAG, "Content-Range": f"bytes {start}-{END - 100}/{END + 1}"}
    ),
    "a part that goes on too long": lambda start: Reply(
        206, BODY[start:] + b"more", {"ETag": ETAG, "Content-Range": f"bytes {start}-{END}/{END + 1}"}
    ),
    "a compressed part": lambda start: rest(start, Content_Encoding="gzip"),
    "a part compressed in a way that nobody knows": lambda start: rest(start, Content_Encoding="br"),
    "there is no such part": lambda start: Reply(416, b"", {"Content-Range": f"bytes */{start // 2}"}),
    "parts are refused": lambda _: Reply(400),
    "the version is another": lambda _: Reply(412),
    "too much to do": lambda _: Reply(503, b"", {"Retry-After": "2"}),
    "a page": lambda _: Reply(body=b"<html>Back soon</html>"),
    "nothing": lambda _: Reply(206, b""),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_a_part_that_does_not_fit_is_thrown_away_and_the_whole_is_asked_for(api, server, wrong):
    play(server, cut(BODY, 100_000), wrong, lambda start: part(BODY, start) if start else Reply(body=BODY))
    assert save(api) == BODY
    assert len(server.seen) == 3
    assert starts(server)[2] == 0


NEWER = changed(BODY, 50_000)  # before the part begins, so that its bytes say nothing of it
UNSAFE = {
    "no validator": "",
    "a weak ETag": 'W/"one"',
    "a weak ETag in lower case": 'w/"one"',
    "an ETag without quotes": "one",
    "an ETag whose quote does not close": '"one',
    "an ETag of nothing": '""',
    "two ETags": '"one", "two"',
    "an ETag with a blank": '"o ne"',
}


@pytest.mark.parametrize("etag", UNSAFE.values(), ids=UNSAFE)
@pytest.mark.parametrize("modified", ["", "Sun, 22 Nov 2026 03:00:00 GMT"], ids=["", "Last-Modified"])
def test_without_a_strong_validator_nothing_is_resumed(api, server, etag, modified):
    def answer(start):
        return part(NEWER, start, ETag=etag, Last_Modified=modified) if start else Reply(body=NEWER)

    play(server, cut(BODY, 100_000, ETag=etag, Last_Modified=modified), answer)
    assert save(api) == NEWER
    assert starts(server) == [0, 0]


@pytest.mark.parametrize("etag", ['"two"', 'W/"one"', "", "one", '"one", "one"'])
def test_a_part_of_another_version_is_thrown_away_also_where_its_beginning_is_the_same(api, server, etag):
    """A server that ignores `If-Range` sends a part of newer content."""
    play(server, cut(BODY, 100_000), lambda start: part(NEWER, start, ETag=etag), Reply(body=NEWER))
    assert save(api) == NEWER
    assert starts(server) == [0, 100_000 - OVERLAP, 0]


def test_a_part_is_asked_for_with_if_range_and_the_whole_without(api, server):
    play(server, cut(BODY, 100_000), lambda start: part(NEWER, start, ETag='"two"'), Reply(body=NEWER))
    save(api)
    told = [{name.lower(): text for name, text in seen.headers.items()}.get("if-range") for seen in server.seen]
    assert told == [None, ETAG, None]


def test_the_validator_is_that_of_the_answer_that_broke_off_last(api, server):
    """Each answer is of another version until the third."""

    def third(start):
        assert server.seen[-1].headers["If-Range"] == '"two"'
        return part(NEWER, start, ETag='"two"')

    play(server, cut(BODY, 100_000), cut(NEWER, 150_000, ETag='"two"'), third)
    assert save(api) == NEWER
    assert starts(server) == [0, 100_000 - OVERLAP, 150_000 - OVERLAP]


def test_validators_that_change_with_every_answer_cost_no_more_than_resuming(api, server):
    numbers = iter(range(100))

    def answer(start):
        etag = f'"{next(numbers)}"'
        return part(BODY, start, ETag=etag) if start else cut(BODY, 100_000 if len(server.seen) < 5 else END + 1)

    play(server, answer)
    assert save(api) == BODY
    assert starts(server) == [0, 100_000 - OVERLAP, 0, 100_000 - OVERLAP, 0]


def test_a_whole_body_that_nobody_asked_a_part_of_is_not_answered_with_one(api, server):
    server.script = [part(BODY, 0)]
    with pytest.raises(UnexpectedAnswer, match="206"):
        save(api)


def test_a_server_that_refuses_every_part_gets_no_more_than_every_second_request_for_one(api, server):
    def answer(start):
        return Reply(416) if start else cut(BODY, 100_000)

    play(server, answer)
    with pytest.raises(Exception, match="after 8 attempts"):
        save(api)
    assert [start > 0 for start in starts(server)] == [False, True] * 4


def test_a_document_that_is_always_a_page_is_unexpected_and_nothing_is_mixed(api, server):
    play(server, cut(b"<html>" + BODY, 100_000), lambda start: part(b"<html>" + BODY, start) if start else Reply())
    with pytest.raises(UnexpectedAnswer, match="not a PDF"):
        save(api)


def test_a_document_that_a_cache_has_kept_for_long_is_asked_for_again(api, server):
    play(server, Reply(body=OTHER, headers={"Age": "90000"}), Reply(body=BODY, headers={"Age": "3600"}))
    assert save(api) == BODY
    play(server, Reply(body=OTHER, headers={"Age": "90000"}))
    with pytest.raises(UnexpectedAnswer, match="a cache before the API has kept this answer for 1,500 minutes"):
        save(api)


def test_a_document_that_the_api_still_makes_is_asked_for_again_and_holds_no_other_request(api, server, clock):
    play(server, Reply(202, b"{}", {"Retry-After": "20"}), Reply(202, b"{}"), Reply(body=BODY))
    assert save(api) == BODY
    assert 20 <= sum(clock.sleeps) < 22
    assert api._gate._held_until == 0


def test_a_document_that_the_api_never_finishes_fails_after_its_attempts(api, server):
    play(server, Reply(202, b"{}"))
    with pytest.raises(TransientApiError, match="the API answered 202, after 8 attempts"):
        save(api)


def test_of_many_documents_that_the_api_never_finishes_only_some_are_waited_for(api, server, clock):
    """A night with 1,000 of them took hours, and those that were ready had to wait for another night."""
    for _ in range(2):
        play(server, Reply(202, b"{}"))
        for _ in range(8):
            with pytest.raises(TransientApiError, match="after 8 attempts"):
                save(api)
        waited = sum(clock.sleeps)
        with pytest.raises(UnexpectedAnswer, match="the API answered 202"):
            save(api)
        assert sum(clock.sleeps) == waited
        play(server, Reply(503), Reply(body=BODY))
        assert save(api) == BODY


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 9)), max_size=6))
def test_whatever_a_server_does_what_is_saved_is_a_body_it_had(fuzzed, seed, breaks):
    """Bodies that break off anywhere, and change between requests, in length or not."""
    api, server = fuzzed
    rng = random.Random(seed)
    bodies = [b"%PDF-" + rng.randbytes(20_000 + rng.choice((0, 0, 1))) for _ in range(2)]
    now = [0]
    left = list(breaks)

    def answer(seen):
        start = asked_from(seen)
        at, change = left.pop(0) if left else (10**6, 9)
        body = bodies[now[0]]
        now[0] ^= change < 3  # the next request sees the other one
        if start == 0:
            return cut(body, at) if at < len(body) else Reply(body=body, headers=OFFER)
        if at >= len(body) - start:
            return part(body, start)
        return cut(body[start:], at, 206, Content_Range=f"bytes {start}-{len(body) - 1}/{len(body)}")

    server.answer = answer
    assert save(api) in bodies


@pytest.fixture(scope="module")
def fuzzed():
    """One server and one client for all examples."""
    import threading

    from unit.api.conftest import TRUST
    from unit.api.loopback import TOKEN, FakeClock, Server

    from propsync.api import Api, RetryPolicy, TokenSource

    with (
        Server() as server,
        Api(server.url, TokenSource(TOKEN), clock=FakeClock(), verify=TRUST, policy=RetryPolicy(attempts=20)) as api,
    ):
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield api, server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("number", "kind", "step"),
    [
        (28, DiskFull, "Free some space under PROPSYNC_HOME"),
        (122, DiskFull, "Free some space under PROPSYNC_HOME"),
        (27, FileLimited, r"Raise the limit \(`ulimit -f`"),
        (5, HomeUnusable, r"The disk or its connection failed: .* \(`dmesg`\)"),
        (24, HomeUnusable, "Raise the limit of open files"),
    ],
)
def test_a_disk_that_is_full_when_the_last_bytes_are_handed_over_stops_the_run(api, server, number, kind, step):
    class Disk(io.BytesIO):
        def flush(self):
            raise OSError(number, "the disk says no")

    server.script = [Reply(body=b"%PDF-1.7")]
    with pytest.raises(kind, match=f"the disk says no. {step}"):
        api.documents.report("a", Disk())
    assert len(server.seen) == 1
