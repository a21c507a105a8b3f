"""Plants each bug in turn and runs seeds until the oracle objects: `python -m tests.simulation.planted`."""

from __future__ import annotations

import argparse
import re
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import islice
from multiprocessing import get_context

from .bugs import BUGS
from .document_bugs import DOCUMENT_BUGS
from .erasure_bugs import ERASURE_BUGS
from .further_bugs import FURTHER_BUGS
from .push_bugs import PUSH_BUGS
from .scenario import Scenario
from .seeds import Verdict, live

ALL = BUGS | DOCUMENT_BUGS | FURTHER_BUGS | PUSH_BUGS | ERASURE_BUGS
_WORDS = 140
_STALE = re.compile(r"a run ends with a report: ((Type|Attribute|Lookup|Key|Name)Error: .*)")
"""The error of a bug that is planted in code that has changed since: the oracle has caught nothing then."""


def main() -> int:
    """Prints a Markdown table; exit code 1 when a bug was not caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.planted", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="at most so many for each bug")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--bug", action="append", help="a part of its name; all without it")
    wanted = parser.parse_args()
    chosen = [bug for bug in ALL if not wanted.bug or any(part in bug for part in wanted.bug)]
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
    """A bug in what archives documents shows only where there are some, and so do those of further lists and writes."""
    return [seed for seed in range(1, seeds + 1) if bug in BUGS or _has_room(bug, Scenario.of(seed, "process"))]


def _has_room(bug: str, scenario: Scenario) -> bool:
    if bug in PUSH_BUGS:
        return bool(scenario.pushes)
    if bug in ERASURE_BUGS:
        return scenario.erasing is not None
    return bool(scenario.archive if bug in DOCUMENT_BUGS else scenario.further)


def _tell(bug: str, verdict: Verdict | None) -> bool:
    if verdict is None:
        print(f"| {bug} | none | |", flush=True)
        return False
    if stale := _STALE.search(verdict.broken):
        print(f"| {bug} | none | it no longer fits propsync: {stale[1]} |", flush=True)
        return False
    said = " ".join(" ".join(verdict.broken.splitlines()[:2]).split()).replace("|", "\\|").replace("`", "'")
    print(f"| {bug} | {verdict.seed} | `{said[:_WORDS]}` |", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
