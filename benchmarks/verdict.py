"""The targets, and the measurements."""

from dataclasses import dataclass
from fractions import Fraction

from benchmarks import cases
from benchmarks.estate import KINDS
from benchmarks.measured import Measured, Row

FIXED_LIMIT = "400MB"
TINY = 100
"""An estate so small that its sync is all start-up."""
SMALL = 9_000
"""No list of an estate may have 10,000 records: a search engine may hide more, so propsync reads those in parts."""
MILLION = 1_000_000
SANDBOX = "sandbox"
"""The records of the sandbox, which are of neither kind."""


@dataclass(frozen=True)
class Verdict:
    """One target on one kind of data; `measured` is None without a measurement."""

    what: str
    kind: str
    must: float
    aim: float | None
    measured: float | None
    unit: str = ""

    def cells(self) -> tuple[str, ...]:
        """As a row of a table."""
        shown = "not measured" if self.measured is None else _written(self.measured, self.unit)
        aim = "" if self.aim is None else f"≤ {_bound(self.aim, self.unit)}"
        return (self.what, self.kind, f"≤ {_bound(self.must, self.unit)}", aim, shown, self._met())

    def _met(self) -> str:
        if self.measured is None:
            return ""
        if self.measured > self.must:
            return "not met"
        return "met" if self.aim is None else "aim met" if self.measured <= self.aim else "must met"


def verdicts(measured: Measured, scale: int, memory_limit: str) -> list[Verdict]:
    """All of them, for one scale: each target on both kinds of data."""
    of_kinds = zip(*(_Judge(measured, kind, scale, memory_limit).all() for kind in KINDS), strict=True)
    pushed = _Judge(measured, SANDBOX, scale, memory_limit).wall_ratio(cases.PUSH)
    push = Verdict("push, wall time against a bare loop", SANDBOX, 1 / 0.8, None, pushed)
    return [*(verdict for pair in of_kinds for verdict in pair), push]


