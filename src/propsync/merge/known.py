"""Known values from earlier runs that identify undocumented members."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from propsync.landing import Manifest, PageStore
from propsync.records import Cutter
from propsync.resources import SYNCED, Resource
from propsync.sweep import StagedKeys
from propsync.warehouse import Warehouse, key_parts, quoted

_NAMING_PROPERTIES = [one for one in SYNCED if any(role.name == "property" and role.documented for role in one.roles)]
"""Resources whose property is a documented member, so that its value is a property's id."""


def known_values(
    warehouse: Warehouse, statuses: Collection[str], types: Collection[str] = ()
) -> Mapping[str, Collection[str]]:
    """Property ids, assessment type ids and statuses, by the names that `resources.Role.known` uses.

    `types` are the assessment types that this run has read and not yet merged.
    """
    told = (
        f"select property_id from main.{quoted(one.name)} where property_id is not null" for one in _NAMING_PROPERTIES
    )
    properties = warehouse.rows(" union ".join(told))
    listed = warehouse.rows("select assessment_type_id from history.assessment_types where valid_to is null")
    return {
        "property_ids": {found for (found,) in properties},
        "assessment_type_ids": {*types, *(found for (found,) in listed)},
        "statuses": set(statuses),
    }


def known_fields(warehouse: Warehouse) -> set[str]:
    """The ids of all fields that asset types define or have defined."""
    return {field_id for (field_id,) in warehouse.rows("select distinct field_id from main.asset_type_fields")}


def listed_keys(pages: PageStore, manifest: Manifest, cutter: Cutter) -> set[str]:
    """The keys of a small snapshot, such as that of a list of types."""
    records = (record for landed in manifest.landed for record in cutter.cut(pages.get(landed.sha256)).records)
    return {key[0] for record in records if (key := cutter.key(record))}


def is_mostly_changed(warehouse: Warehouse, resource: Resource, listed: StagedKeys) -> bool:
    """Whether more than half of the known records were staged with other bytes."""
    first, second = key_parts(resource)
    query = (
        f"with known as (select {first} as key_1, {second} as key_2, payload_hash "
        f"from history.{quoted(resource.name)} where valid_to is null and change <> 'delete'), "
        f"changed as (select key_1, key_2 from {listed.table} as listed join known using (key_1, key_2) "
        "group by all having bool_and(listed.payload_hash <> known.payload_hash)) "
        "select 2 * (select count(*) from changed) > (select count(*) from known)"
    )
    return bool(warehouse.value(query))


def statuses_seen(warehouse: Warehouse, resource: str, configured: Collection[str]) -> tuple[str, ...]:
    """Statuses of assessments or schedules beyond those configured."""
    rows = warehouse.rows(f"select distinct status from main.{resource} where status is not null order by status")
    # a list may show "Approved" although the request says "approved": another spelling is no other status
    asked = {status.casefold() for status in configured}
    return tuple(status for (status,) in rows if status.casefold() not in asked)


def note_statuses(warehouse: Warehouse, run_id: str, resource: str, statuses: Collection[str]) -> None:
    """Notes in `ops.schema_changes`, once each, statuses of records that nobody configured."""
    for status in statuses:
        warehouse.execute(
            "insert into ops.schema_changes select $1, $2, 'status seen', $3, null, null where not exists "
            "(from ops.schema_changes where resource = $2 and name = $3 and change = 'status seen')",
            [run_id, resource, status],
        )
