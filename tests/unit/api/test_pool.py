"""Promises of fetch_all: bounded, in threads, and ended by its first failure."""

import subprocess
import sys
import threading

import pytest
from unit.api.loopback import Reply

from propsync.api import ApiRequest, RetryPolicy, page_request
from propsync.errors import NotFound
from propsync.resources import ASSETS


def pages(count):
    return [page_request(ASSETS, ASSETS.lists(())[0], 1000, page) for page in range(1, count + 1)]


def test_every_answer_comes_once(api, server):
    server.answer = lambda seen: Reply(body=b'{"at":"%s"}' % seen.target.encode())
    targets = sorted(api.fetch_all(pages(60), lambda answer: answer.request.target()))
    assert targets == sorted(request.target() for request in pages(60))
    assert len(server.seen) == 60


def test_nothing_to_ask_is_nothing(api):
    assert list(api.fetch_all([], len)) == []


def test_then_runs_in_the_thread_that_asked(api):
    names = set(api.fetch_all(pages(5), lambda answer: threading.current_thread().name))
    assert all(name.startswith("propsync-api") for name in names)


def test_requests_are_read_only_a_little_ahead(connect):
    read = []

    def requests():
        for request in pages(100):
            read.append(request)
            yield request

    answers = connect(max_concurrency=3).fetch_all(requests(), lambda answer: answer)
    assert read == []
    for count in range(1, 20):
        next(answers)
        assert len(read) <= count + 6
    answers.close()
    assert len(read) < 30


def test_no_more_are_under_way_than_allowed(connect, server):
    most, now, lock = [0], [0], threading.Lock()

    def answer(seen):
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        threading.Event().wait(0.005)
        with lock:
            now[0] -= 1
        return Reply()

    server.answer = answer
    list(connect(max_concurrency=4).fetch_all(pages(60), lambda answer: answer))
    assert 2 <= most[0] <= 4


def test_the_first_failure_wakes_those_in_back_off_and_is_raised(connect, server, clock):
    clock.stuck = True
    backing_off = threading.Event()

    def answer(seen):
        if seen.target.endswith("page=1"):
            assert backing_off.wait(10)
            return Reply(404)
        return Reply(500)

    def jitter():
        backing_off.set()
        return 1.0

    server.answer = answer
    with pytest.raises(NotFound):
        list(connect(policy=RetryPolicy(rng=jitter)).fetch_all(pages(50), lambda answer: answer))
    assert len(server.seen) < 50


def test_a_failure_in_then_ends_it(api, server):
    def then(answer):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(api.fetch_all(pages(100), then))
    assert len(server.seen) < 100


def test_a_failure_in_the_requests_ends_it(api):
    def requests():
        yield from pages(3)
        raise LookupError

    with pytest.raises(LookupError):
        list(api.fetch_all(requests(), lambda answer: answer))


def test_who_stops_reading_stops_the_asking(api, server):
    answers = api.fetch_all(pages(500), lambda answer: answer)
    next(answers)
    answers.close()
    asked = len(server.seen)
    assert asked < 60
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("propsync-api")]


def test_a_wait_asked_of_one_holds_all(api, server, clock):
    list(api.fetch_all(pages(60), lambda answer: answer))
    assert api.concurrency == 8
    server.seen.clear()
    clock.release.clear()
    script = iter([Reply(429, headers={"Retry-After": "60"})])

    def answer(seen):
        """The wait is answered at once; those already under way end only after it was heard."""
        told = next(script, None)
        if told is None:
            assert clock.asleep.wait(20), "nobody waits"
        return told or Reply()

    server.answer = answer
    done = []
    thread = threading.Thread(target=lambda: done.extend(api.fetch_all(pages(60), lambda answer: answer.status)))
    thread.start()
    assert clock.asleep.wait(20)
    threading.Event().wait(0.3)
    # Those under way may end; no other request is sent before the minute is over.
    assert len(server.seen) <= 8
    clock.release.set()
    thread.join()
    assert done == [200] * 60
    assert max(clock.sleeps) == 60


def test_traffic_can_be_told_apart(api):
    api.fetch(ApiRequest("GET", "/a"))
    mark = api.traffic.mark()
    list(api.fetch_all(pages(4), lambda answer: answer))
    spent = api.traffic.since(mark)
    assert (spent.requests, spent.retries, spent.bytes) == (4, 0, 4 * len(b'{"total":0}'))


def test_a_thread_that_cannot_be_started_is_what_is_told(api, monkeypatch):
    start, begun = threading.Thread.start, []

    def refusing(thread):
        if thread.name.startswith("propsync-api"):
            begun.append(thread)
            if len(begun) == 3:
                raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refusing)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        list(api.fetch_all(pages(20), lambda answer: answer))
    assert not [thread for thread in begun if thread.is_alive()]


def test_who_leaves_the_results_unread_can_still_end():
    code = """
import threading
from propsync.api.pool import in_parallel
left_open = in_parallel(abs, range(100), threads=4, cancel=threading.Event(), wake=lambda: None)
print(next(left_open) in range(100))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_ctrl_c_is_heard_at_once_and_ends_what_waits():
    """Four wait for a turn that never comes; of sixteen, none of the others begins."""
    code = """
import os, signal, threading, time
from propsync.api.pool import in_parallel
begun, cancel = [], threading.Event()
def work(subject):
    begun.append(subject)
    if len(begun) == 4:
        time.sleep(0.3)  # until whoever reads the results waits for one
        os.kill(os.getpid(), signal.SIGINT)
    cancel.wait()
try:
    list(in_parallel(work, range(16), threads=4, cancel=cancel, wake=lambda: None))
except KeyboardInterrupt:
    print(len(begun), threading.active_count())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.returncode) == ("4 1\n", 0), done.stderr


def test_nothing_begins_after_the_first_failure_though_nobody_has_read_it_yet(connect):
    begun = []

    def fail(_, subject):
        begun.append(subject)
        raise ValueError(subject)

    def subjects():
        for one in range(4):
            yield one
            threading.Event().wait(0.05)  # time for a thread to begin it

    with pytest.raises(ValueError, match="0"):
        list(connect(max_concurrency=2).each(subjects(), fail))
    assert begun == [0]
