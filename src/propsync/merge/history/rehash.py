"""Compares the versions of a history again, if the rules of comparison have changed since propsync made them."""

from __future__ import annotations

from propsync.merge.history.merger import canonical_form
from propsync.records import HASH_VERSION, bytes_hash, canonical_hash
from propsync.resources import Resource
from propsync.shapes import Shape
from propsync.warehouse import Models, Warehouse, quoted, resource_fragments, statement


def rehash(warehouse: Warehouse, resource: Resource, shape: Shape) -> int:
    """Gives each version today's hash; deletes one that is the same under `shape` as the one before.

    Returns how many it deleted.
    """
    _stage_hashes(warehouse, resource, shape)
    models = Models(warehouse, {"hash_version": str(HASH_VERSION)}).with_fragments(**resource_fragments(resource))
    models.stage("staging/kept_versions")
    table = quoted(resource.name)
    with warehouse.transaction():
        before = warehouse.value(statement("merge/history/count_versions", table=table))
        warehouse.execute(statement("merge/history/empty", table=table))
        warehouse.execute(statement("merge/history/put_kept", table=table))
        return int(before - warehouse.value(statement("merge/history/count_versions", table=table)))


def _stage_hashes(warehouse: Warehouse, resource: Resource, shape: Shape) -> None:
    form = canonical_form(resource, shape)
    columns = ", ".join(f"{quoted(name)} varchar" for name in resource.key_columns)
    warehouse.execute(statement("merge/history/make_rehashed", columns=columns))
    for lot in warehouse.batches(statement("merge/history/payloads", **resource_fragments(resource))):
        payloads = [row[-1].encode() for row in lot]
        hashes = ((canonical_hash(payload, form), bytes_hash(payload)) for payload in payloads)
        warehouse.add("staging.rehashed", [(*row[:-1], *of_row) for row, of_row in zip(lot, hashes, strict=True)])
