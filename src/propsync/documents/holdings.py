"""The published facts about stored documents and their assessments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from propsync.warehouse import PublishedReader, coalesced, statement


@dataclass(frozen=True)
class Holding:
    """A stored version: its file (`path` is relative to home), and the last known facts about its assessment.

    `property_id` and those facts are None if no version of the assessment ever had them.
    """

    assessment_id: str
    property_id: str | None
    kind: str
    version: int
    is_latest: bool
    sha256: str
    size_bytes: int
    path: str
    fetched_at: datetime
    assessment_status: str | None
    assessment_is_gone: bool
    assessment_type_id: str | None
    assessment_type: str | None


class Holdings:
    """Stored documents of some properties (none for all), the latest versions or all of them."""

    def __init__(self, reader: PublishedReader, properties: Sequence[str] = (), *, all_versions: bool = False) -> None:
        self._reader = reader
        self._properties = list(properties)
        self._hides = bool(reader.rows(statement("merge/hidden/remembered"))[1])
        self._given = {"properties": self._properties, "all_versions": all_versions, "hides": self._hides}
        paths = {
            part: [tuple(path) for path in json.loads(found)]
            for part, found in reader.rows(statement("documents/shape_of_assessments"))[1]
        }
        # a gone assessment is only in its history, and its property and type only in its payload
        members = {part: coalesced("payload", paths.get(part, ())) for part in ("property", "type")}
        self._query = statement("documents/holdings", kept="state = 'stored' and path is not null", **members)
        self._removed = statement("documents/holdings", kept="state in ('erased', 'removed')", **members)

    def count(self) -> tuple[int, int]:
        """How many there are, and their bytes."""
        ((count, size_bytes),) = self._rows(statement("documents/count_holdings", holdings=self._query))
        return count, size_bytes

    def lacking(self) -> int:
        """How many wanted documents of these properties failed, are not fetched yet or are outdated."""
        query = statement("documents/count_lacking")
        ((count,),) = self._reader.rows(query, {"properties": self._properties})[1]
        return int(count)

    def removed(self) -> int:
        """How many documents of these properties an erasure or the years of documents took, without a later one."""
        query = statement("documents/count_removed", holdings=self._removed)
        ((count,),) = self._reader.rows(query, self._given | {"all_versions": True})[1]
        return int(count)

    def hidden(self) -> int:
        """How many documents of any property are left out, as `[privacy]` hides the types of their assessments."""
        if not self._hides:
            return 0
        query, given = statement("documents/count_holdings", holdings=self._query), self._given | {"properties": []}
        counts = (self._reader.rows(query, given | {"hides": hides})[1] for hides in (False, True))
        stored, shown = (count for rows in counts for count, _ in rows)
        return int(stored - shown)

    def properties(self) -> set[str]:
        """Their properties."""
        found = self._rows(statement("documents/properties_of_holdings", holdings=self._query))
        return {property_id for (property_id,) in found}

    def all(self) -> Iterator[Holding]:
        """One by one, grouped by property, and then by assessment."""
        return (Holding(*row) for row in self._rows(self._query))

    def _rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        return (row for lot in self._reader.lots(query, self._given) for row in lot)
