"""Compares the versions of a history again, if the rules of comparison have changed since propsync made them."""

from __future__ import annotations

from propsync.merge.history.merger import canonical_form
from propsync.records import HASH_VERSION, bytes_hash, canonical_hash
from propsync.resources import Resource
from propsync.shapes import Shape
from propsync.warehouse import TABLES, Warehouse, quoted

_FACTS = "coalesce(status, ''), coalesce(performed_for, false), coalesce(performed_by, false)"


def rehash(warehouse: Warehouse, resource: Resource, shape: Shape) -> int:
    """Gives each version today's hash; deletes one that is the same under `shape` as the one before.

    Returns how many it deleted.
    """
    _stage_hashes(warehouse, resource, shape)
    target = f"history.{quoted(resource.name)}"
    key = ", ".join(map(quoted, resource.key_columns))
    facts = _FACTS if resource.performed else "'', false, false"
    columns = ", ".join(quoted(name) for name in TABLES[f"history.{resource.name}"].columns if name != "valid_to")
    before = f"over (partition by {key} order by valid_from)"
    # a hidden record has no hash of a payload: its version remains distinct from its neighbours
    warehouse.execute(
        f"create or replace table staging.kept as "
        f"with read as (select *, payload_hash = '' as is_hidden from {target} "
        f"join staging.rehashed using ({key}, valid_from)), "
        f"hashed as (select * replace (if(is_hidden, '', bytes_hash) as payload_hash, "
        f"if(is_hidden, record_hash, '{HASH_VERSION}:' || md5(concat_ws('|', bytes_hash, {facts}))) as record_hash), "
        f"if(is_hidden, record_hash, concat_ws('|', canonical_hash, {facts})) as compared from read), "
        f"told as (select *, change = 'update' and lag(change) {before} <> 'delete' "
        f"and lag(compared) {before} = compared as is_same from hashed) "
        f"select {columns}, lead(valid_from) {before} as valid_to from told where is_same is not true"
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
        f"create or replace table staging.rehashed ({kinds}, valid_from timestamptz, "
        "canonical_hash varchar, bytes_hash varchar)"
    )
    query = f"select {named}, payload::varchar from history.{quoted(resource.name)}"
    for lot in warehouse.batches(query):
        payloads = [row[-1].encode() for row in lot]
        hashes = ((canonical_hash(payload, form), bytes_hash(payload)) for payload in payloads)
        warehouse.add("staging.rehashed", [(*row[:-1], *of_row) for row, of_row in zip(lot, hashes, strict=True)])
