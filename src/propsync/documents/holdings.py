"""What is published of stored documents, with what is known of their assessments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from propsync.warehouse import PublishedReader, coalesced

_PATHS = "select part, paths from ops.shapes where resource = 'assessments' and part in ('property', 'type')"
_HOLDINGS = """
with stored as (
  select * from main.documents where state = 'stored' and path is not null and (is_latest or $all_versions)
),
last_known as (
  select assessment_id, status, {property} as property_id, {type} as assessment_type_id
  from history.assessments
  where valid_to is null
),
told as (
  select
    stored.*,
    coalesce(assessments.property_id, last_known.property_id) as property_id,
    coalesce(assessments.assessment_type_id, last_known.assessment_type_id) as assessment_type_id,
    coalesce(assessments.status, last_known.status) as status,
    assessments.assessment_id is null as is_gone
  from stored
  left join main.assessments as assessments on assessments.assessment_id = stored.assessment_id
  left join last_known on last_known.assessment_id = stored.assessment_id
)
select
  assessment_id, property_id, kind, version, is_latest, sha256, size_bytes, path, fetched_at,
  status, is_gone, told.assessment_type_id, types.name
from told
left join main.assessment_types as types on types.assessment_type_id = told.assessment_type_id
where len($properties) = 0 or list_contains($properties, property_id)
order by property_id, assessment_id, kind, version
"""


@dataclass(frozen=True)
class Holding:
    """A version that is stored: its file (`path` is relative to home), and its assessment as it was known last.

    `property_id` and what is told of the assessment are None where no version of it ever told them.
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
        self._given = {"properties": list(properties), "all_versions": all_versions}
        paths = {part: [tuple(path) for path in json.loads(told)] for part, told in reader.rows(_PATHS)[1]}
        # a gone assessment is in its history alone, and what it belonged to in its payload
        told = {part: coalesced("payload", paths.get(part, ())) for part in ("property", "type")}
        self._query = _HOLDINGS.format(**told)

    def count(self) -> tuple[int, int]:
        """How many there are, and their bytes."""
        query = f"select count(*), coalesce(sum(size_bytes), 0)::bigint from ({self._query})"
        ((count, size_bytes),) = self._rows(query)
        return count, size_bytes

    def properties(self) -> set[str]:
        """Their properties."""
        query = f"select distinct property_id from ({self._query}) where property_id is not null"
        return {property_id for (property_id,) in self._rows(query)}

    def all(self) -> Iterator[Holding]:
        """One by one, those of a property together, and in it those of an assessment."""
        return (Holding(*row) for row in self._rows(self._query))

    def _rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        return (row for lot in self._reader.lots(query, self._given) for row in lot)
