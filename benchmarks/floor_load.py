"""The floor's load: the records as received become tables, wide tables and Parquet in one go."""

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import msgspec

_SQL = Path(__file__).with_suffix(".sql")


def write_lines(path: Path, pages: Iterable[list[msgspec.Raw]]) -> None:
    """A record a line, as received."""
    with path.open("wb") as lines:
        for records in pages:
            lines.write(b"\n".join([*records, b""]))


def build(folder: Path, types: bytes, memory_limit: str) -> None:
    """Everything from lines and types to Parquet."""
    defined = json.loads(types)["type"]
    (folder / "types.json").write_text(json.dumps(defined), encoding="utf-8")
    (folder / "warehouse.duckdb").unlink(missing_ok=True)
    with database(folder, memory_limit) as connection:
        fill(connection, folder, defined)
        connection.execute("checkpoint warehouse")
        write_parquet(connection, folder, tables_of(connection, "warehouse"))


def fill(connection: duckdb.DuckDBPyConnection, folder: Path, types: list[dict[str, Any]]) -> None:
    """Makes all tables of the records in the folder's lines, in the database that is in use."""
    connection.execute(_SQL.read_text(encoding="utf-8").replace("{folder}", str(folder)))
    write_wide_tables(connection, types)


def tables_of(connection: duckdb.DuckDBPyConnection, database: str) -> list[tuple[str, str]]:
    """Schema and name of each table of a database."""
    query = "select schema_name, table_name from duckdb_tables() where database_name = ? and not temporary order by all"
    return connection.execute(query, [database]).fetchall()


def database(folder: Path, memory_limit: str) -> duckdb.DuckDBPyConnection:
    """The warehouse file, with propsync's settings."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory_limit,
        "temp_directory": str(folder),
        "preserve_insertion_order": False,
    }
    connection = duckdb.connect(config=config)
    connection.execute(f"attach '{folder}/warehouse.duckdb' as warehouse (storage_version 'v1.2.0')")
    connection.execute("use warehouse")
    return connection


_COLUMNS = {
    "text": "{value}",
    "qr": "{value}",
    "number": "try_cast({value} as double)",
    "date": "try_cast({value} as date)",
    "time": "try_cast({value} || ':00' as time)",
    "option": "array_to_string(list_transform(string_split({value}[3:-3], '\",\"'), "
    "lambda option: getvariable('labels')[option]), '; ')",
}


def write_wide_tables(connection: duckdb.DuckDBPyConnection, types: list[dict[str, Any]]) -> None:
    """A table a type, a column a field: it takes each value by its position in the list of its asset's results."""
    connection.execute("create schema by_type")
    for one in types:
        columns: dict[str, str] = {}
        for place, field in enumerate(one["fields"]):
            value = f"held[list_position(places, '{field['id']}')]"
            name = snake_case(field["label"])
            name = f"{name}_{place}" if name in columns or not name else name
            columns[name] = _COLUMNS.get(field["type"], "{value}::json").format(value=value)
        wanted = "".join(f', {value} as "{name}"' for name, value in columns.items())
        connection.execute(
            f"create table by_type.{snake_case(one['name'])} as select asset_id, property_id{wanted} from ("
            "select asset_id, property_id, list_transform(fields, lambda result: result.field) as places, "
            "list_transform(fields, lambda result: result.value) as held "
            f"from results where asset_type_id = '{one['id']}')"
        )


def snake_case(label: str) -> str:
    """A label as a name."""
    return re.sub(r"\W+", "_", label.lower()).strip("_")


def write_parquet(connection: duckdb.DuckDBPyConnection, folder: Path, tables: Iterable[tuple[str, str]]) -> None:
    """Two files a table, as propsync promises them: every column, and the columns that every program reads."""
    for schema, table in tables:
        whole, flat = (folder / form / schema / f"{table}.parquet" for form in ("parquet", "flat"))
        for target in (whole, flat):
            target.parent.mkdir(parents=True, exist_ok=True)
        described = connection.execute(f"describe {schema}.{table}").fetchall()
        forms = {name: form for name, kind, *_ in described if (form := _flat(name, kind))}
        chosen = ", ".join(f'{form} as "{name}"' for name, form in forms.items())
        connection.execute(f"copy (select {chosen} from {schema}.{table}) to '{flat}' (format parquet)")
        if [*forms.values()] == [f'"{name}"' for name, *_ in described]:
            shutil.copy(flat, whole)
        else:
            connection.execute(
                f"copy {schema}.{table} to '{whole}' (format parquet, compression zstd, compression_level 1)"
            )


def _flat(name: str, kind: str) -> str | None:
    """The expression that makes a column plain: no list, no zone, no time of day. JSON has none."""
    if kind.startswith(("JSON", "STRUCT")):
        return None
    if kind.endswith("[]"):
        return f"array_to_string(\"{name}\", '; ')"
    if kind == "TIMESTAMP WITH TIME ZONE":
        return f"timezone('UTC', \"{name}\")"
    return f'left("{name}"::varchar, 8)' if kind == "TIME" else f'"{name}"'
