"""The floor's 1 % night: the records that changed become tables, which replace their rows in the kept warehouse."""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

import duckdb
import msgspec

from benchmarks.floor_load import database, fill, tables_of, write_lines, write_parquet

_KEYS = {"assets": "asset_id", "assessments": "assessment_id", "schedules": "(property_id, assessment_type_id)"}
_RESOURCES = {"assessments_for": "assessments", "assessments_by": "assessments"}
"""Lists that are no resource by themselves."""
Key = str | tuple[str, str]
Table = tuple[str, str]


def renew(
    folder: Path,
    types: bytes,
    fresh: Mapping[str, list[msgspec.Raw]],
    gone: Mapping[str, AbstractSet[Key]],
    memory_limit: str,
) -> None:
    """Replaces the rows of `fresh` and `gone`, by list, and writes the Parquet of each table with other rows.

    Asset types stand still, and so do the lists that show an assessment, as in the estate.
    """
    defined = json.loads(types)["type"]
    assert defined == json.loads((folder / "types.json").read_bytes()), "the types moved: load everything"
    for name, records in fresh.items():
        write_lines(folder / f"{name}.ndjson", [records] if records else [])
    with database(folder, memory_limit) as connection:
        connection.execute("attach ':memory:' as changed")
        connection.execute("use changed")
        fill(connection, folder, defined)
        made = tables_of(connection, "changed")
        connection.execute("use warehouse")
        _stage_gone(connection, gone)
        renewed = [table for table in made if _renewed(connection, table)]
        connection.execute("checkpoint warehouse")
        write_parquet(connection, folder, renewed)


def _stage_gone(connection: duckdb.DuckDBPyConnection, gone: Mapping[str, AbstractSet[Key]]) -> None:
    """The keys whose rows a night takes away: of records that are gone, or come in another version."""
    connection.execute("create temp table gone (resource varchar, first varchar, second varchar)")
    for name, keys in gone.items():
        parts = [(key, None) if isinstance(key, str) else key for key in keys]
        columns = [list(column) for column in zip(*parts, strict=True)] or [[], []]
        resource = _RESOURCES.get(name, name)
        connection.execute(
            "insert into gone select ?, unnest(?::varchar[]), unnest(?::varchar[])", [resource, *columns]
        )


def _renewed(connection: duckdb.DuckDBPyConnection, table: Table) -> bool:
    """Whether a table has other rows now."""
    name = ".".join(table)
    if table == ("main", "asset_types"):
        return False
    resource = _resource(table)
    key = _KEYS[resource]
    asked = "(first, second)" if key.startswith("(") else "first"
    deleted = _count(
        connection, f"delete from {name} where {key} in (select {asked} from gone where resource = '{resource}')"
    )
    return bool(deleted + _count(connection, f"insert into {name} by name from changed.{name}"))


def _resource(table: Table) -> str:
    schema, name = table
    if schema == "by_type" or name.startswith("asset_"):
        return "assets"
    return "assessments" if name.startswith("assessment_") else name


def _count(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    counted = connection.execute(sql).fetchone()
    assert counted is not None
    return int(counted[0])
