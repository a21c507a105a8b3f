"""Takes what was erased out of files of rows: those that a rebuild carries over, and those of a base."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from propsync.records import bytes_hash, key_of
from propsync.storage import disk_errors, remove
from propsync.suppression import REPLACEMENT, Suppression

if TYPE_CHECKING:  # it takes 0.15 s to import, and nights need none of it
    import pyarrow as pa

_AT_ONCE = 5_000
_OF_DOCUMENTS = ("main.documents", "main.bundle_", "main.document_text", "history.bundle_")
_HISTORY = "history."
_NULL = "null"
_OF_NAMES = ("names.types", "names.fields", "names.layout", "ops.columns")
_OF_FIELDS = ("names.fields", "hidden.fields")
_HINTED = ("record_id", "key_1", "key_2")
_NAMES = ("table_name", "column_name")
ERASED = "erased"
"""The state of a document whose file was erased."""
Row = dict[str, Any]


class ErasedRows:
    """Writes a file of a table's rows again without what was erased.

    The documents of an erased assessment have no row left. Those with an erased text keep theirs, which says so.
    """

    def __init__(self, suppression: Suppression) -> None:
        self._suppression = suppression
        by_kind = {is_text: set[str]() for is_text in (True, False)}
        for one in suppression.erasures:
            by_kind[one.text is not None].update(one.documents)
        self._documents = frozenset(by_kind[False])
        self._emptied = frozenset(by_kind[True])

    def rewrite(self, name: str, path: Path) -> int:
        """Rewrites a file of the table `name` if it has anything of it; returns how many rows had.

        Raises DiskFull, HomeUnusable.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        source = pq.ParquetFile(path)
        after = path.with_name(f"{path.name}.erased")
        changed = 0
        try:
            schema = pa.schema([column.with_nullable(True) for column in source.schema_arrow])
            with disk_errors(path), pq.ParquetWriter(after, schema, compression="zstd") as writer:
                for batch in source.iter_batches(_AT_ONCE):
                    table, count = self._batch(name, pa.Table.from_batches([batch]).cast(schema))
                    changed += count
                    writer.write_table(table)
            source.close()
            if changed:
                after.replace(path)
        finally:
            source.close()
            remove(after)
        return changed

    def _batch(self, name: str, table: pa.Table) -> tuple[pa.Table, int]:
        """The rows without it, and how many of them had anything."""
        import pyarrow as pa

        suspects = self._suspects(table)
        if not suspects:
            return table, 0
        rows: list[Row | None] = table.to_pylist()
        count = 0
        for place in suspects:
            row = rows[place]
            assert row is not None
            after = self._row(name, row)
            count += after != row
            rows[place] = after
        if not count:
            return table, 0
        return pa.Table.from_pylist([row for row in rows if row is not None], schema=table.schema), count

    def _suspects(self, table: pa.Table) -> list[int]:
        """Rows that may have anything of it: one search looks at all of them together."""
        texts = [[_as_text(cell) for cell in table.column(name).to_pylist()] for name in table.column_names]
        rows = ["\x00".join(cells) for cells in zip(*texts, strict=True)]
        return self._among(rows, 0) if rows else []

    def _among(self, rows: list[str], first: int) -> list[int]:
        if not self._sees("\x00".join(rows)):
            return []
        if len(rows) == 1:
            return [first]
        half = len(rows) // 2
        return self._among(rows[:half], first) + self._among(rows[half:], first + half)

    def _sees(self, text: str) -> bool:
        has_any = self._suppression.sees(text) or self._suppression.sees_name(text)
        return has_any or any(one in text for one in self._documents | self._emptied)

    def _row(self, name: str, row: Row) -> Row | None:
        """The row without it, None if nothing of it stays."""
        if self._goes(name, row):
            return None
        if name == "ops.writes" and self._tells_of(row, "field"):
            row = row | {"old_value": None, "new_value": None, "message": None}
        if name == "ops.writes":
            row = row | {"old_value": self._before(row["old_value"]), "new_value": self._value(row["new_value"])}
        if name == "ops.hints" and self._suppression.cuts(*map(row.get, _HINTED)):
            row = row | {"state": "ignored", "record_id": None, "next_look_at": None, "key_1": None, "key_2": None}
        if name == "main.documents" and row["sha256"] in self._emptied:
            row = row | {"state": ERASED, "path": None, "due_at": None, "last_error": None}
        after = {column: self._cell(cell) for column, cell in row.items()}
        is_version = name.startswith(_HISTORY) and "payload_hash" in row
        return with_hashes(after) if is_version and after["payload"] != row["payload"] else after

    def _goes(self, name: str, row: Row) -> bool:
        suppression = self._suppression
        if name.startswith(_HISTORY) and "payload_hash" in row:
            resource = name.removeprefix(_HISTORY)
            return bool(suppression.erased_key(str(next(iter(row.values()))), resource))
        if name.startswith(_OF_DOCUMENTS):
            is_gone = {row.get("sha256"), row.get("document_sha256")} & self._documents
            return bool(is_gone) or suppression.erases_record(row.get("assessment_id"))
        if name in ("ops.value_issues", "ops.held_deletes"):
            is_of_record = suppression.erases_record(row["record_id"])
            return is_of_record or self._tells_of(row, "name")
        if name in _OF_NAMES and suppression.sees_name("\0".join(filter(None, map(row.get, _NAMES)))):
            return True  # a rebuild makes a new name of the label
        if name == "ops.columns":
            return row["table_schema"] == "by_type" and suppression.erases_field(row["source"], None)
        if name == "ops.schema_changes":
            tells = suppression.sees_name("\0".join(one for one in row.values() if isinstance(one, str)))
            return tells or any(suppression.erases_field(part, None) for part in key_of(row["name"] or ""))
        return name in _OF_FIELDS and suppression.erases_field(row["field_id"], None)

    def _tells_of(self, row: Mapping[str, Any], field: str) -> bool:
        record_id = row["record_id"]
        return self._suppression.erases_record(record_id) or self._suppression.erases_field(row.get(field), record_id)

    def _value(self, written: str | None) -> str | None:
        """A value as JSON, which an undo reads again."""
        return None if written is None else self._suppression.json(written.encode()).decode()

    def _before(self, written: str | None) -> str | None:
        """The value before a write. An erased number gives way to null, and an undo would clear the present value."""
        after = self._value(written)
        return f'"{REPLACEMENT}"' if after == _NULL != written else after

    def _cell(self, cell: Any) -> Any:
        if isinstance(cell, str):
            return self._suppression.document(cell)
        return [self._cell(one) for one in cell] if isinstance(cell, list) else cell


def with_hashes(version: Row) -> Row:
    """A version of history with the hashes of its present payload, as a merge gives them."""
    if version["payload_hash"] == "":  # a record in a status that no list shows
        return version
    payload_hash = bytes_hash(version["payload"].encode())
    facts = [version.get("status") or "", *(_of_bool(version.get(f"performed_{one}")) for one in ("for", "by"))]
    summed = hashlib.md5("|".join([payload_hash, *facts]).encode(), usedforsecurity=False).hexdigest()
    kind = version["record_hash"].partition(":")[0]
    return version | {"payload_hash": payload_hash, "record_hash": f"{kind}:{summed}"}


def _of_bool(value: bool | None) -> str:
    return "true" if value else "false"


def _as_text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    return "\x00".join(map(_as_text, cell)) if isinstance(cell, list) else ""
