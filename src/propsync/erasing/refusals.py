"""Requests that would take along what propsync itself works by: ids, statuses, and the names of members."""

from __future__ import annotations

from collections.abc import Iterator

from propsync.erasing.request import Request
from propsync.errors import UsageError
from propsync.merge import ShapeStore
from propsync.resources import Resource
from propsync.suppression import Suppression
from propsync.warehouse import Warehouse, quoted, statement

_OWN = {"asset": ("assets", "asset_id"), "assessment": ("assessments", "assessment_id")}
_FIELDS = ("main.asset_type_fields", "field_id")
_FIELDS_OF_VALUES = ("main.asset_field_values", "field_id")
_KINDS = ("main.asset_type_fields", "kind"), ("main.asset_field_values", "kind")
_LITERALS = ("null", "true", "false")
_DOCUMENTED = (
    "id",
    "total",
    "type",
    "types",
    "fields",
    "field",
    "value",
    "label",
    "options",
    "flags",
    "history",
    *_LITERALS,
)
_AT_ONCE = 5_000


def refuse_needed(warehouse: Warehouse, request: Request, suppression: Suppression) -> None:
    """Raises UsageError for a text in ids, statuses or names of members, and for an id of anything else."""
    if request.kind == "text":
        _refuse_names(warehouse, suppression)
    for relation, column, what in _ids(warehouse):
        if request.kind == "text":
            _refuse_text(warehouse, suppression, relation, column, what)
        elif (what, column) != _own(request) and _is_among(warehouse, relation, column, request.words):
            why = f"{what.replace('_', ' ')} have it as {column}, so that they would change too"
            raise UsageError(f"--{request.kind.rpartition(' ')[2]}", why, "Check the id with `propsync query`")


def refuse_of_another_kind(warehouse: Warehouse, request: Request) -> None:
    """Raises UsageError for an id that the tables have, and that no record of its kind has: a user's, an option's."""
    wanted = (("asset", request.asset), ("assessment", request.assessment), ("field", request.field))
    for kind, words in wanted:
        if words and not any(_is_among(warehouse, *place, words) for place in _places(warehouse, kind)):
            why = f"no {kind} has this id, and the tables have it elsewhere"
            raise UsageError(f"--{kind}", why, "Check the id with `propsync query`")


def _places(warehouse: Warehouse, kind: str) -> Iterator[tuple[str, str]]:
    """Relations and columns with the ids of a kind."""
    if kind in _OWN:
        resource, column = _OWN[kind]
        yield warehouse.history(resource), column
    else:
        yield from (_FIELDS, _FIELDS_OF_VALUES)


def _own(request: Request) -> tuple[str, str]:
    """The resource and the column where its id belongs."""
    return _OWN.get(request.kind, ("asset_types", _FIELDS[1]))


def _ids(warehouse: Warehouse) -> Iterator[tuple[str, str, str]]:
    """Relations and columns with ids or statuses, and the resource that has them."""
    for resource in warehouse.catalogue:
        for column in resource.columns:
            is_key = column in resource.key_columns
            relation = warehouse.history(resource.name) if is_key else warehouse.present(resource.name)
            yield relation, column, resource.name
    yield *_FIELDS, "asset_types"


def _refuse_text(warehouse: Warehouse, suppression: Suppression, relation: str, column: str, what: str) -> None:
    values = list(_values(warehouse, relation, column))
    lots = (values[start : start + _AT_ONCE] for start in range(0, len(values), _AT_ONCE))
    if any(suppression.sees("\0".join(lot)) for lot in lots):
        why = f"{what.replace('_', ' ')} have it in {column}, by which propsync knows them"
        raise UsageError("--text", why, "Give more of the text, or erase such a record by its id")


def _refuse_names(warehouse: Warehouse, suppression: Suppression) -> None:
    kinds = {kind for relation, column in _KINDS for kind in _values(warehouse, relation, column)}
    shapes = ShapeStore(warehouse, {})
    names = {name for resource in warehouse.catalogue for name in _members(resource, shapes)}
    if suppression.sees("\0".join((*_DOCUMENTED, *sorted(names), *sorted(kinds)))):
        what = "it is in the name of a member of records, or of a kind of field, by which propsync reads them"
        raise UsageError("--text", what, "Give more of the text")


def _members(resource: Resource, shapes: ShapeStore) -> Iterator[str]:
    """The names of members that propsync reads."""
    yield from filter(None, (resource.list_member, *resource.members, *resource.sets, *resource.dropped))
    for role in resource.roles:
        yield from role.documented
    for choice in shapes.get(resource.name).choices.values():
        yield from (name for path in choice.paths for name in path)


def _values(warehouse: Warehouse, relation: str, column: str) -> Iterator[str]:
    for (value,) in warehouse.rows(statement("erasing/ids", relation=relation, column=quoted(column))):
        yield value


def _is_among(warehouse: Warehouse, relation: str, column: str, words: str) -> bool:
    query = statement("erasing/has_id", relation=relation, column=quoted(column))
    return bool(warehouse.value(query, {"words": words}))
