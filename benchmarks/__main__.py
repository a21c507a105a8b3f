"""`python -m benchmarks`: propsync against the floor and against dlt, as ratios of one run on one machine."""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import cases, programs, pushing, truth
from benchmarks.estate import KINDS
from benchmarks.measured import Measured, Notes
from benchmarks.nginx import NginxMissing, program
from benchmarks.results import page
from benchmarks.verdict import FIXED_LIMIT, MILLION, SANDBOX, SMALL, TINY

_OF_AN_ESTATE = ("first", "quiet", "night", "bucket", "queries", "start", "dlt", "rebuild", "archive", "growth")
CASES = (*_OF_AN_ESTATE, "push", "truth")
PAPERS = 16_000  # assets of the estate with documents, so that what happens once a run is a small part
_NIGHTS = {"first", "quiet", "night", "bucket", "queries", "start"}
_RESULTS = Path(__file__).parent / "RESULTS.md"


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--scale", type=int, default=100_000, help="assets (100000)")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[*KINDS], help="kinds of data (plain rich)")
    parser.add_argument("--repeats", type=int, default=3, help="how often each is run; dlt and a million: once (3)")
    parser.add_argument("--memory-limit", default="1GB", help=f"DuckDB's memory; in growth it is {FIXED_LIMIT} (1GB)")
    parser.add_argument("--only", nargs="+", choices=CASES, default=CASES, metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--nights", type=int, default=30, help="nights that are rebuilt, of 9,000 assets at most (30)")
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
        for kind in arguments.kinds:
            _of_an_estate(_Bench(arguments, measured, Path(folder), kind))
        if "push" in arguments.only:
            notes = Notes(measured, SANDBOX, pushing.ASSETS, arguments.memory_limit)
            pushing.push(Path(folder) / "push", notes, arguments.repeats)
        if "truth" in arguments.only:
            measured.note_truth(truth.tried(Path(folder) / "truth", with_dlt=_has_dlt(arguments)))
    text = page(measured, arguments.scale, arguments.memory_limit)
    arguments.output.write_text(text, encoding="utf-8")
    print(text)
    return 0


@dataclass(frozen=True)
class _Bench:
    """The cases on one kind of data."""

    arguments: argparse.Namespace
    measured: Measured
    folder: Path
    kind: str

    @contextmanager
    def place(self, scale: int) -> Iterator[cases.Place]:
        """Serves an estate of the kind."""
        with cases.place(self.folder / "estate", scale, self.kind) as where:
            yield where

    def notes(self, scale: int, memory_limit: str | None = None) -> Notes:
        """Keeps what the cases cost."""
        return Notes(self.measured, self.kind, scale, memory_limit or self.arguments.memory_limit)


def _of_an_estate(bench: _Bench) -> None:
    only = {*bench.arguments.only}
    if only & {*_NIGHTS, "dlt"}:
        _nights(bench)
    if "rebuild" in only:
        _rebuild(bench)
    if "archive" in only:
        _archive(bench)
    if "growth" in only:
        _growth(bench)


def _nights(bench: _Bench) -> None:
    """The cases that share an estate, one after the other and all of them again."""
    arguments = bench.arguments
    notes = bench.notes(arguments.scale)
    with bench.place(arguments.scale) as where:
        for _ in range(arguments.repeats if _NIGHTS.intersection(arguments.only) else 0):
            cases.nights(where, notes, arguments.only)
            if "bucket" in arguments.only:
                cases.in_a_bucket(where, notes)
            if "start" in arguments.only:
                cases.start(where, notes)
        if "dlt" in arguments.only and _has_dlt(arguments):
            cases.peers(where, notes)


def _has_dlt(arguments: argparse.Namespace) -> bool:
    is_there = programs.PEER_PYTHON.exists()
    if not is_there and not arguments.without_dlt:
        print(programs.PEER_MISSING, file=sys.stderr)
    return is_there and not arguments.without_dlt


def _rebuild(bench: _Bench) -> None:
    scale = min(SMALL, bench.arguments.scale)
    with bench.place(scale) as where:
        cases.rebuild(where, bench.notes(scale), bench.arguments.nights, bench.arguments.repeats)


def _archive(bench: _Bench) -> None:
    scale = min(PAPERS, bench.arguments.scale)
    with bench.place(scale) as where:
        cases.archive(where, bench.notes(scale), bench.arguments.repeats)


def _growth(bench: _Bench) -> None:
    """The start-up, a small estate, the scale, and a million on request."""
    arguments = bench.arguments
    scales = {min(size, arguments.scale) for size in (TINY, SMALL, arguments.scale)}
    for scale in sorted(scales | ({MILLION} if arguments.million else set())):
        notes = bench.notes(scale, FIXED_LIMIT)
        with bench.place(scale) as where:
            for _ in range(1 if scale == MILLION else arguments.repeats):
                cases.growth(where, notes)


if __name__ == "__main__":
    sys.exit(main())
