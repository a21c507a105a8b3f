"""Hints: a POST to an address of yours for each change of a record, as the service's webhooks might send them.

    {"url": "http://127.0.0.1:4280/hooks/SECRET", "delay": [0, 2], "lag": 3, "doubled": 0.1, "lost": 0.05,
     "hostile": 0.1, "seed": 0}

url      where the posts go; a post that no 2xx answers is sent again twice
delay    the shortest and the longest number of seconds between a change and its post ([0, 0]); they differ, so posts
         come out of order
lag      seconds for which lists show a change not yet (0): a post may come before the list shows its change
doubled  share of the posts that come twice (0)
lost     share of the changes without a post (0)
hostile  share of the changes with a further post of nonsense, or of ids that do not exist (0)
seed     of the dice (0)

API §6 shows neither names nor forms of events. These are as in public examples: an array of items with `type` and `id`,
for a schedule also `propertyId` and `typeId`. No event names an asset, so a change of an asset names its property.
"""

import http.client
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from typing import Any, Self
from urllib.parse import urlsplit

from .changes import Change
from .jsontext import encode

_TRIES = 3
_PAUSE = 1.0  # seconds between two tries
_NONSENSE = (b"", b"[", b"null", b'"x"', b"[[[[]]]]", b'[{"type": 7}]', b'[{"type": "assessment"}]', b"\xff\xfe")


class HintPlanError(ValueError):
    """The plan is unusable; the text says why."""


@dataclass(frozen=True)
class HintPlan:
    """Where posts go and how badly they come (see above)."""

    url: str
    delay: tuple[float, float] = (0.0, 0.0)
    lag: float = 0.0
    doubled: float = 0.0
    lost: float = 0.0
    hostile: float = 0.0
    seed: int = 0

    @classmethod
    def from_json(cls, plan: Any) -> Self:
        """HintPlanError for anything else than such an object."""
        known = {one.name for one in fields(cls)}
        if not isinstance(plan, Mapping) or not plan.keys() <= known or "url" not in plan:
            raise HintPlanError(
                f"a plan of hints is an object with url, and perhaps {', '.join(sorted(known - {'url'}))}"
            )
        delay = plan.get("delay", (0, 0))
        numbers = [*delay, *(plan.get(name, 0) for name in ("lag", "doubled", "lost", "hostile"))]
        if len(delay) != 2 or not all(_is_number(one) for one in numbers) or max(numbers[3:]) > 1:
            raise HintPlanError(
                "delay is two numbers of seconds, lag one; doubled, lost and hostile are shares from 0 to 1"
            )
        if urlsplit(str(plan["url"])).scheme != "http":
            raise HintPlanError("url is an http address")
        return cls(**{**plan, "delay": (float(delay[0]), float(delay[1]))})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


@dataclass(frozen=True)
class Sent:
    """One post: its body, the change that it is about (None for a hostile one), and the last answer, 0 for none."""

    body: bytes
    change: int | None
    status: int

    def as_json(self) -> bytes:
        return (
            encode({"change": self.change, "status": self.status, "body": self.body.decode(errors="replace")}) + b"\n"
        )


class Hints:
    """Sends posts in a thread of its own. `take` is called for each change, under the world's lock."""

    def __init__(self, plan: HintPlan) -> None:
        self.plan = plan
        self.sent: list[Sent] = []
        self.lost: list[int] = []
        """The changes without a post."""
        self._dice = Random(f"hints {plan.seed}")
        self._waiting: list[tuple[float, int, bytes, int | None]] = []
        self._number = 0
        self._under_way = 0
        self._changed = threading.Condition()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="hints", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ends; posts that wait are not sent."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(10)

    def take(self, change: Change) -> None:
        """Plans the posts about a change."""
        plan, dice = self.plan, self._dice
        with self._changed:
            if dice.random() < plan.hostile:
                self._plan(_hostile(dice), None)
            if dice.random() < plan.lost:
                self.lost.append(change.sequence)
            else:
                body = encode([item_of(change)])
                for _ in range(2 if dice.random() < plan.doubled else 1):
                    self._plan(body, change.sequence)
            self._changed.notify_all()

    def wait(self, seconds: float = 30) -> None:
        """Waits until every post is out; TimeoutError after `seconds`."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._waiting and not self._under_way, seconds):
                raise TimeoutError(f"{len(self._waiting)} posts still wait")

    def as_json_lines(self) -> bytes:
        with self._changed:
            return b"".join(one.as_json() for one in self.sent)

    def _plan(self, body: bytes, change: int | None) -> None:
        self._number += 1
        heappush(self._waiting, (time.monotonic() + self._dice.uniform(*self.plan.delay), self._number, body, change))

    def _run(self) -> None:
        while (post := self._next()) is not None:
            body, change = post
            status = self._send(body)
            with self._changed:
                self.sent.append(Sent(body, change, status))
                self._under_way -= 1
                self._changed.notify_all()

    def _next(self) -> tuple[bytes, int | None] | None:
        with self._changed:
            while not self._is_stopped:
                seconds = self._waiting[0][0] - time.monotonic() if self._waiting else None
                if seconds is not None and seconds <= 0:
                    self._under_way += 1
                    return heappop(self._waiting)[2:]
                self._changed.wait(seconds)
            return None

    def _send(self, body: bytes) -> int:
        status = 0
        for attempt in range(_TRIES):
            if attempt and not self._is_stopped:
                time.sleep(_PAUSE)
            status = self._once(body)
            if status in range(200, 300) or status == 404:
                break
        return status

    def _once(self, body: bytes) -> int:
        url = urlsplit(self.plan.url)
        connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=10)
        try:
            connection.request("POST", url.path, body, {"Content-Type": "application/json"})
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return 0
        finally:
            connection.close()


def item_of(change: Change) -> dict[str, object]:
    """The item of a post about a change."""
    record, key = change.record, change.record.key
    if change.resource == "assessments":
        return {"type": "assessment", "id": key}
    if change.resource == "schedules":
        return {"type": "assessmentschedule", "id": "/".join(key), "propertyId": key[0], "typeId": key[1]}
    return {"type": "property", "id": record.property}


def _hostile(dice: Random) -> bytes:
    if dice.random() < 0.5:
        return dice.choice(_NONSENSE)
    kind = dice.choice(("property", "assessment", "task", "propertygroup", "no such type"))
    return encode([{"type": kind, "id": f"no such id {dice.randrange(10**6)}"}])


def read_hint_plan(path: Path) -> HintPlan:
    """The plan in a file; HintPlanError names the file."""
    try:
        return HintPlan.from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise HintPlanError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise HintPlanError(f"{path}: {error}") from error
