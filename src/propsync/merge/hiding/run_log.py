"""The rows of the run log that tell of anything hidden."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Sequence

from propsync.merge.hiding.lines import HiddenField
from propsync.records import Path
from propsync.resources import ASSET_TYPES, ASSETS
from propsync.settings import HiddenLine
from propsync.warehouse import snake_case, text


def conditions(lines: Sequence[HiddenLine], fields: Collection[HiddenField]) -> dict[str, str]:
    """A condition for each table of the run log, by its name."""
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
        "ops.columns": f"(table_schema = 'by_type' and source in {ids}) {of_columns}",
        "ops.schema_changes": f"(resource = 'asset_types' and split_part(name, '/', -1) in {ids}) "
        f"{of_members('name', dotted)} {below}",
        "ops.rejected_records": f"resource in {_list(_resources(lines, fields))}",
        "ops.value_issues": f"(resource = 'assets' and (name in {ids} or name in {labels})) "
        f"{of_members('name', dotted)} {of_members('name', lambda path: snake_case(path[-1], path[-1]))}",
        "ops.writes": f"(resource = 'assets' and field in {ids}) {of_members('field', last)}",
        "ops.hints": "payload is not null",
        "names.fields": f"field_id in {ids}",
    }


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
