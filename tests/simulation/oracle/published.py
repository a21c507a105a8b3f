"""What was published, read once for all checks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from propsync_sandbox import RESOURCES, Key
from propsync_sandbox.world import PROPERTIES

RUN_ID = "%Y%m%dT%H%M%S%fZ"
KEYS = {
    "assets": ("asset_id",),
    "assessments": ("assessment_id",),
    "schedules": ("property_id", "assessment_type_id"),
    "asset_types": ("asset_type_id",),
    "assessment_types": ("assessment_type_id",),
    PROPERTIES: ("property_id",),
}


@dataclass(frozen=True)
class Version:
    """One row of history; `facts` are status, performed_for, performed_by where there are any."""

    key: Key
    valid_from: datetime
    valid_to: datetime | None
    change: str
    run_id: str
    payload: str  # none of an erased version
    facts: tuple[Any, ...] = ()

    @property
    def performed(self) -> frozenset[str]:
        """The lists that showed an assessment."""
        return frozenset(side for side, is_so in zip(("For", "By"), self.facts[1:], strict=True) if is_so)


class Published:
    """One published file, open."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        named = "from duckdb_tables() where schema_name = 'history'"
        self._histories = {name for (name,) in self.rows(f"select table_name {named}")}

    @property
    def resources(self) -> tuple[str, ...]:
        """The resources that have tables: the further list too, once propsync.toml has named it."""
        return (*RESOURCES, PROPERTIES) if PROPERTIES in self._histories else RESOURCES

    @property
    def with_types(self) -> tuple[str, ...]:
        """The same, and their types."""
        return tuple(name for name in KEYS if name in self._histories)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self._connection.execute(query).fetchall()

    def dicts(self, query: str) -> list[dict[str, Any]]:
        """The same, each row by the names of its columns."""
        found = self._connection.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def current(self, resource: str, columns: str) -> list[tuple[Key, tuple[Any, ...]]]:
        """Rows of a current table: key, and the columns asked for."""
        keys = KEYS[resource]
        found = self.rows(f"select {', '.join(keys)}, {columns} from main.{resource}")
        return [(_key(row[: len(keys)]), row[len(keys) :]) for row in found]

    def history(self, resource: str) -> dict[Key, list[Version]]:
        """Versions by key, oldest first."""
        keys = KEYS[resource]
        facts = ", status, performed_for, performed_by" if resource == "assessments" else ""
        found = self.rows(
            f"select {', '.join(keys)}, valid_from, valid_to, change, run_id, payload{facts} "
            f"from history.{resource} order by valid_from"
        )
        versions: dict[Key, list[Version]] = {}
        for row in found:
            key, rest = _key(row[: len(keys)]), row[len(keys) :]
            valid_from, valid_to, change, run_id, payload = rest[:5]
            version = Version(key, valid_from, valid_to, change, run_id, payload, facts=rest[5:])
            versions.setdefault(key, []).append(version)
        return versions

    def read_all(self) -> int:
        """Reads every row there is, Parquet files too, and counts them; a torn file fails here."""
        for path in self._folder.rglob("*.parquet"):
            self.rows(f"from read_parquet('{path}')")
        tables = self.rows("select schema_name, table_name from duckdb_tables() where not internal")
        return sum(len(self.rows(f'from "{schema}"."{table}"')) for schema, table in tables)

    def stale_files(self) -> list[str]:
        """The Parquet files, flat ones too, that do not have the rows of their table; columns of other types aside."""
        return [str(path) for path in self._folder.glob("*/*/*.parquet") if self._is_stale(path)]

    def _is_stale(self, path: Path) -> bool:
        file, table = f"read_parquet('{path}')", f'"{path.parent.name}"."{path.stem}"'
        there, here = ({row[:2] for row in self.rows(f"describe from {one}")} for one in (file, table))
        columns = ", ".join(f'"{name}"' for name, _ in there & here)
        asked = [f"select {columns} from {one}" for one in (file, table)]
        return any(self.rows(f"{one} except all {other} limit 1") for one, other in (asked, asked[::-1]))


@contextmanager
def published(home: Path) -> Iterator[Published]:
    """The published file of a home. Raises duckdb.Error for one that is not whole."""
    folder = home / "published"
    connection = duckdb.connect(folder / "warehouse.duckdb", read_only=True, config={"threads": 1})
    try:
        connection.execute("set timezone = 'UTC'")
        yield Published(connection, folder)
    finally:
        connection.close()


def _key(parts: tuple[Any, ...]) -> Key:
    return (parts[0], parts[1]) if len(parts) == 2 else str(parts[0])
