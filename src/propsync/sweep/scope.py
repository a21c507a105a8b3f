"""The part of a resource to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from propsync.resources import ListQuery, Resource

Filters = Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class SweepScope:
    """The part of a resource to read: its statuses, and a backfill's further filters."""

    statuses: Sequence[str]
    filters: Filters = ()

    def lists(self, resource: Resource, *, by_status: bool) -> list[ListQuery]:
        """The lists to read."""
        return [query.narrowed(*self.filters) for query in resource.lists(self.statuses, by_status=by_status)]

    @property
    def is_one_thing(self) -> bool:
        """Whether each filter has one value, so that "not found" means that no record exists."""
        return bool(self.filters) and all(len(values) == 1 for _, values in self.filters)

    def combined(self, resource: Resource) -> ListQuery:
        """The query whose total is that of all the lists together."""
        return resource.combined(self.statuses).narrowed(*self.filters)
