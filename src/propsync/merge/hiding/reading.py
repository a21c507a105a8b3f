"""Reads a file of whole history into an empty one, without what is hidden."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from propsync.merge.hiding.cutting import shown_record_hash
from propsync.merge.hiding.second_file import KEPT
from propsync.records import Shears, bytes_hash
from propsync.resources import Resource
from propsync.warehouse import Warehouse, documents, key_parts, quoted, statement, text, texts, whole_numbers

_AT_ONCE = 2_000


def read_cut(warehouse: Warehouse, resource: Resource, file: Path, shears: Shears | None) -> None:
    """Puts the file's versions into history, and the whole records of those that it cuts into the second file."""
    source = text(str(file))
    warehouse.execute(statement("merge/hidden/make_cut"))
    if shears is not None:
        for rows in warehouse.batches(statement("merge/hidden/rows_to_cut", file=source), rows=_AT_ONCE):
            _stage_cut(warehouse, shears, rows)
    first, second = key_parts(resource)
    numbered = f"read_parquet({source}, file_row_number = true)"
    given = {"resource": text(resource.name), "first": first, "second": second}
    warehouse.execute(statement("merge/hidden/keep_read", kept=KEPT, rows=numbered, **given))
    shown_hash = shown_record_hash(resource, "cut.shown_hash", "versions")
    added = statement("merge/hidden/add_read", table=quoted(resource.name), record_hash=shown_hash, rows=numbered)
    warehouse.execute(added)


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
