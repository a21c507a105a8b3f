"""Runs many seeds on all cores: `python -m tests.simulation.soak --kind both --seeds 2000`."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import get_context

from .coverage import Coverage, in_lines
from .scenario import Scenario
from .seeds import KINDS, Verdict, live

_TELL_EVERY = 30  # seconds
_SEEDS_A_PROCESS = 500  # a process without end would hide a leak until it hurts
_MOST_FAILURES = 20


def main() -> int:
    """Exit code 1 when a seed fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.soak", description=__doc__)
    parser.add_argument("--kind", choices=(*KINDS, "both"), default="process", help="both: a tenth with real kills")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--erasures", action="store_true", help="of these seeds, those alone that erase something")
    wanted = parser.parse_args()
    tasks = [(seed, kind) for kind, count in _counts(wanted.kind, wanted.seeds) for seed in _seeds(wanted.first, count)]
    if wanted.erasures:
        tasks = [task for task in tasks if Scenario.of(*task).erasing]
    if len(tasks) == 1:
        print(Scenario.of(*tasks[0]))
        return _tell_all([live(*tasks[0])], 1)
    return _tell_all(_lived(tasks, wanted.workers), len(tasks))


def _counts(kind: str, seeds: int) -> list[tuple[str, int]]:
    return [("process", seeds), ("kill", max(1, seeds // 10))] if kind == "both" else [(kind, seeds)]


def _seeds(first: int, count: int) -> range:
    return range(first, first + count)


def _lived(tasks: list[tuple[int, str]], workers: int) -> Iterator[Verdict]:
    """Verdicts as they come; no more is under way than the workers can live."""
    left = iter(tasks)
    with ProcessPoolExecutor(workers, get_context("spawn"), max_tasks_per_child=_SEEDS_A_PROCESS) as pool:
        under_way: set[Future[Verdict]] = {pool.submit(live, *task) for task in islice(left, 2 * workers)}
        while under_way:
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                under_way |= {pool.submit(live, *task) for task in islice(left, 1)}
                yield future.result()


def _tell_all(verdicts: Iterator[Verdict] | list[Verdict], count: int) -> int:
    began = told = time.monotonic()
    coverage: Coverage = Counter()
    failed: list[Verdict] = []
    seconds: Coverage = Counter()
    for done, verdict in enumerate(verdicts, 1):
        coverage += verdict.coverage
        seconds[verdict.kind] += verdict.seconds  # type: ignore[assignment]
        seconds[f"{verdict.kind} seeds"] += 1
        if verdict.broken:
            failed.append(verdict)
            print(f"\n{verdict.told()}\n", flush=True)
        if time.monotonic() - told > _TELL_EVERY:
            told = time.monotonic()
            pace = done / (told - began)
            print(f"{done} of {count} seeds, {pace:.2f} a second, {len(failed)} failed", flush=True)
        if len(failed) >= _MOST_FAILURES:
            print("too many failures, the rest is not lived")
            break
    _sum_up(coverage, seconds, failed, time.monotonic() - began)
    return 1 if failed else 0


def _sum_up(coverage: Coverage, seconds: Coverage, failed: list[Verdict], took: float) -> None:
    print("\n".join(in_lines(coverage)))
    for kind in KINDS:
        if seeds := seconds[f"{kind} seeds"]:
            print(f"{seeds} seeds of kind {kind}, {seconds[kind] / seeds:.2f} s each")
    print(f"{len(failed)} failed, {took:.0f} s in all")
    for verdict in failed:
        print(f"  {verdict.broken.splitlines()[0] if verdict.broken else ''}  {verdict.seed} ({verdict.kind})")


if __name__ == "__main__":
    sys.exit(main())
