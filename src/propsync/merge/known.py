"""What is known from before and speaks for undocumented members."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from propsync.warehouse import Warehouse


def known_values(warehouse: Warehouse, statuses: Collection[str]) -> Mapping[str, Collection[str]]:
    """Property ids, assessment type ids and statuses, by the names that `resources.Role.known` uses."""
    properties = warehouse.rows(
        "select property_id from main.assets where property_id is not null "
        "union select property_id from main.schedules where property_id is not null"
    )
    types = warehouse.rows("select assessment_type_id from history.assessment_types where valid_to is null")
    return {
        "property_ids": {found for (found,) in properties},
        "assessment_type_ids": {found for (found,) in types},
        "statuses": set(statuses),
    }


def statuses_seen(warehouse: Warehouse, resource: str, configured: Collection[str]) -> tuple[str, ...]:
    """Statuses that records of assessments or schedules have had, beyond those configured."""
    rows = warehouse.rows(f"select distinct status from main.{resource} where status is not null order by status")
    return tuple(status for (status,) in rows if status not in configured and "," not in status)
