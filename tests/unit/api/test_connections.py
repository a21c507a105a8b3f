"""Promises of kept connections and notices: an answer belongs to its request, nothing goes where it should not."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from unit.api.loopback import LIST, Reply

from propsync.api import SYSTEM_CLOCK, RetryPolicy, notices, post_notice, schedule_request
from propsync.errors import TransientApiError

Answers = Callable[[int, socket.socket], None]


@pytest.fixture
def raw() -> Iterator[Callable[[Answers], str]]:
    """Serves whatever a function writes to the socket for the n-th request."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(answers: Answers) -> str:
            threading.Thread(target=accept, args=(answers,), daemon=True).start()
            return f"http://127.0.0.1:{listener.getsockname()[1]}"

        count = [0]

        def accept(answers: Answers) -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=converse, args=(connection, answers), daemon=True).start()

        def converse(connection: socket.socket, answers: Answers) -> None:
            with connection:
                while connection.recv(65_536):
                    count[0] += 1
                    try:
                        answers(count[0], connection)
                    except OSError:
                        return

        yield serve


def said(body: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return (head + body).encode()


def test_a_second_answer_that_came_with_the_first_is_not_the_next_request_s(connect, raw):
    def twice(number: int, connection: socket.socket) -> None:
        body = f'{{"type": "{number}"}}'
        connection.sendall(said(body) + (said('{"type": "of nobody"}') if number == 1 else b""))

    api = connect(raw(twice))
    answers = [api.fetch(schedule_request("p", str(number))).body for number in range(3)]
    assert answers == [b'{"type": "1"}', b'{"type": "2"}', b'{"type": "3"}']


def test_headers_that_drip_are_late_as_well(connect, raw, monkeypatch):
    monkeypatch.setattr("propsync.api.transport.WHOLE_SECONDS", 0.2)

    def drip(_: int, connection: socket.socket) -> None:
        for piece in (b"HTTP/1.1 200 OK\r\n", b"X-A: 1\r\n", said("{}").partition(b"\r\n")[2]):
            time.sleep(0.2)
            connection.sendall(piece)

    api = connect(raw(drip), clock=SYSTEM_CLOCK, policy=RetryPolicy(attempts=1))
    with pytest.raises(TransientApiError, match="did not arrive within"):
        api.fetch(LIST)


@pytest.mark.parametrize(
    ("start", "more"),
    [
        pytest.param(b"HTTP/1.1 200 OK\r\nX-A: ", b"a", id="one header without an end"),
        pytest.param(b"", b"HTTP/1.1 103 Early Hints\r\nLink: /a\r\n\r\n", id="interim answers without an end"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-A: ",
            b"a",
            id="a trailer without an end",
        ),
    ],
)
def test_an_answer_without_an_end_is_given_up(connect, raw, monkeypatch, start, more):
    monkeypatch.setattr("propsync.api.transport.WHOLE_SECONDS", 0.2)
    monkeypatch.setattr("propsync.api.transport.READ_SECONDS", 0.2)

    def drip(_: int, connection: socket.socket) -> None:
        connection.sendall(start)
        for _ in range(100):
            time.sleep(0.05)
            connection.sendall(more)

    api = connect(raw(drip), clock=SYSTEM_CLOCK, policy=RetryPolicy(attempts=2, rng=lambda: 0.0))
    began = time.monotonic()
    with pytest.raises(TransientApiError, match="did not arrive within"):
        api.fetch(LIST)
    assert time.monotonic() - began < 3


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"X-A: " + b"a" * 400_000, "the answer has more than 100 KB of headers"),
        (b"X-A: \0" + b"a" * 90_000, "the answer is not valid HTTP: illegal header line"),
        (b"Content-Length: 3", "the answer is not valid HTTP: conflicting Content-Length headers"),
        (b"Transfer-Encoding: gzip", "the answer is not valid HTTP: Only Transfer-Encoding: chunked is supported"),
    ],
)
def test_an_answer_that_is_not_http_is_for_those_who_run_the_api(connect, raw, line, words):
    def answer(_: int, connection: socket.socket) -> None:
        connection.sendall(said("{}").replace(b"Content-Type: application/json", line))
        raise OSError  # it hangs up

    with pytest.raises(TransientApiError, match=words) as caught:
        connect(raw(answer), policy=RetryPolicy(attempts=1)).fetch(LIST)
    assert caught.value.next_step == "Show this line to the people who run the API, or the proxy before it"
    assert len(str(caught.value)) < 500


