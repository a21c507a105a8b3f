"""The measurements, kept from run to run in a file that only the program writes."""

import importlib.metadata
import json
import os
import platform
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.measuring import Cost

Key = tuple[str, str, str, int, str]
_PACKAGES = ("propsync", "duckdb", "msgspec", "xxhash", "httpx")


@dataclass(frozen=True)
class Row:
    """Medians of one contestant in one case on one kind of data, with the place and time of the measurement."""

    case: str
    contestant: str
    kind: str
    scale: int
    memory_limit: str
    repeats: int
    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int
    on: str
    machine: str
    versions: str

    @property
    def key(self) -> "Key":
        """The key by which a newer measurement replaces an older one."""
        return (self.case, self.contestant, self.kind, self.scale, self.memory_limit)


@dataclass(frozen=True)
class Read:
    """The mistakes in a contestant's table after one night of a list that moves, with the time of the trial."""

    contestant: str
    night: int
    lost: int
    doubled: int
    remained: int
    on: str
    versions: str


@dataclass
class Measured:
    """All rows; new ones replace those of the same case, contestant, kind and scale.

    `truth` has those of the last trial of the case `truth`.
    """

    path: Path
    rows: dict[Key, Row] = field(default_factory=dict)
    truth: list[Read] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> "Measured":
        """The rows of earlier runs, if any."""
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"rows": [], "truth": []}
        rows = {row.key: row for row in (Row(**members) for members in known["rows"])}
        return cls(path, rows, [Read(**members) for members in known["truth"]])

    def note(self, place: Key, costs: Sequence[Cost], more: str) -> None:
        """The medians of that many runs; `more` are versions beside propsync's. Writes at once: a run takes long."""
        row = Row(
            *place,
            len(costs),
            round(median(cost.wall_seconds for cost in costs), 4),
            round(median(cost.cpu_seconds for cost in costs), 4),
            int(median(cost.peak_bytes for cost in costs)),
            today(),
            machine(),
            ", ".join(filter(None, (versions(), more))),
        )
        self.rows[row.key] = row
        self._write()

    def note_truth(self, reads: Sequence[Read]) -> None:
        """Replaces the last trial."""
        self.truth = [*reads]
        self._write()

    def _write(self) -> None:
        rows = [asdict(self.rows[key]) for key in sorted(self.rows)]
        told = {"rows": rows, "truth": [asdict(read) for read in self.truth]}
        self.path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")

    def find(self, case: str, contestant: str, kind: str, scale: int, memory_limit: str) -> Row | None:
        """One row, None if nobody measured it."""
        return self.rows.get((case, contestant, kind, scale, memory_limit))


class Notes:
    """Collects the costs of repeated runs, and keeps their medians as they come."""

    def __init__(self, measured: Measured, kind: str, scale: int, memory_limit: str) -> None:
        self._measured = measured
        self._costs: dict[tuple[str, str], list[Cost]] = defaultdict(list)
        self.kind = kind
        self.scale = scale
        self.memory_limit = memory_limit

    def add(self, case: str, contestant: str, cost: Cost, more: str = "") -> None:
        """One more run."""
        costs = self._costs[case, contestant]
        costs.append(cost)
        self._measured.note((case, contestant, self.kind, self.scale, self.memory_limit), costs, more)
        told = f"{cost.cpu_seconds:.2f} s CPU, {cost.wall_seconds:.3f} s, {cost.peak_bytes / 1e6:,.0f} MB"
        print(f"{self.kind} · {self.scale:,} · {case} · {contestant}: {told}", flush=True)


def today() -> str:
    """The day of a measurement."""
    return datetime.now(UTC).date().isoformat()


def machine() -> str:
    """Processor, cores, memory, kind."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.machine()}"


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "processor unknown"
    )


def versions() -> str:
    """Versions of Python and of propsync's main libraries."""
    told = (f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES)
    return ", ".join([f"Python {platform.python_version()}", *told])
