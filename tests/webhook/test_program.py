"""`propsync webhook` as people start it: nothing that it accepted is lost when it dies."""

from __future__ import annotations

import json
import random
import re
import signal
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest
from kit.command_line import CommandLine
from kit.hint_home import HintHome, assessment_hint
from kit.kept import KeptHomes
from kit.kills import started
from kit.programs import PROGRAM, environment, free_port, wait_until
from kit.receiving import HOOK, SECRET, is_accepted, is_refused

from propsync.cli.services.webhook import tell
from propsync.serving.listener import listening
from propsync.settings import load_settings
from propsync_sandbox import Sandbox

AT_ONCE = 50
MOST_MEMORY = 400_000_000
"""Bytes of the receiver, which may have 16 MB of bodies at once, each of them several times."""


@dataclass
class Receiver:
    """The receiver, started again and again on one port."""

    home: HintHome
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    most_memory: int = 0

    @property
    def log(self) -> Path:
        return self.home.path.parent / "webhook.log"

    def start(self, **given: object) -> None:
        """Starts it, and waits until it listens."""
        environ = environment(**self.home.environ(webhook_secret=SECRET, webhook_address_header="X-Real-IP", **given))
        with self.log.open("ab") as lines:
            command = ["setpriv", "--pdeathsig", "KILL", PROGRAM, "webhook", "--port", str(self.port)]
            self.process = subprocess.Popen(command, env=environ, stdout=lines, stderr=lines)
        wait_until(self._listens, 60, self.log)

    def _listens(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5):
            return True
        return False

    def kill(self) -> None:
        """Kills it with no time for anything."""
        assert self.process is not None
        self.measure()
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Stops it as a service manager does; returns its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def measure(self) -> None:
        """Notes its peak of memory."""
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        peak = re.search(r"VmHWM:\s+(\d+) kB", status)
        self.most_memory = max(self.most_memory, int(peak[1]) * 1024 if peak else 0)

    def say(self, words: bytes, slowly: bytes = b"") -> bytes:
        """Its answer on a connection of its own; nothing if it is dead."""
        answer = b""
        while not self._listens():
            time.sleep(0.1)
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(words)
            for place in range(len(slowly)):
                time.sleep(0.05)
                connection.sendall(slowly[place : place + 1])
            while lot := connection.recv(65536):
                answer += lot
        return answer


@pytest.fixture
def program(kept: KeptHomes, tmp_path: Path) -> Iterator[Receiver]:
    """A receiver beside a home that no run uses."""
    with Sandbox(scale=20, seed=3) as sandbox:
        made = Receiver(HintHome(sandbox, tmp_path / "home"))
        yield made
        if made.process is not None and made.process.poll() is None:
            made.process.kill()
            made.process.wait()


def request(body: bytes, path: str = HOOK, address: str = "10.0.0.1", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    named = {"Host": "a", "Connection": "close", "X-Real-IP": address, "Content-Length": size}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode() + body


@dataclass
class Crowd:
    """Fifty senders of good and bad posts, and what they got."""

    program: Receiver
    count: int
    accepted: list[bytes] = field(default_factory=list)
    answers: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _next: int = 0

    def run(self) -> None:
        """Sends everything."""
        threads = [threading.Thread(target=self._send) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _send(self) -> None:
        while (number := self._number()) is not None:
            self._one(number)

    def _number(self) -> int | None:
        with self._lock:
            self._next += 1
            return self._next if self._next <= self.count else None

    def _one(self, number: int) -> None:
        kind = random.Random(number).choices(
            ["good", "doubled", "wrong secret", "oversize", "nonsense", "many", "slow", "hostile", "cut"],
            [60, 10, 6, 3, 6, 3, 1, 8, 3],
        )[0]
        address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        body = json.dumps([{"type": "property", "id": f"P{number}"}]).encode()
        if kind in ("good", "doubled"):
            for _ in range(1 + (kind == "doubled")):
                self._note(kind, body, self.program.say(request(body, address=address)))
        elif kind == "hostile":
            body = b'[{"type": "property", "id": %b}]' % random.Random(number).randbytes(200)
            self._note(kind, body, self.program.say(request(body, address=address)))
        elif kind == "wrong secret":
            self._note(kind, body, self.program.say(request(body, "/hooks/" + "x" * len(SECRET), address)))
        elif kind == "oversize":
            body = b" " * 1_000_001
            self._note(kind, body, self.program.say(request(body, address=address)))
        elif kind == "many":
            body = b"[" + b"1," * 1000 + b"1]"
            self._note(kind, body, self.program.say(request(body, address=address)))
        elif kind == "slow":
            self._note("good", body, self.program.say(request(b"", address=address, length=len(body)), body))
        elif kind == "cut":
            self._note(kind, body, self.program.say(request(body[:5], address=address, length=5)[:-3]))
        else:
            self._note(kind, body, self.program.say(b"\x00\r\n\r\n"))

    def _note(self, kind: str, body: bytes, answer: bytes) -> None:
        how = "202" if is_accepted(answer) else "404" if is_refused(answer) else "nothing" if not answer else "other"
        with self._lock:
            self.answers[f"{kind}: {how}"] += 1
            if how == "202":
                self.accepted.append(body)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "kills"), [(200, 1), pytest.param(10_000, 20, marks=[pytest.mark.release, pytest.mark.timeout(900)])]
)
def test_no_accepted_post_is_lost_over_kills(program: Receiver, count: int, kills: int):
    program.start()
    crowd = Crowd(program, count)
    sending = threading.Thread(target=crowd.run)
    sending.start()
    for place in range(1, kills + 1):
        while sending.is_alive() and sum(crowd.answers.values()) < count * place // (kills + 1):
            time.sleep(0.005)
        program.kill()
        program.start()
    sending.join()
    program.measure()
    assert program.stop() == 0, program.log.read_text()[-2000:]
    kept = Counter(post.body for post in program.home.inbox.posts())
    lost = Counter(crowd.accepted) - kept
    assert not lost
    unanswered = sum(number for told, number in crowd.answers.items() if told.endswith("nothing"))
    assert unanswered <= 2 * kills * AT_ONCE, crowd.answers
    assert crowd.answers["good: 202"] > count / 8, crowd.answers
    assert not [told for told in crowd.answers if told.endswith("other")], crowd.answers
    refused = ("wrong secret", "oversize", "nonsense", "many", "cut")
    assert not [told for told in crowd.answers if told.endswith("202") and told.startswith(refused)]
    assert program.most_memory < MOST_MEMORY, f"{program.most_memory / 1e6:.0f} MB"
    assert SECRET not in program.log.read_text()