def test_an_answer_that_breaks_off_needs_a_later_run(connect, raw):
    def answer(number: int, connection: socket.socket) -> None:
        connection.sendall(said("{}")[:-1] if number == 1 else b"")
        raise OSError  # it hangs up

    api = connect(raw(answer), policy=RetryPolicy(attempts=1))
    for _ in range(2):
        with pytest.raises(TransientApiError, match=r"Run the same command again later$"):
            api.fetch(LIST)


def test_work_that_ends_does_not_wait_for_a_silent_server(connect, raw):
    """Prefect kills a cancelled run after 30 seconds, and its run log then says killed."""
    is_asked = threading.Event()

    def silent(*_: object) -> None:
        is_asked.set()
        time.sleep(30)

    api = connect(raw(silent), clock=SYSTEM_CLOCK)

    def one(bound, number):
        if number:
            assert is_asked.wait(20)
            raise KeyboardInterrupt
        bound.fetch(LIST)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(api.each(range(2), one))
    assert time.monotonic() - began < 10


def test_a_write_waits_for_its_answer_though_its_work_ends(connect, raw):
    is_asked, answered = threading.Event(), []

    def late(_: int, connection: socket.socket) -> None:
        is_asked.set()
        time.sleep(2)
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    api = connect(raw(late), clock=SYSTEM_CLOCK)

    def one(bound, number):
        if number:
            assert is_asked.wait(20)
            raise KeyboardInterrupt
        answered.append(bound.delete_schedule("p", "t"))

    with pytest.raises(KeyboardInterrupt):
        list(api.each(range(2), one))
    assert answered == [None]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_what_stays_on_this_computer_is_not_sent_through_a_proxy(connect, server, monkeypatch, host):
    through(monkeypatch, "http://127.0.0.1:9", "")
    url = server.url.replace("127.0.0.1", host)
    assert connect(url).fetch(LIST).status == 200


def test_an_address_of_ipv6_that_no_proxy_names_is_reached_directly(monkeypatch):
    from propsync.api.connections import _proxy, trust

    through(monkeypatch, "http://proxy.example.org:3128", "2001:db8::1")
    url = "https://[2001:db8::1]/v1"
    assert _proxy(url, trust(url)) is None
    assert _proxy("https://[2001:db8::2]/v1", trust(url)) is not None


def through(monkeypatch: pytest.MonkeyPatch, proxy: str, spared: str) -> None:
    for name, value in {"http_proxy": proxy, "https_proxy": proxy, "no_proxy": spared}.items():
        monkeypatch.setenv(name, value)
        monkeypatch.setenv(name.upper(), value)


def test_a_notice_reads_no_body(raw):
    def endless(_: int, connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            connection.sendall(b"10000\r\n" + b"x" * 65_536 + b"\r\n")

    assert post_notice(raw(endless), b"{}") is None


def test_a_notice_waits_so_long_in_all(raw, monkeypatch):
    monkeypatch.setattr(notices, "NOTICE_SECONDS", 0.5)
    is_over = threading.Event()

    def drip(_: int, connection: socket.socket) -> None:
        for letter in said("{}"):
            connection.sendall(bytes([letter]))
            if is_over.wait(0.1):
                connection.shutdown(socket.SHUT_RDWR)

    began = time.monotonic()
    assert "no answer came" in str(post_notice(raw(drip), b"{}"))
    assert time.monotonic() - began < 5
    is_over.set()
    for thread in threading.enumerate():  # other tests change what it uses
        if thread.name == "notice":
            thread.join(30)


def test_a_notice_carries_the_password_of_its_address_and_no_line_tells_the_address(server, caplog):
    server.script = [Reply(204, b"")]
    url = server.url.replace("http://", "http://me:pa%20ss@") + "/hook/secret-part"
    assert post_notice(url, b"{}") is None
    seen = server.seen[0]
    assert (seen.target, seen.headers["Authorization"]) == ("/hook/secret-part", "Basic bWU6cGEgc3M=")
    assert "secret-part" not in caplog.text
