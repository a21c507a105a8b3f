"""The targets, and the measurements."""

from dataclasses import dataclass
from fractions import Fraction

from benchmarks import cases
from benchmarks.measured import Measured, Row

FIXED_LIMIT = "400MB"
TINY = 100
"""An estate so small that its sync is all start-up."""
MILLION = 1_000_000
_WITHIN = 1.15


@dataclass(frozen=True)
class Verdict:
    """One target; `measured` is None without a measurement."""

    what: str
    must: float
    aim: float | None
    measured: float | None
    unit: str = ""

    def cells(self) -> tuple[str, str, str, str, str]:
        """As a row of a table."""
        shown = "not measured" if self.measured is None else _written(self.measured, self.unit)
        aim = "" if self.aim is None else f"≤ {_bound(self.aim, self.unit)}"
        return (self.what, f"≤ {_bound(self.must, self.unit)}", aim, shown, self._met())

    def _met(self) -> str:
        if self.measured is None:
            return ""
        if self.measured > self.must:
            return "not met"
        return "met" if self.aim is None else "aim met" if self.measured <= self.aim else "must met"


def verdicts(measured: Measured, scale: int, memory_limit: str) -> list[Verdict]:
    """All of them, for one scale."""

    def ratio(case: str, other: str) -> float | None:
        ours, theirs = (measured.find(case, who, scale, memory_limit) for who in (cases.PROPSYNC, other))
        return ours.cpu_seconds / theirs.cpu_seconds if ours and theirs else None

    def over(case: str, other: str) -> float | None:
        against = ratio(case, other)
        return 1 / against if against else None

    return [
        Verdict("first load against the floor", 1.5, 1.2, ratio(cases.FIRST, cases.FLOOR)),
        Verdict("first load against dlt merge", 1 / 6, 1 / 9, ratio(cases.FIRST, cases.MERGE)),
        Verdict("quiet night against fetch and hash", 2, 1.3, ratio(cases.QUIET, cases.FLOOR)),
        Verdict("quiet night against dlt scd2", 1 / 10, 1 / 20, ratio(cases.QUIET, cases.SCD2)),
        Verdict("1 % night against dlt scd2", 1 / 8, 1 / 14, ratio(cases.CHANGED, cases.SCD2)),
        Verdict("first load against one without marts and dashboard", 1.15, None, ratio(cases.FIRST, cases.BARE)),
        Verdict("marts and dashboard of a 1 % night", 1, None, _desk(measured, scale, memory_limit), "CPU s"),
        Verdict("first load with a bucket against one on a disk", 1.2, None, over(cases.FIRST, cases.BUCKET)),
        Verdict("quiet night with a bucket against one on a disk", 1.3, None, over(cases.QUIET, cases.BUCKET)),
        Verdict(f"peak at {FIXED_LIMIT}, every scale", 700, 500, _peak(measured), "MB"),
        Verdict("CPU a record, largest against 100,000", _WITHIN, None, _flatness(measured)),
        Verdict("archive, wall time against a bare loop", 1 / 0.8, None, _wall_ratio(measured, cases.ARCHIVE)),
        Verdict(
            "archive into a bucket, wall time against a bare loop",
            *(1 / 0.8, None),
            _wall_ratio(measured, cases.BUCKET_ARCHIVE),
        ),
        Verdict("push, wall time against a bare loop", 1 / 0.8, None, _wall_ratio(measured, cases.PUSH)),
        Verdict("peak of one bundle of 2 GB above an idle archive", 300, None, _large_bundle(measured), "MB"),
        Verdict("`propsync status` against imports", 2, 1.3, ratio(cases.STATUS, cases.IMPORTS)),
        Verdict("`propsync --help` against imports", 2, 1.3, ratio(cases.HELP, cases.IMPORTS)),
    ]


def grown(measured: Measured) -> list[Row]:
    """propsync's rows at the fixed memory limit, without the start-up's."""
    rows = measured.rows.values()
    found = [row for row in rows if row.memory_limit == FIXED_LIMIT and row.contestant == cases.PROPSYNC]
    return sorted((row for row in found if row.scale != TINY), key=lambda row: row.scale)


def cpu_a_record(measured: Measured, row: Row) -> float | None:
    """Seconds, start-up subtracted; assessments and schedules together are as many as assets."""
    startup = measured.find(row.case, row.contestant, TINY, row.memory_limit)
    return (row.cpu_seconds - startup.cpu_seconds) / (2 * row.scale) if startup else None


def _peak(measured: Measured) -> float | None:
    return max((row.peak_bytes / 1e6 for row in grown(measured)), default=None)


def _desk(measured: Measured, scale: int, memory_limit: str) -> float | None:
    """CPU seconds of marts and dashboard in a night."""
    found = [measured.find(cases.CHANGED, who, scale, memory_limit) for who in (cases.PROPSYNC, cases.BARE)]
    seconds = [row.cpu_seconds for row in found if row]
    return seconds[0] - seconds[1] if len(seconds) == len(found) else None


def _wall_ratio(measured: Measured, case: str) -> float | None:
    ours, theirs = (_only(measured, case, who) for who in (cases.PROPSYNC, cases.FLOOR))
    return ours.wall_seconds / theirs.wall_seconds if ours and theirs else None


def _large_bundle(measured: Measured) -> float | None:
    large, idle = (_only(measured, case, cases.PROPSYNC) for case in (cases.LARGE, cases.IDLE_ARCHIVE))
    return (large.peak_bytes - idle.peak_bytes) / 1e6 if large and idle else None


def _only(measured: Measured, case: str, contestant: str) -> Row | None:
    """A case with measurements at one scale."""
    found = [row for row in measured.rows.values() if (row.case, row.contestant) == (case, contestant)]
    return max(found, key=lambda row: row.scale, default=None)


def _flatness(measured: Measured) -> float | None:
    """How much more a record costs at the largest scale than at a tenth of it, in a first load."""
    first = {row.scale: cpu_a_record(measured, row) for row in grown(measured) if row.case == cases.FIRST}
    large, small = first.get(MILLION), first.get(MILLION // 10)
    return large / small if large and small else None


def _bound(bound: float, unit: str) -> str:
    return _written(bound, unit) if bound >= 1 else str(Fraction(bound).limit_denominator(20))


def _written(number: float, unit: str) -> str:
    if unit:
        return f"{number:,.{0 if number >= 10 else 1}f} {unit}"
    return f"{number:.2f}" if number >= 1 else f"{number:.2f} (1/{1 / number:.1f})"
