"""Reads a file of whole history into an empty one, without what is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from propsync.merge.hiding.apart import Apart, note_kept
from propsync.merge.hiding.cutting import shown_record_hash
from propsync.merge.hiding.second_file import KEPT, RECORDS
from propsync.records import Shears, bytes_hash
from propsync.resources import Resource
from propsync.warehouse import Warehouse, documents, key_parts, quoted, statement, text, texts, whole_numbers

_AT_ONCE = 2_000


def read_cut(
    warehouse: Warehouse, resource: Resource, file: Path, shears: Shears | None, apart: Apart | None = None
) -> None:
    """Puts the file's versions into history, and the whole records of those that it cuts into the second file."""
    source = text(str(file))
    warehouse.execute(statement("merge/hidden/make_cut"))
    warehouse.execute(statement("merge/hidden/make_apart"))
    if shears is not None or apart is not None:
        for rows in warehouse.batches(statement("merge/hidden/rows_to_cut", file=source), rows=_AT_ONCE):
            shown = _stage_apart(warehouse, apart, rows) if apart else rows
            if shears is not None:
                _stage_cut(warehouse, shears, shown)
    first, second = key_parts(resource)
    numbered = f"read_parquet({source}, file_row_number = true, hive_partitioning = false)"
    given = {"resource": text(resource.name), "first": first, "second": second}
    warehouse.execute(statement("merge/hidden/keep_read", kept=KEPT, rows=numbered, **given))
    shown_hash = shown_record_hash(resource, "cut.shown_hash", "versions")
    into = {"table": quoted(resource.name), "record_hash": shown_hash, "rows": numbered}
    if apart is None:
        warehouse.execute(statement("merge/hidden/add_read", **into))
        return
    facts = "rows.status, performed_for, performed_by" if resource.performed else "apart.known_status, null, null"
    warehouse.execute(
        statement("merge/hidden/keep_records_read", records=RECORDS, rows=numbered, stated=facts, **given)
    )
    keys = ", ".join(map(quoted, resource.key_columns))
    warehouse.execute(statement("merge/hidden/stage_shown_rows", rows=numbered, key_columns=keys))
    warehouse.execute(statement("merge/hidden/add_shown_rows", **into))
    latest = warehouse.value(statement("merge/hidden/latest_record"), {"resource": resource.name})
    if latest is not None:
        note_kept(warehouse, resource, latest)


def _stage_apart(warehouse: Warehouse, apart: Apart, rows: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Stages the rows of hidden types; returns the others."""
    hidden = apart.are_hidden(written.encode() for _, written in rows)
    found = [row for row, is_hidden in zip(rows, hidden, strict=True) if is_hidden]
    if found:
        roles = apart.roles([written.encode() for _, written in found])
        columns = {f"known_{name.removesuffix('_id')}": texts(values) for name, values in roles.items()}
        warehouse.append("staging.apart", place=whole_numbers(place for place, _ in found), **columns)
    return [row for row, is_hidden in zip(rows, hidden, strict=True) if not is_hidden]


def _stage_cut(warehouse: Warehouse, shears: Shears, rows: Sequence[tuple[int, str]]) -> None:
    cut = [(place, shears.cut(whole), whole) for place, written in rows for whole in [written.encode()]]
    changed = [(place, shown) for place, shown, whole in cut if shown is not whole]
    if changed:
        warehouse.append(
            "staging.cut",
            place=whole_numbers(place for place, _ in changed),
            payload=documents([shown for _, shown in changed]),
            shown_hash=texts([bytes_hash(shown) for _, shown in changed]),
        )