@pytest.mark.slow
def test_a_change_is_published_after_its_hint_while_the_program_runs(program: Receiver):
    home = program.home
    home.sync()
    key = home.column("select assessment_id from assessments where status = 'approved' order by 1")[0]
    program.start(webhook_wait=1)
    home.sandbox.world.assessments.set_members(key, title="Heard of")
    assert is_accepted(program.say(request(json.dumps([assessment_hint(key)]).encode())))
    wait_until(lambda: home.known("assessments")[key].get("title") == "Heard of", 60, program.log)
    told = r"INFO hints run \S+, flow hints, ok: looked at 1, put off 0; records: \d+ read, 1 changed, 0 rejected; "
    wait_until(lambda: re.search(told, program.log.read_text()) is not None, 30, program.log)
    assert program.stop() == 0
    assert "Stopped." in program.log.read_text()


def test_a_read_passes_the_time_of_the_next_look_on(home: HintHome):
    """The receiver has no database: it learns from this line alone when to read again."""
    home.now = datetime.now(UTC)
    home.hint(assessment_hint(home.column("select assessment_id from assessments order by 1")[0]))
    for is_due in (True, False):
        done = started(home, [PROGRAM, "webhook", "--read", "--json"])
        said, logged = done.communicate(timeout=120)
        assert done.returncode == 0, logged.decode()
        (line,) = said.decode().splitlines()
        found = json.loads(line)
        assert bool(found["run_id"]) == is_due
        next_look = datetime.fromisoformat(found["next_look_at"])
        assert [(next_look,)] == home.rows("select next_look_at from ops.hints")
        assert timedelta(0) < next_look - home.now < timedelta(minutes=3)


def test_a_port_in_use_is_wrong_usage(tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = {"PROPSYNC_HOME": str(tmp_path / "home"), "PROPSYNC_BASE_URL": "http://127.0.0.1:9"}
        settings |= {"PROPSYNC_TOKEN": "unused", "PROPSYNC_WEBHOOK_SECRET": SECRET}
        done = CommandLine(tmp_path, settings)("webhook", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "cannot be used: Address already in use" in done.stderr


@pytest.mark.skipif(not Path("/proc/net/if_inet6").exists(), reason="this machine has no IPv6")
def test_an_ipv6_address_is_printed_with_its_brackets(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with listening("webhook", "::1", 0) as listener:
        tell(listener, load_settings(environ={"PROPSYNC_HOME": str(tmp_path)}))
        port = listener.getsockname()[1]
    assert capsys.readouterr().out.startswith(f"Receiving hints at http://[::1]:{port}/hooks/<secret>, unsigned\n")


def test_without_a_secret_nothing_is_received(tmp_path: Path):
    settings = {"PROPSYNC_HOME": str(tmp_path / "home"), "PROPSYNC_BASE_URL": "http://127.0.0.1:9"}
    settings |= {"PROPSYNC_TOKEN": "unused"}
    propsync = CommandLine(tmp_path, settings)
    assert "PROPSYNC_WEBHOOK_SECRET: no secret is set" in propsync("webhook").stderr
    short = propsync("webhook", webhook_secret="too-short-to-be-one")
    assert short.returncode == 2
    assert "shorter than 32" in short.stderr
    assert "too-short-to-be-one" not in short.stderr


@pytest.mark.slow
def test_its_child_processes_end_with_it(program: Receiver):
    home = program.home
    home.sync()
    key = home.column("select assessment_id from assessments order by 1")[0]
    home.sandbox.set_faults([{"effect": {"kind": "stall", "seconds": 30}}])
    program.start(webhook_wait=0.1)
    program.say(request(json.dumps([assessment_hint(key)]).encode()))
    assert program.process is not None
    parent = psutil.Process(program.process.pid)
    wait_until(lambda: any("--read" in one.cmdline() for one in _children(parent)), 30, program.log)
    children = _children(parent)
    assert program.stop() == 0
    assert not [one for one in children if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def _children(parent: psutil.Process) -> list[psutil.Process]:
    with suppress(psutil.NoSuchProcess):
        return list(parent.children(recursive=True))
    return []
