"""One seed, run and described, for both the soak and the tests."""

from __future__ import annotations

import atexit
import logging
import shutil
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from propsync.sweep import page_reader

from .coverage import Coverage
from .inside import Inside, memory_folder
from .life import Life
from .oracle.problems import Broken
from .outside import Outside
from .scenario import Scenario

KINDS = ("process", "kill", "bucket", "bucket-kill")
"""Runs in this process with simulated kills, and runs in processes of their own with real ones; the same in a bucket.
"""

_INSIDE = ("process", "bucket")


@dataclass
class Verdict:
    """How a seed went, and how long it took; `broken` is empty where every promise was kept."""

    seed: int
    kind: str
    seconds: float = 0.0
    broken: str = ""
    coverage: Coverage = field(default_factory=Counter)

    def told(self) -> str:
        """A failing seed, and the one command that runs it again."""
        scenario = Scenario.of(self.seed, self.kind)
        return f"seed {self.seed} ({self.kind}): {self.broken}\n{scenario}\nagain: {again(self.seed, self.kind)}"


def again(seed: int, kind: str) -> str:
    """The command that runs one seed."""
    return f".venv/bin/python -m tests.simulation.soak --kind {kind} --seeds 1 --first {seed}"


def live(seed: int, kind: str, bug: str = "") -> Verdict:
    """Runs one seed from its beginning, with a planted bug or none, and leaves no file."""
    logging.getLogger("propsync").setLevel(logging.CRITICAL + 1)  # trouble is what this is about
    page_reader.SIGNED_SECONDS = 0.0  # each answer of the sandbox has its own signatures
    verdict = Verdict(seed, kind)
    began = _used(kind)
    with tempfile.TemporaryDirectory(prefix="propsync-seed-", dir=memory_folder()) as folder:
        scenario = Scenario.of(seed, kind)
        runner = Inside(Path(folder)) if kind in _INSIDE else Outside(Path(folder))
        try:
            life = Life(scenario, runner, _grounds(), bug)
            if isinstance(runner, Outside):
                runner.watch = life.watch
            verdict.coverage = life.live()
        except Broken as broken:
            verdict.broken = str(broken)
        except Exception:  # noqa: BLE001 - a simulation that stumbles has found something too
            verdict.broken = traceback.format_exc()
    verdict.seconds = _used(kind) - began
    return verdict


def _used(kind: str) -> float:
    """Seconds of processor that this process has used; of the clock where runs are processes of their own."""
    return time.process_time() if kind in _INSIDE else time.perf_counter()


@cache
def _grounds() -> Path:
    """Homes synced once, kept until this process ends."""
    folder = tempfile.mkdtemp(prefix="propsync-grounds-", dir=memory_folder())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
