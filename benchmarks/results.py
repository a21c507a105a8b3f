"""RESULTS.md: the measurements as tables."""

from collections.abc import Iterable, Iterator, Sequence

from benchmarks import cases
from benchmarks.measured import Measured, Read, Row
from benchmarks.truth import ABOUT
from benchmarks.verdict import FIXED_LIMIT, cpu_a_record, grown, verdicts

_HEAD = """# Benchmarks

Written by `make bench`, never by hand. CPU is user and system time of whole processes with all that they start, nginx's
own not counted; the peak is that of the tree of processes; ratio is propsync's CPU to that of the row. Medians of
whole, interleaved runs. There are half as many assessments and half as many schedules as assets.

Two kinds of data: `plain` has few flags and mostly one option a value; `rich` has, at 100,000 assets, 60,000 flags with
150,000 entries, assessments of about 929 bytes and option values of 79.

The floor is `benchmarks/floor.py`, a bare script that knows every place. For a first load it fetches everything and
makes the tables of records, values, flags and types with one set-based load, the marts, the Parquet of all, and a page.
Parquet is two files a table, as propsync promises them: one with each column, and the flat one of published/flat.
For a night it fetches, hashes and compares; then it replaces the rows of what changed in the warehouse of the night
before, and writes the Parquet of the tables that changed. It lands nothing, checks nothing, and keeps no history.
Marts read history. So the floor runs the marts' own SQL, each statement once, on a copy of the state of a propsync that
built no mart; it asks the dashboard's questions and writes the answers as plain tables. For a rebuild the floor reads
and hashes the pages of all nights, loads the last one, and makes the marts of all from such a state.

dlt merges by key or keeps history (scd2); it makes no wide tables, no marts and no Parquet. It runs as tuned as its
documentation says, and as its documentation begins. propsync without its desk builds no mart and draws no dashboard.
With a bucket, it puts everything to an S3 server on the same machine, whose own cost is not counted. A push
writes 5,000 of 20,000 assets of the sandbox, and reads each back; its wall time is from the first to the last request.
"""
_CONTESTANTS = (
    cases.PROPSYNC,
    cases.BARE,
    cases.BUCKET,
    cases.FLOOR,
    cases.MERGE,
    cases.PLAIN_MERGE,
    cases.SCD2,
    cases.IMPORTS,
)
_CASES = (cases.FIRST, cases.QUIET, cases.CHANGED, "rebuild", cases.STATUS, cases.HELP)


def page(measured: Measured, scale: int, memory_limit: str) -> str:
    """The whole file, with the verdict for one scale."""
    rows = sorted(measured.rows.values(), key=_order)
    free = [row for row in rows if row.memory_limit != FIXED_LIMIT]
    parts = (
        ("## Cases", _cases([row for row in free if not _is_query(row)])),
        ("## Queries", _queries([row for row in free if _is_query(row)])),
        (f"## Growth, propsync with PROPSYNC_MEMORY_LIMIT={FIXED_LIMIT}", _growth(measured)),
        ("## Truth", _truth(measured)),
        ("## Where and with what", _origins(rows, measured.truth)),
        (f"## To reach, at {scale:,} assets", _verdict(measured, scale, memory_limit)),
    )
    return _HEAD + "".join(f"\n{title}\n\n" + "".join(f"{line}\n" for line in shown) for title, shown in parts)


def lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table; columns whose header ends in a blank are of numbers."""
    rule = ["--:" if name.endswith(" ") else "---" for name in header]
    return [f"| {' | '.join(one)} |" for one in ([name.strip() for name in header], rule, *rows)]


def _verdict(measured: Measured, scale: int, memory_limit: str) -> list[str]:
    found = (one.cells() for one in verdicts(measured, scale, memory_limit))
    return lines(("propsync", "data", "must ", "aim ", "measured ", ""), found)


def _cases(rows: list[Row]) -> list[str]:
    header = ("data", "assets", "memory", "case", "who", "CPU s ", "ratio ", "wall s ", "peak MB ", "runs ", "measured")
    return lines(header, (_case(row, rows) for row in rows))


def _case(row: Row, rows: list[Row]) -> tuple[str, ...]:
    shown = (f"{row.cpu_seconds:.2f}", _ratio(row, rows), f"{row.wall_seconds:.1f}", f"{row.peak_bytes / 1e6:,.0f}")
    where = (row.kind, f"{row.scale:,}", row.memory_limit, row.case, row.contestant)
    return (*where, *shown, str(row.repeats), row.on)


def _ratio(row: Row, rows: list[Row]) -> str:
    ours = [one for one in rows if one.key == (row.case, cases.PROPSYNC, *row.key[2:])]
    is_comparable = ours and row.contestant != cases.PROPSYNC and row.cpu_seconds
    # dlt's first load of a history only serves the nights after it
    is_compared = is_comparable and (row.case, row.contestant) != (cases.FIRST, cases.SCD2)
    return f"{ours[0].cpu_seconds / row.cpu_seconds:.2f}" if is_compared else ""


def _queries(rows: list[Row]) -> list[str]:
    pairs: dict[tuple[str, int, str, str], dict[str, Row]] = {}
    for row in rows:
        pairs.setdefault((row.kind, row.scale, row.memory_limit, row.case), {})[row.contestant] = row
    header = ("data", "assets", "query", "ms ", "floor ms ", "ratio ", "measured")
    return lines(header, _latencies(pairs.values()))


def _latencies(pairs: Iterable[dict[str, Row]]) -> Iterator[tuple[str, ...]]:
    for pair in pairs:
        ours, floor = pair[cases.PROPSYNC], pair[cases.FLOOR]
        ratio = f"{ours.wall_seconds / floor.wall_seconds:.2f}"
        taken = (f"{1000 * ours.wall_seconds:.1f}", f"{1000 * floor.wall_seconds:.1f}", ratio)
        yield (ours.kind, f"{ours.scale:,}", ours.case.removeprefix(cases.QUERY), *taken, ours.on)


def _growth(measured: Measured) -> list[str]:
    header = ("data", "assets", "case", "CPU s ", "CPU µs a record ", "wall s ", "peak MB ", "runs ", "measured")
    return lines(header, (_grown(measured, row) for row in sorted(grown(measured), key=_order)))


def _grown(measured: Measured, row: Row) -> tuple[str, ...]:
    each = cpu_a_record(measured, row)
    shown = (f"{row.cpu_seconds:.2f}", f"{1e6 * each:,.0f}" if each else "", f"{row.wall_seconds:.1f}")
    return (row.kind, f"{row.scale:,}", row.case, *shown, f"{row.peak_bytes / 1e6:,.0f}", str(row.repeats), row.on)


def _truth(measured: Measured) -> list[str]:
    shown = sorted(measured.truth, key=lambda read: (read.night, _CONTESTANTS.index(read.contestant)))
    header = ("night", "who", "lost ", "doubled ", "deleted, yet there ", "measured")
    return [ABOUT.strip(), "", *lines(header, map(_read, shown))]


def _read(read: Read) -> tuple[str, ...]:
    return (str(read.night), read.contestant, str(read.lost), str(read.doubled), str(read.remained), read.on)


def _origins(rows: list[Row], truth: list[Read]) -> list[str]:
    """The place and the versions, for each day and machine of the rows."""
    of_rows = (f"{row.on}: {row.machine}; {row.versions}" for row in rows)
    return [f"- {one}" for one in dict.fromkeys((*of_rows, *(f"{read.on}: {read.versions}" for read in truth)))]


def _is_query(row: Row) -> bool:
    return row.case.startswith(cases.QUERY)


def _order(row: Row) -> tuple[object, ...]:
    place = next((place for place, case in enumerate(_CASES) if row.case.startswith(case)), len(_CASES))
    return (row.kind, row.scale, row.memory_limit, place, row.case, _CONTESTANTS.index(row.contestant))
