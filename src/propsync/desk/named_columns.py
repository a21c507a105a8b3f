"""The columns that people name in `[desk.TABLE]`, for parts that propsync would look for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from propsync.desk.faults import Fault
from propsync.warehouse import Warehouse, snake_case, statement

Named = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Columns by table and part."""


def named_columns(
    warehouse: Warehouse, written: Named, columns: Sequence[tuple[str, str, str]]
) -> tuple[Named, list[Fault]]:
    """The columns that the tables have, and a fault for each part of which they have none.

    `columns` are those of the open tables: table, path, column. People may write the path, such as the header of a CSV.
    They may write it in any way that gives the same column: `Nr. ` in one CSV and `Nr.` in another fill one column.
    A table without rows may lack any column, and one column of several may come later. A part without a column that its
    table has is left out.
    """
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    faults = []
    for table, parts in written.items():
        known = {path.casefold(): column for of_table, path, column in columns if of_table == table}
        described = warehouse.rows(statement("warehouse/describe", table=f"main.{table}"))
        known |= {name.casefold(): name for name, *_ in described}
        is_empty = not warehouse.value(statement("desk/members/has_rows", table=f"main.{table}"))
        for part, names in parts.items():
            columns_of = (known.get(name.casefold()) or known.get(snake_case(name, "_")) for name in names)
            present = dict.fromkeys(column for column in columns_of if column)
            if present or not names:
                found.setdefault(table, {})[part] = tuple(present)
            elif not is_empty:
                line = f"[desk.{table}] {part}: {table} has no column {' or '.join(names)}"
                faults.append(Fault(f"{table}.{part}", line))
    return found, faults
