"""Asks Spark and DuckDB the same about one home, and compares."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
from spark import cluster

from propsync.publish import read_note
from propsync.publish.table_files import BY_CLOCK

SCHEMAS = ("main", "by_type", "marts", "history")
QUESTIONS = (1, 3, 5, 7, 9)
"""Those of docs/questions.md that both dialects understand as they are written."""
_AS_TEXT = {
    "TIMESTAMP WITH TIME ZONE": "epoch_us({})::varchar",
    "DOUBLE": "printf('%.9e', {})",
    "TIME": "strftime(date '2000-01-01' + {}, '%H:%M:%S')",
}


def questions() -> list[str]:
    """The SQL of the questions, as readers copy it."""
    text = (Path(__file__).parents[2] / "docs" / "questions.md").read_text(encoding="utf-8")
    parts = {int(part.split(".")[0]): part for part in text.split("\n### ")[1:]}
    return [parts[number].split("```sql\n")[1].split("```")[0].strip().rstrip(";") for number in QUESTIONS]


class ByDuckdb:
    """The answers of DuckDB from the published warehouse file."""

    def __init__(self, published: Path) -> None:
        self._connection = duckdb.connect(published / "warehouse.duckdb", read_only=True)
        self._connection.execute("set timezone = 'UTC'")

    def sum(self, relation: str, columns: Sequence[str] | None = None) -> list[int]:
        """As `reading._sum`."""
        described = self._described(relation)
        kinds = {name: kind for name, kind in described.items() if columns is None or name in columns}
        texts = ", ".join(f"coalesce({_text(name, kind)}, '-')" for name, kind in sorted(kinds.items()))
        number = f"('0x' || substr(md5(concat_ws('|', {texts})), 1, 8))::bigint"
        rows = self._connection.execute(f"select count(*), coalesce(sum({number}), 0) from {relation}").fetchall()
        return [int(rows[0][0]), int(rows[0][1])]

    def count(self, relation: str) -> list[int]:
        """As `reading._count`."""
        names = sorted(self._described(relation))
        counts = ", ".join(f'count("{name}")' for name in names)
        (row,) = self._connection.execute(f"select count(*), {counts} from {relation}").fetchall()
        return list(row)

    def _described(self, relation: str) -> dict[str, str]:
        """Columns and their types, but for those that files leave out, because the clock changes them."""
        described = self._connection.execute(f"describe from {relation}").fetchall()
        return {name: kind for name, kind, *_ in described if name not in BY_CLOCK.get(relation, ())}

    def answer(self, sql: str) -> list[list[Any]]:
        rows = self._connection.execute(sql).fetchall()
        return [
            [one if one is None or isinstance(one, bool | int | float) else str(one) for one in row] for row in rows
        ]


def _text(name: str, kind: str) -> str:
    pattern = "to_json({})::varchar" if kind.endswith("[]") else _AS_TEXT.get(kind, "{}::varchar")
    return pattern.format(f'"{name}"')


def by_spark(
    published: Path,
    folder: Path,
    *,
    moments: Sequence[tuple[str, datetime, list[str]]] = (),
    base: str = "",
    settings: Mapping[str, str] | None = None,
    counts: bool = False,
) -> dict[str, Any]:
    """The finds of a master and two workers; `base` is the address of the tables if they are elsewhere.

    With `counts` it counts rows and values, which is quicker than a sum over them.
    """
    with cluster.running(folder) as master:
        asked = {
            "master": master,
            "base": base or str(published / "delta"),
            "tables": sorted(read_note(published)["delta"]),
            "questions": questions(),
            "moments": [
                (table, at.astimezone(UTC).isoformat(sep=" ", timespec="milliseconds"), columns)
                for table, at, columns in moments
            ],
            "counts": counts,
            "settings": {"spark.sql.warehouse.dir": str(folder / "warehouse"), **(settings or {})},
        }
        program = [sys.executable, str(Path(__file__).with_name("reading.py"))]
        done = subprocess.run(
            program,
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            env=cluster.environ(),
            cwd=folder,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-4000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def main() -> None:
    """Prints what differs, and the times of both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("published", type=Path, help="the folder published/ of a home")
    parser.add_argument(
        "--base", default="", help="the address of the Delta tables, such as s3a://bucket/published/delta"
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    parser.add_argument("--counts", action="store_true", help="count rows and values, and do not sum them up")
    given = parser.parse_args()
    settings = dict(one.split("=", 1) for one in given.set)
    with tempfile.TemporaryDirectory() as folder:
        told = by_spark(given.published, Path(folder), base=given.base, settings=settings, counts=given.counts)
    data = ByDuckdb(given.published)
    look = data.count if given.counts else data.sum
    wrong = [table for table, (found, _) in told["tables"].items() if found != look(table.replace("/", "."))]
    print(f"{len(told['tables'])} tables, {len(wrong)} differ {wrong}; {told['executors']} workers")
    print(f"all rows of all tables: Spark {sum(seconds for _, seconds in told['tables'].values()):.1f} s")
    for number, sql, (found, seconds) in zip(QUESTIONS, questions(), told["answers"], strict=True):
        began = time.monotonic()
        answer = data.answer(sql)
        own = time.monotonic() - began
        same = "the same" if in_any_order(found) == in_any_order(answer) else "ANOTHER ANSWER"
        print(f"question {number}: {len(found)} rows, {same}; Spark {seconds:.2f} s, DuckDB {own:.2f} s")


def in_any_order(rows: list[list[Any]]) -> list[str]:
    """Rows as texts, numbers by value."""
    return sorted(repr([float(one) if isinstance(one, int | float) else one for one in row]) for row in rows)


if __name__ == "__main__":
    main()
