"""The latest versions in history, of all records or of those that are to be built anew."""

from __future__ import annotations

from propsync.resources import Resource
from propsync.warehouse import Warehouse, quoted

DIRTY_PAYLOADS = "select payload from staging.dirty_versions"
"""A query for the payloads of what `stage_dirty_versions` staged."""

_FEW = 20  # times as many records as are read once and kept


def latest_payloads(resource: Resource) -> str:
    """A query for the payloads of all records that are not gone."""
    return f"select payload from history.{resource.name} where valid_to is null and change <> 'delete'"


def stage_dirty_versions(warehouse: Warehouse, resource: Resource, dirty: int) -> None:
    """Makes `staging.dirty_versions`: of the `dirty` records in `staging.dirty_<resource>`, those that are not gone.

    Few are read once and kept: each further look at their payloads would unpack all that stand beside them. Many
    are read where they are.
    """
    keys = ", ".join(map(quoted, resource.key_columns))
    history = f"{quoted(warehouse.catalog)}.history.{quoted(resource.name)}"
    query = (
        f"from {history} semi join staging.dirty_{resource.name} using ({keys}) "
        "where valid_to is null and change <> 'delete'"
    )
    if dirty * _FEW < warehouse.value(f"select count(*) from {history}"):
        warehouse.execute(f"create or replace table staging.few_versions as {query}")
        query = "from staging.few_versions"
    warehouse.execute(f"create or replace view staging.dirty_versions as {query}")
