"""An API to write to: the sandbox with assets of one type alone, and a log of its requests.

python -m benchmarks.writable ASSETS
"""

import json
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.measuring import ROOT
from propsync_sandbox import Sandbox, World


@dataclass(frozen=True)
class Writable:
    """Its address, the field to write, and the assets that have it, each with its property."""

    base_url: str
    token: str
    field: str
    assets: list[tuple[str, str]]

    def last(self) -> int:
        """The sequence number of the latest request."""
        return max((line["sequence"] for line in self._lines("journal")), default=0)

    def seconds_since(self, sequence: int) -> float:
        """The time from the first to the last request after that one."""
        times = [line["time"] for line in self._lines("journal") if line["sequence"] > sequence]
        return max(times) - min(times)

    def effects_since(self, sequence: int) -> int:
        """How many writes changed something after that request."""
        return sum(line["sequence"] > sequence for line in self._lines("writes"))

    def _lines(self, log: str) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{self.base_url}/_sandbox/{log}") as answer:
            return [json.loads(line) for line in answer.read().splitlines()]


@contextmanager
def serving(assets: int) -> Iterator[Writable]:
    """The sandbox in a process of its own, on a free port of loopback."""
    command = [sys.executable, "-m", "benchmarks.writable", str(assets)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            given = json.loads(process.stdout.readline())
            given["assets"] = [(asset, place) for asset, place in given["assets"]]
            yield Writable(**given)
        finally:
            process.terminate()


def main(how_many: int) -> None:
    """Serves until SIGTERM."""
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    world = World(scale=0)
    kind = world.asset_types.ids()[0]
    field = next(one["id"] for one in world.asset_types.fields(kind) if one["type"] == "text")
    for _ in range(how_many):
        world.assets.add(type=kind)
    places = [(record.key, record.property) for record in world.assets.records()]
    with Sandbox(world=world) as sandbox:
        given = {"base_url": sandbox.base_url, "token": sandbox.token, "field": field, "assets": places}
        print(json.dumps(given), flush=True)
        ended.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]))
