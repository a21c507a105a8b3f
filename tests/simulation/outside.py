"""Runs in processes of their own, killed for real. A nursery that has imported everything forks one for each run."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from .nights import Kill
from .outcome import Order, Outcome
from .watch import Watch


class Nursery:
    """The other end of the line to `nursery`, which many seeds share: importing everything takes a second."""

    def __init__(self) -> None:
        package = __package__ or "simulation"
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"{package}.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        atexit.register(self.close)

    def tell(self, order: dict[str, Any]) -> None:
        """One order."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """One answer."""
        assert self._process.stdout is not None
        told: dict[str, Any] = json.loads(self._process.stdout.readline())
        return told

    def close(self) -> None:
        """It ends when nobody tells it anything more."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if not self._process.stdin.closed:
            self._process.stdin.close()
            self._process.wait(30)
            self._process.stdout.close()


_nursery = cache(Nursery)


class Outside:
    """Runs nights of one home; a kill by kind `request` or `time` comes from here."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.watch: Watch | None = None
        self._nursery = _nursery()

    def run(self, order: Order) -> Outcome:
        """One run, to its end or to its death."""
        self._nursery.tell(order.to_json())
        pid = int(self._nursery.hear()["pid"])
        timer = self._arm(order.kill, pid)
        told = self._nursery.hear()
        if timer is not None:
            timer.cancel()
        if self.watch is not None:
            self.watch.at_request.clear()
        if told["signal"] == signal.SIGKILL:
            return Outcome(None, killed=True)
        return Outcome(**told["outcome"])

    def _arm(self, kill: Kill | None, pid: int) -> threading.Timer | None:
        def shoot() -> None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        if kill is not None and kill.event == "request" and self.watch is not None:
            self.watch.at_request[self.watch.requests + kill.number] = shoot
        if kill is not None and kill.event == "time":
            timer = threading.Timer(kill.number / 100, shoot)
            timer.start()
            return timer
        return None
