"""Removes documents of assessments that were deleted more than PROPSYNC_ARCHIVE_KEEP_YEARS ago.

The rows say so first, then the tables are published, then the files go. A kill in between leaves files that the next
archive run removes, and never a row that names a file which is gone.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from propsync.documents.blobs import Blobs, key_of
from propsync.documents.content_rows import CONTENT_TABLES
from propsync.documents.kinds import KINDS
from propsync.merge import mark_tables
from propsync.resources import ASSESSMENTS
from propsync.warehouse import Warehouse, quoted, statement

_GAP = timedelta(days=31)


class Expiry:
    """The rule, for the state database. `years` are those of the setting."""

    def __init__(self, warehouse: Warehouse, years: int, now: datetime) -> None:
        self._warehouse, self._years, self._now = warehouse, years, now

    def days_since_last_run(self) -> int | None:
        """The days since the last run of an earlier day, None if at most 31. After more, the clock may be wrong."""
        last = self._warehouse.value(statement("documents/last_day"), {"now": self._now})
        return (self._now - last).days if last is not None and self._now - last > _GAP else None

    def note(self, run_id: str) -> tuple[int, int]:
        """Marks the files that the rule removes, and forgets their contents; returns their number and bytes."""
        known = {
            "history": self._warehouse.history(ASSESSMENTS.name),
            "present": self._warehouse.present(ASSESSMENTS.name),
        }
        rows = self._warehouse.rows(statement("documents/expired", **known), {"now": self._now, "years": self._years})
        if not rows:
            return 0, 0
        paths, hashes = [path for path, *_ in rows], [sha256 for _, sha256, _ in rows]
        why = f"removed on {self._now:%Y-%m-%d}: its assessment was deleted more than {self._years} years before"
        with self._warehouse.transaction():
            self._warehouse.execute(statement("documents/note_removed"), {"paths": paths, "why": why})
            for schema, name in (*(("main", table) for table in CONTENT_TABLES), ("history", "bundle_actions")):
                target = f"{quoted(schema)}.{quoted(name)}"
                self._warehouse.execute(statement("documents/forget_removed", table=target), {"hashes": hashes})
            mark_tables(self._warehouse, run_id, "main", [*CONTENT_TABLES, "documents"])
            mark_tables(self._warehouse, run_id, "history", ["bundle_actions"])
        return len(rows), sum(size for *_, size in rows)

    def remove(self, blobs: Blobs) -> None:
        """Removes the files of marked rows, those of a killed run too. What is published must say that they go."""
        rows = self._warehouse.rows(statement("documents/to_remove"))
        for kind, sha256 in rows:
            blobs.remove(key_of(KINDS[kind], sha256))
        if rows:
            self._warehouse.execute(statement("documents/note_gone"), {"verified_at": self._now})
