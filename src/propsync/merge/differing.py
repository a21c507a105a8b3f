"""Brings a table that a model built whole into its place: only rows that differ are written again."""

from __future__ import annotations

from propsync.warehouse import TABLES, Warehouse, quoted, statement


def differ(warehouse: Warehouse, staged: str, table: str) -> bool:
    """Whether a row of `staged` is not in `table`, or the other way; both have their columns, and each key once."""
    compared = ", ".join(map(quoted, TABLES[table].columns))
    warehouse.execute(statement("merge/differing/find", staged=staged, target=table, compared=compared))
    return bool(warehouse.value(statement("merge/differing/any")))


def take_differing(warehouse: Warehouse, staged: str, table: str) -> None:
    """Replaces the rows that `differ` found; the caller has the transaction."""
    warehouse.execute(statement("merge/differing/remove", target=table))
    warehouse.execute(statement("merge/differing/fill", staged=staged, target=table))
