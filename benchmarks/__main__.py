"""`python -m benchmarks`: propsync against the floor and against dlt, as ratios of one run on one machine."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import cases
from benchmarks.measured import Measured, Notes
from benchmarks.nginx import NginxMissing, program
from benchmarks.results import page

CASES = ("first", "quiet", "night")
_RESULTS = Path(__file__).parent / "RESULTS.md"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--scale", type=int, default=100_000, help="assets (100000)")
    parser.add_argument("--repeats", type=int, default=3, help="how often each is run (3)")
    parser.add_argument("--memory-limit", default="1GB", help="DuckDB's memory, for both (1GB)")
    parser.add_argument("--only", nargs="+", choices=CASES, default=CASES, metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--output", type=Path, default=_RESULTS, help="where the tables go (benchmarks/RESULTS.md)")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs what is asked for, compares what was made, writes and prints the tables; 2 where nginx is missing."""
    arguments = _arguments(argv)
    try:
        program()
    except NginxMissing as error:
        print(error, file=sys.stderr)
        return 2
    measured = Measured.read(arguments.output.with_name("measured.json"))
    with tempfile.TemporaryDirectory(prefix="propsync-bench-") as folder:
        _run(arguments, measured, Path(folder))
    told = page(measured)
    arguments.output.write_text(told, encoding="utf-8")
    print(told)
    return 0


def _run(arguments: argparse.Namespace, measured: Measured, folder: Path) -> None:
    notes = Notes(measured, arguments.scale, arguments.memory_limit)
    with cases.place(folder / "nights", arguments.scale) as where:
        for _ in range(arguments.repeats):
            cases.nights(where, notes, arguments.only)


if __name__ == "__main__":
    sys.exit(main())
