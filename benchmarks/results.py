"""RESULTS.md: what was measured, as tables."""

from collections.abc import Iterable, Sequence

from benchmarks.measured import Measured, Row

_HEAD = """# Benchmarks

Written by `make bench`, never by hand. CPU is user and system time of whole processes with all that they start, nginx's
own not counted; the peak is that of the tree of processes; ratio is propsync's CPU to that of the row. Medians of
whole, interleaved runs. The floor is `benchmarks/floor.py`, a bare script: it does only the I/O and one set-based load
or, for a night, fetches and compares hashes.
"""
_CONTESTANTS = ("propsync", "floor", "dlt merge", "dlt scd2", "import")


def page(measured: Measured) -> str:
    """The whole file."""
    rows = list(measured.rows.values())
    return "\n".join([_HEAD, *_cases(rows), "", *_origins(rows), ""])


def lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table; columns whose header ends in a blank are of numbers."""
    rule = ["--:" if name.endswith(" ") else "---" for name in header]
    return [f"| {' | '.join(one)} |" for one in ([name.strip() for name in header], rule, *rows)]


def _cases(rows: list[Row]) -> list[str]:
    cases = dict.fromkeys((row.scale, row.case) for row in rows)
    header = ("assets", "case", "who", "CPU s ", "ratio ", "wall s ", "peak MB ", "runs ", "measured")
    return lines(header, (_line(row, rows) for case in cases for row in _of(case, rows)))


def _of(case: tuple[int, str], rows: list[Row]) -> list[Row]:
    found = [row for row in rows if (row.scale, row.case) == case]
    return sorted(found, key=lambda row: _CONTESTANTS.index(row.contestant))


def _line(row: Row, rows: list[Row]) -> tuple[str, ...]:
    ours = next(one for one in rows if (one.scale, one.case, one.contestant) == (row.scale, row.case, "propsync"))
    ratio = "" if row is ours else f"{ours.cpu_seconds / row.cpu_seconds:.2f}"
    told = (f"{row.cpu_seconds:.2f}", ratio, f"{row.wall_seconds:.1f}", f"{row.peak_bytes / 1e6:,.0f}")
    return (f"{row.scale:,}", row.case, row.contestant, *told, str(row.repeats), row.on)


def _origins(rows: list[Row]) -> list[str]:
    """Where and with what, for each day and machine that rows come from."""
    return [f"- {one}" for one in dict.fromkeys(f"{row.on}: {row.machine}; {row.versions}" for row in rows)]
