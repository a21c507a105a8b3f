"""Rows that an erasure writes again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from propsync.merge import ErasedRows
from propsync.suppression import DONE, TEXT, Erasure, Marker, Suppression

PHONE = "55500017"


def test_an_erased_number_before_a_write_is_told_from_none(tmp_path: Path) -> None:
    written = [(PHONE, "7"), ("null", PHONE), (f'"by {PHONE}"', '"new"'), (None, None)]
    names = ("record_id", "field", "old_value", "new_value", "message")
    rows = [dict(zip(names, ("a", "count", old, new, None), strict=True)) for old, new in written]
    pq.write_table(pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in names])), tmp_path / "writes")
    marker = Marker(bytes(32))
    erasure = Erasure("one", "text", datetime.now(UTC), "asked", DONE, text=marker.mark(TEXT, PHONE))

    assert ErasedRows(Suppression(marker, [erasure])).rewrite("ops.writes", tmp_path / "writes") == 3

    after = [(row["old_value"], row["new_value"]) for row in pq.read_table(tmp_path / "writes").to_pylist()]
    assert after == [('"[erased]"', "7"), ("null", "null"), ('"by [erased]"', '"new"'), (None, None)]
