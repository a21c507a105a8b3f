"""Sockets, compression, order of lists, and the program."""

import json
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
import trustme

from propsync_sandbox import Sandbox
from propsync_sandbox.__main__ import main

ASSETS = "/properties/assets"


def keys(client: httpx.Client, **query) -> list[str]:
    return [row["id"] for row in client.get(ASSETS, params=query).json()["assets"]]


def test_a_connection_is_kept_for_the_next_request(sandbox: Sandbox) -> None:
    host, port = sandbox.base_url.removeprefix("http://").split(":")
    question = f"GET /assessments/types HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {sandbox.token}\r\n\r\n".encode()
    with socket.create_connection((host, int(port)), timeout=5) as connection:
        for _ in range(3):
            connection.sendall(question)
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 OK\r\n")


def test_only_loopback_is_listened_on(sandbox: Sandbox) -> None:
    assert sandbox.base_url.startswith("http://127.0.0.1:")


def test_pages_are_compressed_only_for_those_who_accept_it(sandbox: Sandbox, client: httpx.Client) -> None:
    packed = client.get(ASSETS, headers={"Accept-Encoding": "gzip"})
    plain = client.get(ASSETS, headers={"Accept-Encoding": "identity"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert packed.content == plain.content
    assert int(packed.headers["Content-Length"]) < len(plain.content) / 2


def test_compression_can_be_switched_off(start) -> None:
    _, client = start(gzip=False)
    assert "Content-Encoding" not in client.get(ASSETS, headers={"Accept-Encoding": "gzip"}).headers


def test_a_certificate_can_be_given_and_a_stranger_is_turned_away() -> None:
    authority = trustme.CA()
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(server_side)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    with Sandbox(scale=12, tls=server_side) as sandbox:
        headers = {"Authorization": f"Bearer {sandbox.token}"}
        with httpx.Client(base_url=sandbox.base_url, headers=headers, verify=trusting, trust_env=False) as client:
            assert len(keys(client)) == 12
        with httpx.Client(base_url=sandbox.base_url, trust_env=False) as client, pytest.raises(httpx.ConnectError):
            client.get(ASSETS)


def test_closing_ends_open_connections_and_threads() -> None:
    before = threading.active_count()
    with Sandbox(scale=12) as sandbox:
        port = int(sandbox.base_url.rsplit(":", 1)[1])
        idle = socket.create_connection(("127.0.0.1", port), timeout=5)
        time.sleep(0.05)
        assert threading.active_count() > before
    with idle:
        assert idle.recv(1) == b""
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=1).close()


def test_a_stable_order_is_the_same_at_every_request(client: httpx.Client) -> None:
    assert keys(client) == keys(client)


def test_a_shuffled_order_is_another_at_every_request_and_tears_pages(start) -> None:
    sandbox, client = start(order="shuffled")
    one, other = keys(client), keys(client)
    assert one != other
    assert sorted(one) == sorted(other) == sorted(sandbox.world.truth("assets"))
    paged = [key for page in range(1, 7) for key in keys(client, limit=10, page=page)]
    assert len(set(paged)) < len(paged) == 60


def test_the_newest_come_first_and_a_page_has_at_most_as_many_records_as_the_server_shows(start) -> None:
    sandbox, client = start(order="newest", page=4)
    newest = [record.key for record in reversed(sandbox.world.assets.records())]
    assert keys(client) == newest[:4]
    assert keys(client, limit=3, page=2) == newest[3:6]
    assert client.get(ASSETS).json()["total"] == len(newest)


def test_a_drifting_order_moves_a_few_rows_at_a_time(start) -> None:
    sandbox, client = start(order="drifting")
    one, other = keys(client), keys(client)
    moved = sum(a != b for a, b in zip(one, other, strict=True))
    assert 1 <= moved <= 6
    assert sorted(one) == sorted(other) == sorted(sandbox.world.truth("assets"))


def test_signed_links_differ_at_every_request_and_nothing_else_does(start) -> None:
    sandbox, client = start(signed_links=True)
    one, other = client.get(ASSETS).json(), client.get(ASSETS).json()
    assert one != other

    def links_cut(told: dict) -> object:
        text = json.dumps(told)
        return [part.split('"', 1)[-1] for part in text.split("?signature=")]

    assert links_cut(one) == links_cut(other)
    assert "signature" not in json.dumps(list(sandbox.world.truth("assets")))


def started_program(*options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "propsync_sandbox", "--scale", "24", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_program_says_where_it_is_and_ends_quietly_on_a_signal(number: signal.Signals, tmp_path) -> None:
    faults = tmp_path / "faults.json"
    faults.write_text(json.dumps([{"match": {"path": "/assessments"}, "effect": {"kind": "status", "status": 418}}]))
    options = ("--token", "mine", "--faults", str(faults), "--reference", str(tmp_path), "--today", "2026-04-01")
    with started_program(*options) as program:
        line = program.stdout.readline()
        address = line.removeprefix("propsync sandbox at ").split()[0]
        assert line == f"propsync sandbox at {address}  token: mine\n"
        headers = {"Authorization": "Bearer mine"}
        assert httpx.get(address + ASSETS, headers=headers, trust_env=False).json()["total"] == 24
        assert httpx.get(address + "/assessments", headers=headers, trust_env=False).status_code == 418
        assert (tmp_path / "properties.csv").exists()
        program.send_signal(number)
        rest, errors = program.communicate(timeout=10)
    assert (program.returncode, rest, errors) == (0, "", "")


def test_a_signal_ends_the_program_while_it_makes_up_its_world() -> None:
    command = [sys.executable, "-m", "propsync_sandbox", "--scale", "1000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        wait_for_handler(program, signal.SIGTERM)
        program.send_signal(signal.SIGTERM)
        out, errors = program.communicate(timeout=10)
    assert (program.returncode, out, errors) == (0, "", "")


def wait_for_handler(program: subprocess.Popen, number: signal.Signals) -> None:
    """Until the kernel says that the program catches this signal, or 30 s."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{program.pid}/status").read_text().splitlines())
        if int(status["SigCgt"], 16) >> (number - 1) & 1:
            return
        time.sleep(0.02)
    raise AssertionError("the program sets no handler")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"effect": {"kind": "nap"}}]', "faults[0].effect.kind: must be one of"),
        ("{", "Expecting property name"),
        ("{}", "a fault plan is a list of rules"),
        (None, "No such file"),
    ],
)
def test_a_wrong_fault_plan_ends_the_program_with_2_and_a_sentence(tmp_path, text, message: str) -> None:
    plan = tmp_path / "plan.json"
    if text is not None:
        plan.write_text(text)
    with started_program("--faults", str(plan)) as program:
        out, errors = program.communicate(timeout=10)
    assert (program.returncode, out) == (2, "")
    assert str(plan) in errors
    assert message in errors
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--today", "2026-13-01", "argument --today: write a date such as 2026-03-02, not '2026-13-01'"),
        ("--port", "65536", "argument --port: write a port of 0 to 65535, not '65536'"),
        ("--scale", "-1", "argument --scale: write a whole number, 0 or more, not '-1'"),
        ("--scale", "1000001", "argument --scale: write a number of assets of 0 to 1000000, not '1000001'"),
    ],
)
def test_a_wrong_option_is_answered_with_what_to_write(option: str, value: str, message: str, capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main([option, value])
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"propsync sandbox: error: {message}\n"


def test_a_port_that_is_taken_ends_the_program_with_1_and_a_sentence(sandbox: Sandbox) -> None:
    with started_program("--port", sandbox.base_url.rsplit(":", 1)[1]) as program:
        _, errors = program.communicate(timeout=10)
    assert program.returncode == 1
    step = "Give another --port, or stop the program that has it"
    assert errors == f"propsync sandbox: cannot start: Address already in use. {step}\n"


def test_a_folder_that_cannot_be_ends_the_program_with_1_and_its_name() -> None:
    with started_program("--reference", "/proc/none", "--scale", "1") as program:
        _, errors = program.communicate(timeout=10)
    assert program.returncode == 1
    assert errors == "propsync sandbox: cannot start: No such file or directory. Check /proc/none\n"
