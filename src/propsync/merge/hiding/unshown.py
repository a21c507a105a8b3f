"""Columns that no shown version fills: hidden records, or hidden parts of flags, alone had their members."""

from __future__ import annotations

from pathlib import Path

from propsync.merge.shape_store import stored_shape
from propsync.merge.tables.fragments import json_at
from propsync.resources import ASSESSMENTS, BUILT_IN
from propsync.warehouse import Warehouse, json_path, quoted, statement, text


def unshown_columns(warehouse: Warehouse, file: Path, *, of_all: bool) -> str:
    """Which rows of `ops.columns` are of members that no shown version has at their path; a piece of SQL.

    `file` has the columns before. Without `of_all`, only those of flags can be such columns.
    """
    payloads = _of_flags(warehouse) | (_of_resources() if of_all else {})
    columns = warehouse.rows(statement("merge/hidden/columns_before", file=text(str(file))))
    unshown = [
        f"({text(table)}, {text(column)})"
        for table, column, source in columns
        if table in payloads and not _is_shown(warehouse, payloads[table], source)
    ]
    return f"(table_schema = 'main' and (table_name, column_name) in ({', '.join(unshown)}))" if unshown else "false"


def _is_shown(warehouse: Warehouse, payloads: str, source: str) -> bool:
    path = text(json_path(tuple(source.split("."))))
    return bool(warehouse.value(statement("merge/hidden/has_path", payloads=payloads, path=path)))


def _of_resources() -> dict[str, str]:
    """A query for all shown payloads of each table of records."""
    return {one.name: statement("merge/hidden/shown_payloads", table=quoted(one.name)) for one in BUILT_IN}


def _of_flags(warehouse: Warehouse) -> dict[str, str]:
    """The same for the tables of flags."""
    stored = [row for of, *row in warehouse.rows(statement("merge/shapes")) if of == ASSESSMENTS.name]
    shape = stored_shape(
        ASSESSMENTS.name, [(part, paths, source, evidence) for part, paths, source, evidence in stored]
    )
    flags = statement("merge/hidden/shown_flags")
    entries = statement("merge/hidden/shown_entries", flags=flags, entries=json_at(shape.paths("flag_history")))
    return {"assessment_flags": flags, "assessment_flag_history": entries}
