"""What SQL for any resource says of one: names of its tables and columns, from its description."""

from __future__ import annotations

from propsync.resources import Resource
from propsync.warehouse.declared_tables import quoted

PARTS = ("key_1", "key_2")
"""The columns of a key in staging, two of them whatever the resource."""


def resource_fragments(resource: Resource) -> dict[str, str]:
    """Pieces for the templates under `sql/`: names, the key and what lists tell beside the record."""
    keys = [quoted(column) for column in resource.key_columns]
    return {
        "name": resource.name,
        "table": quoted(resource.name),
        "as_of": quoted(f"{resource.name}_as_of"),
        "words": resource.words,
        "key_columns": ", ".join(keys),
        "keys": ", ".join(f"{part} as {key}" for part, key in zip(PARTS, keys, strict=False)),
        "record_id": keys[0] if len(keys) == 1 else " || '/' || ".join(map(_escaped, keys)),
        "parts": ", ".join(f"{key} as {part}" for key, part in zip(key_parts(resource), PARTS, strict=True)),
        "known_facts": ", ".join(FACTS) if resource.performed else _NO_FACTS,
        "facts": "".join(f"\n  {fact}," for fact in FACTS if resource.performed),
    }


_NO_FACTS = "null::varchar as status, null::boolean as performed_for, null::boolean as performed_by"

FACTS = ("status", "performed_for", "performed_by")
"""What lists tell of an assessment, kept beside its payload in history."""


def key_parts(resource: Resource) -> tuple[str, str]:
    """The columns of the key in SQL, two of them whatever the resource."""
    first, second = (*map(quoted, resource.key_columns), "''")[:2]
    return first, second


def _escaped(column: str) -> str:
    """As `records.record_id` escapes a part of a key."""
    return f"replace(replace({column}, '\\', '\\\\'), '/', '\\/')"
