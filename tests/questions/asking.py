"""Run by an old client, as a program: asks a published file the queries of standard input, and prints their rows."""

from __future__ import annotations

import json
import sys

import duckdb


def main(path: str, zone: str) -> None:
    """The client's version, then the rows of each query as sorted texts."""
    with duckdb.connect(path, read_only=True, config={"threads": 2}) as connection:
        connection.execute(f"set timezone = '{zone}'")
        rows = [sorted(map(str, _rows(connection, query))) for query in json.load(sys.stdin)]
    print(json.dumps([duckdb.__version__, *rows]))


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[object, ...]]:
    """Every column but one that counts until now."""
    asked = connection.execute(query)
    kept = [place for place, (name, *_) in enumerate(asked.description or []) if name != "hours_since"]
    return [tuple(row[place] for place in kept) for row in asked.fetchall()]


if __name__ == "__main__":
    main(*sys.argv[1:])
