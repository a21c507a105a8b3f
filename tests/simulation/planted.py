"""Plants each bug in turn and lives seeds until the oracle objects: `python -m tests.simulation.planted`."""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import islice
from multiprocessing import get_context

from .bugs import BUGS
from .document_bugs import DOCUMENT_BUGS
from .scenario import Scenario
from .seeds import Verdict, live

_WORDS = 140


def main() -> int:
    """Prints a Markdown table; exit code 1 when a bug was not caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.planted", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="at most so many for each bug")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--bug", action="append", help="a part of its name; all without it")
    wanted = parser.parse_args()
    chosen = [bug for bug in BUGS | DOCUMENT_BUGS if not wanted.bug or any(part in bug for part in wanted.bug)]
    print("| bug | seed that caught it | what the oracle said |\n| --- | --- | --- |", flush=True)
    caught = [_tell(bug, _first_caught(bug, wanted.seeds, wanted.workers)) for bug in chosen]
    return 0 if all(caught) else 1


def _first_caught(bug: str, seeds: int, workers: int) -> Verdict | None:
    """The lowest seed that fails with the bug in place."""
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        left = iter(_seeds(bug, seeds))
        while some := list(islice(left, 2 * workers)):
            tasks = [pool.submit(live, seed, "process", bug) for seed in some]
            failed = [task.result() for task in as_completed(tasks) if task.result().broken]
            if failed:
                return min(failed, key=lambda verdict: verdict.seed)
    return None


def _seeds(bug: str, seeds: int) -> list[int]:
    """A bug in what archives documents shows only where there are some."""
    return [seed for seed in range(1, seeds + 1) if bug in BUGS or Scenario.of(seed, "process").archive]


def _tell(bug: str, verdict: Verdict | None) -> bool:
    if verdict is None:
        print(f"| {bug} | none | |", flush=True)
        return False
    said = " ".join(" ".join(verdict.broken.splitlines()[:2]).split()).replace("|", "\\|")
    print(f"| {bug} | {verdict.seed} | {said[:_WORDS]} |", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
