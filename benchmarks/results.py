"""The table of results."""

import importlib.metadata
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.programs import Cost

CASES = (
    ("first load", "sync_first", "floor_load", "fetch and one set-based load"),
    ("quiet night", "sync_quiet", "floor_load", "fetch and one set-based load"),
    ("quiet night", "sync_quiet", "floor_quiet", "fetch and hash only"),
)
_VERSIONS = ("propsync", "duckdb", "msgspec", "httpx")


def table(costs: dict[str, list[Cost]], scale: int, memory_limit: str) -> str:
    """Markdown: medians of whole processes, and the ratios of CPU."""
    repeats = len(costs["sync_first"])
    rows = [_row(case, floor, costs[ours], costs[theirs]) for case, ours, theirs, floor in CASES]
    columns = ("case", "floor", "CPU s", "floor CPU s", "ratio", "wall s", "floor wall s", "peak MB", "floor peak MB")
    lines = [columns, ("---", "---", *("--:",) * 7), *rows]
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Written by `make bench`. CPU is user and system time of whole processes, the sandbox's own not counted; "
            "ratio is propsync's CPU to the floor's (`benchmarks/floor.py`).",
            "",
            f"{scale:,} assets of the sandbox, with their assessments and schedules; median of {repeats}, interleaved; "
            f"DuckDB's memory {memory_limit}.",
            "",
            *(f"| {' | '.join(line)} |" for line in lines),
            "",
            f"- machine: {_machine()}",
            f"- versions: Python {platform.python_version()}, "
            + ", ".join(f"{name} {importlib.metadata.version(name)}" for name in _VERSIONS),
            "",
        ]
    )


def _row(case: str, floor: str, ours: Sequence[Cost], theirs: Sequence[Cost]) -> tuple[str, ...]:
    cpu, floor_cpu = (median(cost.cpu_seconds for cost in costs) for costs in (ours, theirs))
    wall, floor_wall = (median(cost.wall_seconds for cost in costs) for costs in (ours, theirs))
    peak, floor_peak = (median(cost.peak_bytes for cost in costs) / 1e6 for costs in (ours, theirs))
    seconds = (f"{cpu:.2f}", f"{floor_cpu:.2f}", f"{cpu / floor_cpu:.2f}", f"{wall:.1f}", f"{floor_wall:.1f}")
    return (case, floor, *seconds, f"{peak:,.0f}", f"{floor_peak:,.0f}")


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.machine()}"


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "processor unknown"
    )
