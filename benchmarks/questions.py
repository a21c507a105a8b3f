"""`python -m benchmarks.questions WAREHOUSE`: the milliseconds that each question of docs/questions.md takes.

Serve a home from the sandbox for a fair answer: `propsync sandbox --scale 100000 --reference DIR`, with a sync after
each `POST /_sandbox/night`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks.queries import timed

MOST_MS = 100
_PAGE = Path(__file__).parents[1] / "docs" / "questions.md"
_ASKED = re.compile(r"^### (\d+\. .+?)\n\n```sql\n(.+?)```$", re.MULTILINE | re.DOTALL)
_THE_DAY, _THE_ASSET = "2026-03-31", "…"
_DAY_BEFORE = """
select greatest(max(as_of)::date - 1, (select min(started_at)::date from ops.runs))::varchar from marts.trust
"""
_CHANGED_LAST = "select arg_max(asset_id, changed_at) from main.assets"


def main(warehouse: str) -> int:
    """Prints wall and CPU of each question: the median of a few, after one that warms up; 1 if any took too long."""
    with duckdb.connect(warehouse, read_only=True) as connection:
        took = {words: timed(connection, sql) for words, sql in _asked(connection)}
    for words, (wall, cpu) in took.items():
        print(f"{1000 * wall:7.1f} ms, {1000 * cpu:6.1f} of CPU  {words}")
    slow = [words for words, (wall, _) in took.items() if 1000 * wall > MOST_MS]
    print(f"{len(took) - len(slow)} of {len(took)} under {MOST_MS} ms")
    return int(bool(slow))


def _asked(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """Each question with its SELECT, about yesterday, or the first day, and about the asset that changed last."""
    day, asset = (str(connection.sql(query).fetchall()[0][0]) for query in (_DAY_BEFORE, _CHANGED_LAST))
    for words, sql in _ASKED.findall(_PAGE.read_text(encoding="utf-8")):
        yield words, sql.replace(_THE_DAY, day).replace(_THE_ASSET, asset)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
