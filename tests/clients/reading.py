"""Run by an old client, as a program: reads all of a published file, and prints what it found as JSON."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import duckdb

_RELATIONS = """
select schema_name, table_name, comment from duckdb_tables() where not internal
union all select schema_name, view_name, comment from duckdb_views() where not internal
order by all
"""
_MACROS = """
select distinct function_name, len(parameters), comment from duckdb_functions()
where function_type = 'table_macro' and not internal order by all
"""
_COMMENTS = "select schema_name, table_name, column_name, comment from duckdb_columns() where not internal order by all"
_BEFORE = "select (max(valid_from) - interval 1 millisecond)::varchar from history.assets"


class Reading:
    """One reading of a file: everything in it as digests that are the same in every client."""

    def __init__(self, path: str) -> None:
        self._connection = duckdb.connect(path, read_only=True, config={"threads": 2})
        self._connection.execute("set timezone = 'UTC'")
        self._connection.execute("set enable_progress_bar = false")

    def everything(self) -> dict[str, Any]:
        """Each column of each table and view, each macro, each comment."""
        relations, macros = self._rows(_RELATIONS), self._rows(_MACROS)
        before = self._rows(_BEFORE)[0][0]
        moments = [f"timestamptz '{before}'", "timestamptz '2999-01-01 00:00:00+00'"]
        return {
            "version": duckdb.__version__,
            "tables": {f"{schema}.{name}": self._columns(f'"{schema}"."{name}"') for schema, name, _ in relations},
            "macros": {name: self._columns(f"{name}({', '.join(moments[-count:])})") for name, count, _ in macros},
            "changes": self._changes(", ".join(moments)),
            "refused": self._refusal(", ".join(reversed(moments))),
            "comments": _digest([*relations, *macros, *self._rows(_COMMENTS)]),
            "uncommented": [row for row in [*relations, *macros, *self._rows(_COMMENTS)] if not row[-1]],
        }

    def _columns(self, source: str) -> dict[str, list[Any]]:
        # hours_since counts up to now
        names = [name for name, *_ in self._rows(f"describe from {source}") if name != "hours_since"]
        sums = ", ".join(f"sum(md5_number_lower({_quoted(name)}::varchar))::varchar" for name in names)
        counts = ", ".join(f"count({_quoted(name)})" for name in names)
        (found,) = self._rows(f"select {sums}, {counts} from {source}")
        return {name: [found[at], found[at + len(names)]] for at, name in enumerate(names)}

    def _changes(self, moments: str) -> list[Any]:
        found = self._rows(
            f"select change, field, changed_at::varchar, * exclude (changed_at) from changes_between({moments})"
        )
        kinds = sorted({change for change, *_ in found})
        return [len(found), kinds, len({field for _, field, *_ in found}), _digest(sorted(found, key=str))]

    def _refusal(self, moments: str) -> str:
        try:
            self._rows(f"from changes_between({moments})")
        except duckdb.Error as error:
            return str(error).splitlines()[0]
        return "not refused"

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql).fetchall()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _digest(rows: list[Any]) -> str:
    return hashlib.sha256(repr(rows).encode()).hexdigest()


if __name__ == "__main__":
    print(json.dumps(Reading(sys.argv[1]).everything()))
