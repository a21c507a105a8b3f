"""Fills general SQL with one resource's names of tables and columns, from its description."""

from __future__ import annotations

from propsync.resources import Resource
from propsync.warehouse.declared_tables import quoted

PARTS = ("key_1", "key_2")
"""The columns of a key in staging: two for every resource."""


def resource_fragments(resource: Resource) -> dict[str, str]:
    """Pieces for the templates under `sql/`: names, the key and the list's facts beside the record."""
    keys = [quoted(column) for column in resource.key_columns]
    return {
        "name": resource.name,
        "table": quoted(resource.name),
        "history": f"history.{quoted(resource.name)}",
        "record_hash": "record_hash",
        "payload_hash": "payload_hash",
        "as_of": quoted(f"{resource.name}_as_of"),
        "typed": quoted(f"{resource.name}_typed"),
        "earlier": quoted(f"{resource.name}_earlier"),
        "words": resource.words,
        "key_columns": ", ".join(keys),
        "keys": ", ".join(f"{part} as {key}" for part, key in zip(PARTS, keys, strict=False)),
        "record_id": keys[0] if len(keys) == 1 else " || '/' || ".join(map(_escaped, keys)),
        "parts": ", ".join(f"{key} as {part}" for key, part in zip(key_parts(resource), PARTS, strict=True)),
        "known_facts": ", ".join(FACTS) if resource.performed else _NO_FACTS,
        "facts_as_json": ", ".join(f"{_as_json(fact, resource)} as {fact}" for fact in FACTS),
        "known_property": "property_id" if "property_id" in resource.key_columns else "null::varchar",
        "is_changed": " and ".join(f"{part} = {key}" for part, key in zip(PARTS, keys, strict=False)),
        "facts": "".join(f"\n  {fact}," for fact in FACTS if resource.performed),
    }


_NO_FACTS = "null::varchar as status, null::boolean as performed_for, null::boolean as performed_by"

FACTS = ("status", "performed_for", "performed_by")
"""A list's facts about an assessment, which history keeps beside its payload."""


def key_parts(resource: Resource) -> tuple[str, str]:
    """The columns of the key in SQL: two for every resource."""
    first, second = (*map(quoted, resource.key_columns), "''")[:2]
    return first, second


def _as_json(fact: str, resource: Resource) -> str:
    return f"to_json({fact})" if resource.performed else "null::json"


def _escaped(column: str) -> str:
    """Escapes a part of a key as `records.record_id` does."""
    return f"replace(replace({column}, '\\', '\\\\'), '/', '\\/')"
