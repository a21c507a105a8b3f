"""The columns that depend on the data, made again in a new database as an older one had them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from propsync.warehouse import (
    Warehouse,
    comment_on_column,
    comment_on_table,
    compressed,
    quoted,
    statement,
    write_comments,
)


def make_columns(warehouse: Warehouse) -> None:
    """Makes them in their order: a column without any value remains."""
    by_table: dict[tuple[str, str], list[tuple[str, str, str, str]]] = {}
    for schema, table, *column in warehouse.rows(statement("merge/columns_to_make")):
        by_table.setdefault((schema, table), []).append(tuple(column))
    statements: list[str] = []
    comments: list[str] = []
    for (schema, table), columns in by_table.items():
        target = f"{quoted(schema)}.{quoted(table)}"
        if schema == "by_type":
            statements += _wide_table(target, columns)
            comments += [comment_on_column(target, name, comment or "") for name, _, comment, _ in columns]
        elif f"{schema}.{table}" in warehouse.tables:
            statements += _open_columns(target, columns, warehouse.tables[f"{schema}.{table}"].columns)
    if statements:
        with warehouse.transaction():
            warehouse.execute(";\n".join(statements))
        write_comments(warehouse, comments)


def _open_columns(target: str, columns: Sequence[tuple[str, ...]], declared: Collection[str]) -> Iterator[str]:
    for name, kind, comment, _ in columns:
        if name not in declared:
            yield statement("warehouse/add_column", table=target, column=quoted(name), type=kind)
            yield comment_on_column(target, name, comment or "")


def _wide_table(target: str, columns: Sequence[tuple[str, ...]]) -> list[str]:
    """Makes all columns at once: each further statement copies DuckDB's entries for the columns before it."""
    kinds = {"asset_id": "VARCHAR", "property_id": "VARCHAR"} | {name: kind for name, kind, *_ in columns}
    made = (f"{quoted(name)} {kind}{compressed(kind, by_dictionary=True)}" for name, kind in kinds.items())
    return [
        statement("warehouse/make_table", table=target, columns=", ".join(made)),
        comment_on_table(target, columns[0][-1] or ""),
        comment_on_column(target, "asset_id", "The asset's id in the API"),
        comment_on_column(target, "property_id", "The property that the asset belongs to"),
    ]
