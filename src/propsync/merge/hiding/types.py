"""Hidden types: which records are of them, and relations that know these records too."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from propsync.merge.hiding.lines import HiddenField, plain
from propsync.merge.hiding.second_file import RECORDS
from propsync.records import decode_shallow, first_text, follow, text_of
from propsync.resources import ASSESSMENT_TYPES, ASSET_TYPES, Resource
from propsync.settings import HiddenLine
from propsync.shapes import Shape
from propsync.warehouse import FACTS, PARTS, key_parts, quoted, resource_fragments, statement, text

TYPES = (ASSET_TYPES, ASSESSMENT_TYPES)
_STATUS, *_TOLD = FACTS
_NAMES = ("name",), ("nameSingular",)


def has_types(resource: Resource) -> bool:
    """Whether a type gives a record of the resource its form, or the record is a type."""
    return resource in TYPES or resource.column("type") is not None


def named_types(
    lines: Iterable[HiddenLine], resource: Resource, payloads: Iterable[bytes], shape: Shape, known: Collection[str]
) -> set[HiddenField]:
    """The types among these records that lines name by id or name, or that are `known`, with every name."""
    wanted = [(line.text, line.type) for line in lines if line.type is not None]
    found: set[HiddenField] = set()
    for payload in payloads if wanted else ():
        record = decode_shallow(payload)
        type_id = first_text(record, shape.paths("id"))
        paths = _NAMES if resource is ASSET_TYPES else shape.paths("name")
        names = [name for path in paths if (name := text_of(follow(record, path)))]
        plain_names = {plain(name) for name in names}
        for line, written in wanted if type_id else ():
            if type_id in known or written == type_id or plain(written) in plain_names:
                found |= {(line, str(type_id), name) for name in names or [""]}
    return found


def whole_with_records(resource: Resource, shown: str) -> str:
    """A relation with history as it came; `shown` is the relation without records of hidden types."""
    facts = FACTS if resource.performed else ()
    columns = ", ".join(
        (
            *_keys(resource),
            *facts,
            *(
                "record_hash",
                "valid_from",
                "null::timestamptz as valid_to",
                "change",
                "run_id",
                "payload_hash",
                "payload",
            ),
        )
    )
    given = {"resource": text(resource.name), "key_columns": ", ".join(map(quoted, resource.key_columns))}
    return statement("merge/hidden/whole_with_records", records=RECORDS, shown=shown, columns=columns, **given)


def present(resource: Resource) -> str:
    """A relation with all present records, whether people see them or not: keys, roles, and what lists tell."""
    facts = _TOLD if resource.performed else ()
    names = [*map(quoted, resource.columns), *facts]
    return statement(
        "merge/hidden/present",
        hidden_now=records_now(resource, *facts),
        columns=", ".join(names),
        table=quoted(resource.name),
        key_columns=", ".join(map(quoted, resource.key_columns)),
    )


def records_now(resource: Resource, *more: str, with_gone: bool = False) -> str:
    """A relation with the present records of hidden types, by the columns of keys and roles, and `more`."""
    roles = [role for role in resource.roles if role.column and role.column not in resource.key_columns]
    of_role = {"property": "property_id", "type": "type_id", "status": "status"}
    columns = [f"{of_role.get(role.name, 'null')} as {quoted(str(role.column))}" for role in roles]
    first, second = key_parts(resource)
    second = second if second.startswith("'") else f"versions.{second}"
    return statement(
        "merge/hidden/records_now",
        columns=", ".join((*_keys(resource), *columns, *more)),
        resource=text(resource.name),
        records=RECORDS,
        # a type stays in its table when no list shows it any more
        is_present="true" if with_gone or resource in TYPES else "change <> 'delete'",
        table=resource_fragments(resource)["table"],
        is_same=f"records.key_1 = versions.{first} and records.key_2 = {second}",
    )


def _keys(resource: Resource) -> Sequence[str]:
    return [f"{part} as {quoted(column)}" for part, column in zip(PARTS, resource.key_columns, strict=False)]
