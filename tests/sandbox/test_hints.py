"""The sandbox posts hints of its changes: late, doubled, out of order, before its lists show them, lost or hostile."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from propsync_sandbox import HintPlan, HintPlanError, Sandbox, read_hint_plan
from propsync_sandbox.__main__ import main


class Ears(ThreadingHTTPServer):
    """Notes each body; answers with `answers` in turn, then 202."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Ear)
        self.heard: list[bytes] = []
        self.answers: list[int] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hooks/x"

    def items(self) -> list[Any]:
        """The items of posts that are arrays of objects."""
        found = []
        for body in self.heard:
            try:
                found += [one for one in json.loads(body) if isinstance(one, dict)]
            except (ValueError, TypeError):
                continue
        return found


class Ear(BaseHTTPRequestHandler):
    server: Ears

    def do_POST(self) -> None:
        self.server.heard.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(self.server.answers.pop(0) if self.server.answers else 202)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def ears() -> Iterator[Ears]:
    with Ears() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@contextmanager
def telling(ears: Ears, **plan: Any) -> Iterator[Sandbox]:
    with Sandbox(scale=30, seed=4, hints=HintPlan(ears.url, **plan)) as sandbox:
        yield sandbox


def hinted(sandbox: Sandbox) -> Any:
    assert sandbox.hints is not None
    sandbox.hints.wait()
    return sandbox.hints


def test_each_kind_of_change_is_hinted_by_what_the_service_names(ears: Ears):
    with telling(ears) as sandbox:
        world = sandbox.world
        asset = world.assets.add()
        assessment = world.assessments.add()
        pair = world.schedules.pick()
        assert isinstance(pair, tuple)
        world.schedules.set_members(pair, description="x")
        hinted(sandbox)
        assert ears.items() == [
            {"type": "property", "id": world.assets.get(asset).property},
            {"type": "assessment", "id": assessment},
            {"type": "assessmentschedule", "id": "/".join(pair), "propertyId": pair[0], "typeId": pair[1]},
        ]


def test_hints_come_late_doubled_and_out_of_order_and_some_never(ears: Ears):
    with telling(ears, delay=(0.0, 0.3), doubled=0.3, lost=0.3) as sandbox:
        keys = [sandbox.world.assessments.add() for _ in range(60)]
        hints = hinted(sandbox)
        heard = [one["id"] for one in ears.items()]
        assert heard != sorted(heard, key=keys.index)
        assert set(Counter(heard).values()) == {1, 2}
        assert 5 < len(hints.lost) < 40
        assert len(set(heard)) == len(keys) - len(hints.lost)


def test_a_list_shows_a_change_after_its_lag_and_a_hint_comes_before(ears: Ears):
    with telling(ears, lag=0.6) as sandbox:
        headers = {"Authorization": f"Bearer {sandbox.token}"}
        address = f"{sandbox.base_url}/properties/assets"

        def total() -> int:
            return int(httpx.get(address, headers=headers, trust_env=False).json()["total"])

        before = total()
        sandbox.world.assets.add()
        hinted(sandbox)
        assert len(ears.heard) == 1
        assert total() == before
        time.sleep(0.7)
        assert total() == before + 1


def test_hostile_posts_come_beside_the_true_ones(ears: Ears):
    with telling(ears, hostile=1.0) as sandbox:
        for _ in range(20):
            sandbox.world.assessments.add()
        sent = hinted(sandbox).sent
        assert len(ears.heard) == 40
        assert sum(one.change is None for one in sent) == 20


def test_a_post_that_fails_is_sent_again_and_the_log_tells(ears: Ears):
    ears.answers = [503, 202]
    with telling(ears) as sandbox:
        sandbox.world.assessments.add()
        hinted(sandbox)
        told = httpx.get(f"{sandbox.base_url}/_sandbox/hints", trust_env=False).text.splitlines()
        assert len(ears.heard) == 2
        assert [json.loads(line)["status"] for line in told] == [202]


def test_the_same_seed_spoils_the_same_posts(ears: Ears):
    lost = []
    for _ in range(2):
        with telling(ears, lost=0.5) as sandbox:
            for _ in range(20):
                sandbox.world.assessments.add()
            lost.append(hinted(sandbox).lost)
    assert lost[0] == lost[1] != []


def test_without_hints_the_world_is_the_same(ears: Ears):
    with telling(ears) as sandbox, Sandbox(scale=30, seed=4) as silent:
        sandbox.night()
        silent.night()
        assert sandbox.world.truth("assets") == silent.world.truth("assets")


@pytest.mark.parametrize(
    "plan",
    [
        "[]",
        "{}",
        '{"url": "x"}',
        '{"url": "http://a/", "lost": 2}',
        '{"url": "http://a/", "delay": [1]}',
        "{",
        '{"uri": 1}',
    ],
)
def test_a_wrong_plan_is_refused(plan: str, tmp_path: Path):
    file = tmp_path / "plan.json"
    file.write_text(plan)
    with pytest.raises(HintPlanError, match=r"plan\.json: "):
        read_hint_plan(file)


def test_a_plan_that_is_not_there_ends_the_program_with_2_and_a_sentence(tmp_path: Path, capsys):
    lost = tmp_path / "plan.json"
    assert main(["--scale", "24", "--hints", str(lost)]) == 2
    assert capsys.readouterr().err == f"propsync sandbox: {lost}: No such file or directory\n"
