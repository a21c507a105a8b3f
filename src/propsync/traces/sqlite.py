"""Every value of an SQLite file, since a long one may be in pieces all over it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

DAMAGE = sqlite3.Error


def columns_with(path: Path, is_in: Callable[[str | bytes], bool]) -> Iterator[str]:
    """The columns of tables that have a trace. Raises sqlite3.Error if the file cannot be read."""
    with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)) as connection:
        connection.text_factory = bytes
        listed = "select name from sqlite_master where type = 'table' and sql not like 'create virtual%'"
        for (name,) in connection.execute(listed).fetchall():
            table = name.decode("utf-8", "replace")
            yield from (f"table {table}, column {column}" for column in _columns(connection, table, is_in))


def _columns(connection: sqlite3.Connection, table: str, is_in: Callable[[str | bytes], bool]) -> list[str]:
    rows = connection.execute('select * from "{}"'.format(table.replace('"', '""')))
    names, found = [str(one[0]) for one in rows.description], set()
    for row in rows:
        found |= {
            name
            for name, value in zip(names, row, strict=True)
            if name not in found and isinstance(value, bytes) and is_in(value)
        }
    return sorted(found)
