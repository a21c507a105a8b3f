"""`python -m benchmarks`: propsync against the floor, as ratios of one run on one machine."""

import argparse
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.contents import assert_equal
from benchmarks.programs import Api, Cost, floor, sandbox, sync
from benchmarks.results import table

RESULTS = Path(__file__).parent / "RESULTS.md"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--scale", type=int, default=50_000, help="assets (50000)")
    parser.add_argument("--repeats", type=int, default=3, help="how often each is run (3)")
    parser.add_argument("--memory-limit", default="1GB", help="DuckDB's memory, for both (1GB)")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where the table goes (benchmarks/RESULTS.md)")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs all, compares what was made, prints and writes the table."""
    arguments = _arguments(argv)
    costs: dict[str, list[Cost]] = defaultdict(list)
    with sandbox(arguments.scale) as api, tempfile.TemporaryDirectory(prefix="propsync-bench-") as folder:
        for _ in range(arguments.repeats):
            for name, cost in _once(api, Path(folder), arguments.memory_limit).items():
                print(f"{name}: {cost.cpu_seconds:.2f} s CPU, {cost.peak_bytes / 1e6:,.0f} MB", file=sys.stderr)
                costs[name].append(cost)
    told = table(costs, arguments.scale, arguments.memory_limit)
    arguments.output.write_text(told, encoding="utf-8")
    print(told)
    return 0


def _once(api: Api, folder: Path, memory_limit: str) -> dict[str, Cost]:
    home, floor_folder = folder / "home", folder / "floor"
    for leftover in (home, floor_folder):
        shutil.rmtree(leftover, ignore_errors=True)
    costs = {
        "sync_first": sync(api, home, memory_limit),
        "floor_load": floor("load", api, floor_folder, memory_limit),
        "sync_quiet": sync(api, home, memory_limit),
    }
    floor("quiet", api, floor_folder, memory_limit)  # its first run has nothing to compare with
    costs["floor_quiet"] = floor("quiet", api, floor_folder, memory_limit)
    assert_equal(home / "published", floor_folder)
    return costs


if __name__ == "__main__":
    sys.exit(main())
