"""`python -m benchmarks`: propsync against the floor and against dlt, as ratios of one run on one machine."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import cases, programs, pushing
from benchmarks.measured import Measured, Notes
from benchmarks.nginx import NginxMissing, program
from benchmarks.results import page
from benchmarks.verdict import FIXED_LIMIT, MILLION, TINY

CASES = ("first", "quiet", "night", "bucket", "queries", "start", "dlt", "rebuild", "archive", "push", "growth")
PAPERS = 8_000  # assets of the estate with documents to archive: enough that start-up does not dominate
_NIGHTS = {"first", "quiet", "night", "bucket", "queries", "start"}
_RESULTS = Path(__file__).parent / "RESULTS.md"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--scale", type=int, default=100_000, help="assets (100000)")
    parser.add_argument("--repeats", type=int, default=3, help="how often each is run; dlt and a million: once (3)")
    parser.add_argument("--memory-limit", default="1GB", help=f"DuckDB's memory; in growth it is {FIXED_LIMIT} (1GB)")
    parser.add_argument("--only", nargs="+", choices=CASES, default=CASES, metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--nights", type=int, default=30, help="nights that are rebuilt, of 10,000 assets at most (30)")
    parser.add_argument("--million", action="store_true", help="growth goes on to a million assets")
    parser.add_argument("--without-dlt", action="store_true", help="leave dlt's rows as they are")
    parser.add_argument("--output", type=Path, default=_RESULTS, help="the tables; measured.json stands beside them")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the chosen cases, compares their results, writes and prints the tables; 2 if nginx is missing."""
    arguments = _arguments(argv)
    try:
        program()
    except NginxMissing as error:
        print(error, file=sys.stderr)
        return 2
    measured = Measured.read(arguments.output.with_name("measured.json"))
    with tempfile.TemporaryDirectory(prefix="propsync-bench-") as folder:
        _nights(arguments, measured, Path(folder))
        if "rebuild" in arguments.only:
            _rebuild(arguments, measured, Path(folder))
        if "archive" in arguments.only:
            _archive(arguments, measured, Path(folder))
        if "push" in arguments.only:
            notes = Notes(measured, pushing.ASSETS, arguments.memory_limit)
            pushing.push(Path(folder) / "push", notes, arguments.repeats)
        if "growth" in arguments.only:
            _growth(arguments, measured, Path(folder))
    text = page(measured, arguments.scale, arguments.memory_limit)
    arguments.output.write_text(text, encoding="utf-8")
    print(text)
    return 0


def _nights(arguments: argparse.Namespace, measured: Measured, folder: Path) -> None:
    """The cases that share an estate, one after the other and all of them again."""
    notes = Notes(measured, arguments.scale, arguments.memory_limit)
    with cases.place(folder / "estate", arguments.scale) as where:
        for _ in range(arguments.repeats if _NIGHTS.intersection(arguments.only) else 0):
            cases.nights(where, notes, arguments.only)
            if "bucket" in arguments.only:
                cases.in_a_bucket(where, notes)
            if "start" in arguments.only:
                cases.start(where, notes)
        if "dlt" in arguments.only and not arguments.without_dlt:
            _peers(where, notes)


def _peers(where: cases.Place, notes: Notes) -> None:
    if programs.PEER_PYTHON.exists():
        cases.peers(where, notes)
    else:
        print(programs.PEER_MISSING, file=sys.stderr)


def _rebuild(arguments: argparse.Namespace, measured: Measured, folder: Path) -> None:
    scale = min(10_000, arguments.scale)
    notes = Notes(measured, scale, arguments.memory_limit)
    with cases.place(folder / "estate", scale) as where:
        cases.rebuild(where, notes, arguments.nights, arguments.repeats)


def _archive(arguments: argparse.Namespace, measured: Measured, folder: Path) -> None:
    scale = min(PAPERS, arguments.scale)
    with cases.place(folder / "estate", scale) as where:
        cases.archive(where, Notes(measured, scale, arguments.memory_limit), arguments.repeats)


def _growth(arguments: argparse.Namespace, measured: Measured, folder: Path) -> None:
    """The start-up, a tenth of the scale, the scale, and a million on request."""
    scales = {min(TINY, arguments.scale), arguments.scale // 10, arguments.scale}
    for scale in sorted(scales | ({MILLION} if arguments.million else set())):
        notes = Notes(measured, scale, FIXED_LIMIT)
        with cases.place(folder / "estate", scale) as where:
            for _ in range(1 if scale == MILLION else arguments.repeats):
                cases.growth(where, notes)


if __name__ == "__main__":
    sys.exit(main())
