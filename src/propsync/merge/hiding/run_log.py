"""The rows of the run log that tell of anything hidden."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Sequence

from propsync.merge.hiding.lines import HiddenField
from propsync.merge.hiding.types import has_types
from propsync.records import Path
from propsync.resources import ASSET_TYPES, ASSETS, BUILT_IN
from propsync.settings import HiddenLine
from propsync.warehouse import snake_case, statement, text

_OF_NO_COLUMN = (
    " or (change = 'column' and not exists (from ops.columns as made "
    "where made.table_schema = 'main' and made.table_name = resource and made.column_name = name))"
)


def conditions(
    lines: Sequence[HiddenLine], fields: Collection[HiddenField], types: Collection[str], tables: Collection[str]
) -> dict[str, str]:
    """A condition for each table of the run log, by its name; `tables` are those of hidden types."""
    of_types, of_tables = _list(types), _list(tables)
    typed = _list([one.name for one in BUILT_IN if has_types(one)] if types else [])
    named = f"(resource in {typed} and (name in {of_types} or split_part(name, '/', 1) in {of_types}))"
    ids, labels = _list({field_id for _, field_id, _ in fields}), _list({label for *_, label in fields})
    members = [(text(line.resource), line.path) for line in lines if line.path]

    def of_members(column: str, form: Callable[[Path], str]) -> str:
        each = (f"or (resource = {resource} and {column} = {text(form(path))})" for resource, path in members)
        return " ".join(each)

    below = " ".join(
        f"or (resource = {resource} and starts_with(name, {text('.'.join(path) + '.')}))" for resource, path in members
    )
    dotted, last = ".".join, operator.itemgetter(-1)
    of_columns = " ".join(_of_column(line) for line in lines if line.path)
    return {
        "ops.columns": f"(table_schema = 'by_type' and (source in {ids} or table_name in {of_tables})) {of_columns}",
        "ops.schema_changes": f"(resource = 'asset_types' and split_part(name, '/', -1) in {ids}) "
        f"{of_members('name', dotted)} {below} or {named}{_OF_NO_COLUMN if types else ''}",
        "ops.rejected_records": f"resource in {_list(_resources(lines, fields))} or resource in {typed}",
        # propsync finds these of shown records again
        "ops.value_issues": f"resource in {typed} or (resource = 'assets' and (name in {ids} or name in {labels})) "
        f"{of_members('name', dotted)} {of_members('name', lambda path: snake_case(path[-1], path[-1]))}",
        "ops.writes": f"(resource = 'assets' and field in {ids}) {of_members('field', last)}",
        "ops.hints": "payload is not null",
        "names.types": f"asset_type_id in {of_types}",
        "names.fields": f"field_id in {ids} or asset_type_id in {of_types}",
    }


def unshown_columns() -> str:
    """Which rows of `ops.columns` are of members that no shown record has: a hidden type alone had them."""
    of_table = {"assessment_flags": "assessments", "assessment_flag_history": "assessments"}
    of_table |= {one.name: one.name for one in BUILT_IN.families}
    each = (
        f"(table_name = {text(table)} and not exists ("
        f"from history.{resource} where contains(payload::varchar, '\"' || split_part(source, '.', -1) || '\"')))"
        for table, resource in of_table.items()
    )
    return f"(table_schema = 'main' and ({' or '.join(each)}))"


def keyed_condition() -> str:
    """Which rows name a record that had a hidden type at any time."""
    return f"(resource, record_id) in ({statement('merge/hidden/record_ids')})"


def document_conditions(hidden: str) -> dict[str, str]:
    """Which rows come from documents of the assessments in the relation `hidden`, by table."""
    of_hidden = f"assessment_id in (select assessment_id from {hidden})"
    shown = statement("merge/hidden/shown_documents", is_hidden=of_hidden)
    by_content = {f"main.{name}": f"document_sha256 not in ({shown})" for name in ("bundle_members", "document_text")}
    bundles = ("main.bundle_actions", "main.bundle_controls", "main.bundle_elements", "history.bundle_actions")
    return {"main.documents": of_hidden, **by_content, **dict.fromkeys(bundles, of_hidden)}


def _resources(lines: Iterable[HiddenLine], fields: Collection[HiddenField]) -> set[str]:
    """The resources of which anything is hidden."""
    of_fields = {ASSETS.name, ASSET_TYPES.name} if fields else set[str]()
    return {line.resource for line in lines if line.path} | of_fields


def _of_column(line: HiddenLine) -> str:
    """A condition on `ops.columns`; flags have tables of their own."""
    tables = {line.resource: ".".join(line.path)}
    if line.resource == "assessments" and line.path[0] == "flags" and len(line.path) > 1:
        tables = {"assessment_flags": ".".join(line.path[1:]), "assessment_flag_history": ".".join(line.path[2:])}
    return " ".join(
        f"or (table_schema = 'main' and table_name = {text(table)} "
        f"and (source = {text(source)} or starts_with(source, {text(source + '.')})))"
        for table, source in tables.items()
        if source
    )


def _list(values: Collection[str]) -> str:
    """Texts as an SQL list; an empty list is none in SQL."""
    return f"({', '.join(map(text, sorted(values)))})" if values else "(null)"
