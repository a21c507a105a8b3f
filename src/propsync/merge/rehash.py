"""Compares the versions of a history anew, where records are compared otherwise than when the versions were made."""

from __future__ import annotations

from propsync.merge.merger import canonical_form
from propsync.records import HASH_VERSION, canonical_hash
from propsync.resources import Resource
from propsync.shapes import Shape
from propsync.warehouse import TABLES, Warehouse, quoted

_FACTS = "coalesce(status, ''), coalesce(performed_for, false), coalesce(performed_by, false)"


def rehash(warehouse: Warehouse, resource: Resource, shape: Shape) -> int:
    """Gives each version the hash that `shape` makes of it; one that is the same then as the one before vanishes.

    Returns how many vanished.
    """
    _stage_hashes(warehouse, resource, shape)
    target = f"history.{quoted(resource.name)}"
    key = ", ".join(map(quoted, resource.key_columns))
    facts = _FACTS if resource.performed else "'', false, false"
    # what was hidden has no hash of a payload: it stays another version than those around it
    hashed = f"if(payload_hash = '', record_hash, '{HASH_VERSION}:' || md5(concat_ws('|', canonical_hash, {facts})))"
    columns = ", ".join(quoted(name) for name in TABLES[f"history.{resource.name}"].columns if name != "valid_to")
    before = f"over (partition by {key} order by valid_from)"
    warehouse.execute(
        f"create or replace table staging.kept as "
        f"with hashed as (select * replace ({hashed} as record_hash) from {target} "
        f"join staging.rehashed using ({key}, valid_from)), "
        f"compared as (select *, change = 'update' and lag(change) {before} <> 'delete' "
        f"and lag(record_hash) {before} = record_hash as is_same from hashed) "
        f"select {columns}, lead(valid_from) {before} as valid_to from compared where is_same is not true"
    )
    with warehouse.transaction():
        removed = warehouse.value(f"select count(*) from {target}")
        warehouse.execute(f"delete from {target}")
        warehouse.execute(f"insert into {target} by name from staging.kept")
        return int(removed - warehouse.value(f"select count(*) from {target}"))


def _stage_hashes(warehouse: Warehouse, resource: Resource, shape: Shape) -> None:
    form = canonical_form(resource, shape)
    columns = [*resource.key_columns, "valid_from"]
    named = ", ".join(map(quoted, columns))
    kinds = ", ".join(f"{quoted(name)} varchar" for name in resource.key_columns)
    warehouse.execute(
        f"create or replace table staging.rehashed ({kinds}, valid_from timestamptz, canonical_hash varchar)"
    )
    query = f"select {named}, payload::varchar from history.{quoted(resource.name)}"
    for lot in warehouse.batches(query):
        hashes = [canonical_hash(row[-1].encode(), form) for row in lot]
        given = {name: [row[place] for row in lot] for place, name in enumerate(columns)}
        warehouse.append("staging.rehashed", given | {"canonical_hash": hashes})
