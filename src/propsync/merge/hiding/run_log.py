"""The rows of the run log that tell of anything hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from propsync.merge.hiding.lines import HiddenField
from propsync.merge.hiding.types import has_types
from propsync.records import Path
from propsync.resources import ASSESSMENTS, ASSET_TYPES, ASSETS, BUILT_IN
from propsync.settings import HiddenLine
from propsync.shapes.flags import FLAGS
from propsync.warehouse import snake_case, statement, text

_OF_NO_COLUMN = (
    "(change in ('column', 'column type') and not exists (from ops.columns as made "
    "where made.table_schema = 'main' and made.table_name = resource and made.column_name = name))"
)
"""Rows of `ops.schema_changes` about columns that are gone: propsync drops no column for any other reason."""

_OF_FLAGS = ("assessment_flags", "assessment_flag_history")
"""The tables of flags, which are a member of assessments."""

_OF_ASSESSMENTS = (*_OF_FLAGS, "bundle_actions")
"""The names in the run log of whatever belongs to assessments, beside documents."""

DOCUMENT_ISSUES = "resource = 'documents'"
"""Which rows of `ops.value_issues` tell of the CSVs of bundles."""


def conditions(
    lines: Sequence[HiddenLine], fields: Collection[HiddenField], types: Collection[str], tables: Collection[str]
) -> dict[str, str]:
    """A condition for each table of the run log, by its name; `tables` are those of hidden types."""
    of_types, of_tables = _list(types), _list(tables)
    with_types = [one.name for one in BUILT_IN if has_types(one)] if types else []
    typed = _list(with_types)
    named = f"(resource in {typed} and (name in {of_types} or split_part(name, '/', 1) in {of_types}))"
    ids, labels = _list({field_id for _, field_id, _ in fields}), _list({label for *_, label in fields})
    members = [one for line in lines if line.path for one in _places(line)]
    own = [(line.resource, line.path) for line in lines if line.path]
    of_members, of_columns = _any(map(_is_member, members)), _any(map(_is_column, members))
    last = _any(f"(resource = {text(one)} and name = {text(snake_case(path[-1], path[-1]))})" for one, path in own)
    written = _any(f"(resource = {text(one)} and field = {text(path[-1])})" for one, path in own)
    # propsync finds these of shown records again
    found_again = [*with_types, *(_OF_ASSESSMENTS if types else _OF_FLAGS if hides_flags(lines) else ())]
    return {
        "ops.columns": f"(table_schema = 'by_type' and (source in {ids} or table_name in {of_tables})) or {of_columns}",
        "ops.schema_changes": f"(resource = 'asset_types' and split_part(name, '/', -1) in {ids}) "
        f"or {of_members} or {named} or {_OF_NO_COLUMN}",
        "ops.rejected_records": f"resource in {_list(_resources(lines, fields))} or resource in {typed}",
        "ops.value_issues": f"resource in {_list(found_again)} "
        f"or (resource = 'assets' and (name in {ids} or name in {labels})) or {of_members} or {last}",
        "ops.writes": f"(resource = 'assets' and field in {ids}) or {written}",
        "ops.hints": "payload is not null",
        "names.types": f"asset_type_id in {of_types}",
        "names.fields": f"field_id in {ids} or asset_type_id in {of_types}",
    }


def keyed_condition() -> str:
    """Which rows name a record that had a hidden type at any time."""
    return f"(resource, record_id) in ({statement('merge/hidden/record_ids')})"


def document_conditions(hidden: str) -> dict[str, str]:
    """Which rows come from documents of the assessments in the relation `hidden`, by table."""
    of_hidden = f"assessment_id in (select assessment_id from {hidden})"
    shown = statement("merge/hidden/shown_documents", is_hidden=of_hidden)
    by_content = {f"main.{name}": f"document_sha256 not in ({shown})" for name in ("bundle_members", "document_text")}
    issues = f"{DOCUMENT_ISSUES} and record_id in (select assessment_id from {hidden})"
    bundles = ("main.bundle_actions", "main.bundle_controls", "main.bundle_elements", "history.bundle_actions")
    of_bundles = dict.fromkeys(bundles, of_hidden)
    return {"main.documents": of_hidden, **by_content, **of_bundles, "ops.value_issues": issues}


def _resources(lines: Iterable[HiddenLine], fields: Collection[HiddenField]) -> set[str]:
    """The resources of which anything is hidden."""
    of_fields = {ASSETS.name, ASSET_TYPES.name} if fields else set[str]()
    return {line.resource for line in lines if line.path} | of_fields


def hides_flags(lines: Iterable[HiddenLine]) -> bool:
    """Whether any line hides flags or a part of them."""
    return any(line.resource == ASSESSMENTS.name and line.path[:1] == FLAGS for line in lines)


def _places(line: HiddenLine) -> list[tuple[str, Path]]:
    """The tables whose columns come from a hidden member, each with the path there; `()` is the whole of a record.

    Flags have tables of their own.
    """
    places = [(line.resource, line.path)]
    if hides_flags([line]):
        flags, history = _OF_FLAGS
        places.append((flags, line.path[1:]))
        if len(line.path) != 2:  # one member of flags: nobody knows here whether it is their history
            places.append((history, line.path[2:]))
    return places


def _is_member(place: tuple[str, Path]) -> str:
    """A condition on rows of the run log that name a member, by dots, or one below it."""
    table, path = place
    return f"(resource = {text(table)} and {_is_below('name', path)})"


def _is_column(place: tuple[str, Path]) -> str:
    """A condition on `ops.columns`."""
    table, path = place
    return f"(table_schema = 'main' and table_name = {text(table)} and {_is_below('source', path)})"


def _is_below(column: str, path: Path) -> str:
    member = ".".join(path)
    return f"({column} = {text(member)} or starts_with({column}, {text(member + '.')}))" if path else "true"


def _any(conditions: Iterable[str]) -> str:
    """One condition of several; of none, one that no row meets."""
    return f"({' or '.join(conditions) or 'false'})"


def _list(values: Collection[str]) -> str:
    """Texts as an SQL list; an empty list is none in SQL."""
    return f"({', '.join(map(text, sorted(values)))})" if values else "(null)"
