"""`propsync query`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import propsync
from propsync.cli.tables import echo, print_table
from propsync.errors import UsageError
from propsync.settings import Settings
from propsync.warehouse import Reader, text

_TABLES = """
select schema_name || '.' || table_name as "table", comment as "what it is for"
from duckdb_tables() where not internal and database_name = current_database()
union all
select schema_name || '.' || view_name, comment
from duckdb_views() where not internal and database_name = current_database()
order by all
"""
_COLUMNS = """
select column_name as "column", data_type as "type", comment as "meaning"
from duckdb_columns() where not internal and database_name = current_database()
and (schema_name || '.' || table_name = {name} or (schema_name = 'main' and table_name = {name}))
order by column_index
"""


def run_query(settings: Settings, sql: str | None, output_format: str, *, tables: bool, describe: str | None) -> None:
    """Prints the rows of a query, the tables, or a table's columns. Raises UsageError."""
    asked = [one for one in (sql, tables or None, describe) if one is not None]
    if len(asked) != 1:
        raise UsageError(
            "query", "give one of: an SQL text, --tables, --describe TABLE", "Try: propsync query --tables"
        )
    with propsync.open(settings.published / "warehouse.duckdb") as reader:
        wanted = _wanted(reader, sql, describe)
        with suppress(BrokenPipeError):  # whoever read it has gone, as with `| head`; typer would make a failure of it
            _print(reader, wanted, output_format)


def _wanted(reader: Reader, sql: str | None, describe: str | None) -> str:
    if describe is None:
        return sql if sql is not None else _TABLES
    wanted = _COLUMNS.format(name=text(describe))
    if not reader.rows(wanted)[1]:
        raise UsageError("--describe", f"there is no table {describe}", "Run `propsync query --tables`")
    return wanted


def _print(reader: Reader, sql: str, output_format: str) -> None:
    if output_format == "table":
        columns, rows = reader.rows(sql)
        print_table(columns, rows)
        echo(f"{len(rows)} row{'' if len(rows) == 1 else 's'}")
        return
    if output_format == "parquet" and sys.stdout.isatty():
        raise UsageError("--format parquet", "the rows would go to the terminal", "Add > rows.parquet")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "rows"
        reader.write(sql, output_format, target)
        with target.open("rb") as rows_file:
            shutil.copyfileobj(rows_file, sys.stdout.buffer)
    sys.stdout.buffer.flush()