@dataclass(frozen=True)
class _Judge:
    """The measurements on one kind of data."""

    measured: Measured
    kind: str
    scale: int
    memory_limit: str

    def all(self) -> list[Verdict]:
        """Every target that an estate is measured for."""
        bare = self._ratio(cases.FIRST, cases.BARE)
        return [
            self._of("first load against the floor", 1.6, 1.4, self._ratio(cases.FIRST, cases.FLOOR)),
            self._of("1 % night against its floor", 2.2, 1.7, self._ratio(cases.CHANGED, cases.FLOOR)),
            self._of("quiet night against fetch and hash", 1.8, 1.5, self._ratio(cases.QUIET, cases.FLOOR)),
            self._of("rebuild of 30 nights against its floor", 4.5, 3.5, self._rebuilt()),
            self._of(f"peak at {FIXED_LIMIT}, every scale", 700, 600, self._peak(), "MB"),
            self._of("CPU a record, 1,000,000 against 100,000", 1.15, None, self._flatness()),
            self._of("first load against one without marts and dashboard", 1.15, None, bare),
            self._of("marts and dashboard of a 1 % night", 1, None, self._desk(), "CPU s"),
            self._of("first load with a bucket against one on a disk", 1.2, None, self._in_a_bucket(cases.FIRST)),
            self._of("quiet night with a bucket against one on a disk", 1.3, None, self._in_a_bucket(cases.QUIET)),
            self._of("archive, wall time against a bare loop", 1 / 0.8, None, self.wall_ratio(cases.ARCHIVE)),
            self._of(
                "archive into a bucket, wall time against a bare loop",
                *(1 / 0.8, None),
                self.wall_ratio(cases.BUCKET_ARCHIVE),
            ),
            self._of("peak of one bundle of 2 GB above an idle archive", 300, None, self._large_bundle(), "MB"),
            self._of("`propsync status` against imports", 2, 1.3, self._ratio(cases.STATUS, cases.IMPORTS)),
            self._of("`propsync --help` against imports", 2, 1.3, self._ratio(cases.HELP, cases.IMPORTS)),
        ]

    def wall_ratio(self, case: str) -> float | None:
        """propsync's wall time to the floor's."""
        ours, theirs = (self._only(case, who) for who in (cases.PROPSYNC, cases.FLOOR))
        return ours.wall_seconds / theirs.wall_seconds if ours and theirs else None

    def _of(self, what: str, must: float, aim: float | None, found: float | None, unit: str = "") -> Verdict:
        return Verdict(what, self.kind, must, aim, found, unit)

    def _find(self, case: str, who: str) -> Row | None:
        return self.measured.find(case, who, self.kind, self.scale, self.memory_limit)

    def _ratio(self, case: str, other: str) -> float | None:
        ours, theirs = self._find(case, cases.PROPSYNC), self._find(case, other)
        return ours.cpu_seconds / theirs.cpu_seconds if ours and theirs else None

    def _in_a_bucket(self, case: str) -> float | None:
        against = self._ratio(case, cases.BUCKET)
        return 1 / against if against else None

    def _rebuilt(self) -> float | None:
        ours, theirs = (self._only(cases.REBUILD.format(30), who) for who in (cases.PROPSYNC, cases.FLOOR))
        return ours.cpu_seconds / theirs.cpu_seconds if ours and theirs else None

    def _grown(self) -> list[Row]:
        return [row for row in grown(self.measured) if row.kind == self.kind]

    def _peak(self) -> float | None:
        return max((row.peak_bytes / 1e6 for row in self._grown()), default=None)

    def _flatness(self) -> float | None:
        """How much more a record costs at the largest scale than at a tenth of it, in a first load."""
        first = {row.scale: cpu_a_record(self.measured, row) for row in self._grown() if row.case == cases.FIRST}
        large, small = first.get(MILLION), first.get(MILLION // 10)
        return large / small if large and small else None

    def _desk(self) -> float | None:
        """CPU seconds of marts and dashboard in a night."""
        ours, bare = self._find(cases.CHANGED, cases.PROPSYNC), self._find(cases.CHANGED, cases.BARE)
        return ours.cpu_seconds - bare.cpu_seconds if ours and bare else None

    def _large_bundle(self) -> float | None:
        large, idle = (self._only(case, cases.PROPSYNC) for case in (cases.LARGE, cases.IDLE_ARCHIVE))
        return (large.peak_bytes - idle.peak_bytes) / 1e6 if large and idle else None

    def _only(self, case: str, who: str) -> Row | None:
        """A case with measurements at one scale."""
        of_case = (row for row in self.measured.rows.values() if (row.case, row.contestant) == (case, who))
        return max((row for row in of_case if row.kind == self.kind), key=lambda row: row.scale, default=None)


def grown(measured: Measured) -> list[Row]:
    """propsync's rows at the fixed memory limit, without the start-up's."""
    rows = measured.rows.values()
    found = [row for row in rows if row.memory_limit == FIXED_LIMIT and row.contestant == cases.PROPSYNC]
    return sorted((row for row in found if row.scale != TINY), key=lambda row: row.scale)


def cpu_a_record(measured: Measured, row: Row) -> float | None:
    """Seconds, start-up subtracted; assessments and schedules together are as many as assets."""
    startup = measured.find(row.case, row.contestant, row.kind, TINY, row.memory_limit)
    return (row.cpu_seconds - startup.cpu_seconds) / (2 * row.scale) if startup else None


def _bound(bound: float, unit: str) -> str:
    return _written(bound, unit) if bound >= 1 else str(Fraction(bound).limit_denominator(20))


def _written(number: float, unit: str) -> str:
    if unit:
        return f"{number:,.{0 if number >= 10 else 1}f} {unit}"
    return f"{number:.2f}" if number >= 1 else f"{number:.2f} (1/{1 / number:.1f})"
