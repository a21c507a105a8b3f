"""Everything about each property, and how far to trust the last night."""

from __future__ import annotations

from collections import Counter

from questions.oracle.due import Rows, overdue
from questions.witness import Witness


def property_sheets(witness: Witness) -> Rows:
    """property_id, name, homes, assets, schedules, overdue, open flags, open actions, in the list, in the API"""
    view, counts = witness.now, {name: Counter[str]() for name in ("assets", "schedules", "flags", "actions")}
    for name in ("assets", "schedules"):
        counts[name].update(record.property for record in view.records[name].values())
    for key, one in view.assessments.items():
        counts["flags"][one["property"]] += sum(flag["status"] == "open" for flag in one["flags"])
        if key in witness.action_rows:
            latest = witness.action_rows[key][-1][1]
            counts["actions"][one["property"]] += sum(row["status"] != "closed" for row in latest)
    late = Counter(row[0] for row in overdue(witness))
    in_api = {record.property for records in view.records.values() for record in records.values()}
    listed = witness.lists.properties
    return [
        (
            *(key, witness.lists.name(key), int(listed[key]["homes"]) if key in listed else None),
            *(counts["assets"][key], counts["schedules"][key], late[key], counts["flags"][key], counts["actions"][key]),
            *(key in listed, key in in_api),
        )
        for key in in_api | listed.keys()
    ]


def trust(witness: Witness) -> Rows:
    """table, rows after the last sync; each was read completely"""
    found = [(name, len(records)) for name, records in witness.now.records.items()]
    flags = [flag for one in witness.now.assessments.values() for flag in one["flags"]]
    fields = [field for kind in witness.world.asset_types.truth() for field in kind["fields"]]
    return [
        *found,
        ("asset_types", len(witness.world.asset_types.truth())),
        ("asset_type_fields", len(fields)),
        ("asset_field_options", sum(len(field.get("options") or []) for field in fields)),
        ("asset_field_values", sum(len(asset["fields"]) for asset in witness.now.assets.values())),
        ("assessment_types", len(witness.world.assessment_types.truth())),
        ("assessment_flags", len(flags)),
        ("assessment_flag_history", sum(len(flag["history"]) for flag in flags)),
    ]
