"""The latest versions in history, of all records or of those to build again."""

from __future__ import annotations

from collections.abc import Sequence

from propsync.records import SUSPECT, readable
from propsync.resources import Resource
from propsync.warehouse import Warehouse, documents, quoted, texts

DIRTY_PAYLOADS = "select payload from staging.dirty_versions"
"""A query for the payloads that `stage_dirty_versions` staged."""

_FEW = 20  # times as many records as are read once and kept


def latest_payloads(resource: Resource) -> str:
    """A query for the payloads of all records that are not gone."""
    return f"select payload from history.{resource.name} where valid_to is null and change <> 'delete'"


def stage_dirty_versions(warehouse: Warehouse, resource: Resource, dirty: int) -> None:
    """Makes `staging.dirty_versions`: of the `dirty` records in `staging.dirty_records`, those that are not gone.

    If they are few, it reads them once and keeps them: each further read of their payloads would unpack all payloads
    beside them. If they are many, models read them in place.
    """
    keys = ", ".join(map(quoted, resource.key_columns))
    history = f"{quoted(warehouse.catalog)}.history.{quoted(resource.name)}"
    query = (
        f"from {history} semi join staging.dirty_records using ({keys}) where valid_to is null and change <> 'delete'"
    )
    if dirty * _FEW < warehouse.value(f"select count(*) from {history}"):
        warehouse.execute(f"create or replace table staging.few_versions as {query}")
        query = "from staging.few_versions"
    warehouse.execute(f"create or replace view staging.dirty_versions as {query}")


def stage_readable_versions(warehouse: Warehouse, resource: Resource) -> None:
    """Makes `staging.readable_versions`: the dirty versions with `readable`, from which SQL reads exact numbers."""
    _stage_readable(warehouse, "readable_versions", "staging.dirty_versions", resource.key_columns)


def stage_readable_types(warehouse: Warehouse, types: Resource) -> None:
    """Makes `staging.readable_types`: every version of a list of types, in the same way."""
    history = f"{quoted(warehouse.catalog)}.history.{quoted(types.name)}"
    _stage_readable(warehouse, "readable_types", history, (*types.key_columns, "valid_from"))


def _stage_readable(warehouse: Warehouse, view: str, source: str, key: Sequence[str]) -> None:
    """Copies only payloads that DuckDB would write differently (see `records.reading`)."""
    copies = f"staging.{view}_copies"
    parts = [f"key_{place}" for place, _ in enumerate(key)]
    warehouse.execute(f"create or replace table {copies} ({', '.join(f'{part} varchar' for part in parts)}, copy json)")
    told = ", ".join(f"{quoted(column)}::varchar" for column in key)
    query = f"select {told}, payload::varchar from {source} where regexp_matches(payload, ?)"
    for lot in warehouse.batches(query, [SUSPECT]):
        *keys, payloads = zip(*lot, strict=True)
        shown = {part: texts(list(values)) for part, values in zip(parts, keys, strict=True)}
        warehouse.append(copies, **shown, copy=documents([readable(payload).encode() for payload in payloads]))
    is_same = " and ".join(
        f"copies.{part} = versions.{quoted(column)}::varchar" for part, column in zip(parts, key, strict=True)
    )
    warehouse.execute(
        f"create or replace view staging.{view} as "
        "select versions.*, coalesce(copies.copy, versions.payload) as readable "
        f"from {source} as versions left join {copies} as copies on {is_same}"
    )
