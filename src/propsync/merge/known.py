"""Known values from earlier runs that identify undocumented members."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from propsync.landing import Manifest, PageStore
from propsync.records import Cutter
from propsync.resources import ASSESSMENT_TYPES, ASSET_TYPES, Resource
from propsync.sweep import StagedKeys
from propsync.warehouse import Warehouse, quoted, statement


def known_values(
    warehouse: Warehouse, statuses: Collection[str], types: Resource | None = None, listed: Collection[str] = ()
) -> Mapping[str, Collection[str]]:
    """Property ids, type ids and statuses, by the names that `resources.Role.known` uses.

    `listed` are ids of `types` that this run has read and not yet merged.
    """

    def known(kinds: Resource) -> set[str]:
        return _keys(warehouse, kinds).union(listed if kinds == types else ())

    naming = filter(_names_properties, warehouse.catalogue)
    queries = (statement("merge/property_ids", present=warehouse.present(one.name)) for one in naming)
    properties = warehouse.rows(" union ".join(queries))
    return {
        "property_ids": {found for (found,) in properties},
        "asset_type_ids": known(ASSET_TYPES),
        "assessment_type_ids": known(ASSESSMENT_TYPES),
        "statuses": set(statuses),
    }


def _keys(warehouse: Warehouse, resource: Resource) -> set[str]:
    """All keys that a resource of types has or had."""
    (column,) = resource.key_columns
    query = statement("merge/type_ids", key=quoted(column), history=warehouse.history(resource.name))
    return {found for (found,) in warehouse.rows(query)}


def _names_properties(resource: Resource) -> bool:
    """Whether its property is a documented member, so that its value is a property's id."""
    return any(role.name == "property" and role.documented for role in resource.roles)


def known_fields(warehouse: Warehouse) -> set[str]:
    """The ids of all fields that asset types define or have defined."""
    return {field_id for (field_id,) in warehouse.rows(statement("merge/field_ids"))}


def listed_keys(pages: PageStore, manifest: Manifest, cutter: Cutter) -> set[str]:
    """The keys of a small snapshot, such as that of a list of types."""
    records = (record for landed in manifest.landed for record in cutter.cut(pages.get(landed.sha256)).records)
    return {key[0] for record in records if (key := cutter.key(record))}


def is_mostly_changed(warehouse: Warehouse, fragments: Mapping[str, str], listed: StagedKeys) -> bool:
    """Whether more than half of the known records of a resource, given by its fragments, were staged with other
    bytes.
    """
    query = statement("merge/is_mostly_changed", listed=listed.table, **fragments)
    return bool(warehouse.value(query))


def statuses_seen(warehouse: Warehouse, resource: str, configured: Collection[str]) -> tuple[str, ...]:
    """Statuses of assessments or schedules beyond those configured."""
    rows = warehouse.rows(statement("merge/statuses", present=warehouse.present(resource)))
    # a list may show "Approved" although the request says "approved": another spelling is no other status
    asked = {status.casefold() for status in configured}
    return tuple(status for (status,) in rows if status.casefold() not in asked)


def note_statuses(warehouse: Warehouse, run_id: str, resource: str, statuses: Collection[str]) -> None:
    """Notes in `ops.schema_changes`, once each, statuses of records that nobody configured."""
    for status in statuses:
        noted = {"run_id": run_id, "resource": resource, "change": "status seen", "name": status, "after": None}
        warehouse.execute(statement("merge/note_change_once"), noted)
