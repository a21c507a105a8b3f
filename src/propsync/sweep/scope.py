"""What to read of a resource."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from propsync.resources import ListQuery, Resource

Filters = Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True)
class SweepScope:
    """What to read of a resource: the statuses asked for, and a backfill's further filters."""

    statuses: Sequence[str]
    filters: Filters = ()

    def lists(self, resource: Resource, *, by_status: bool) -> list[ListQuery]:
        """The lists to read."""
        return [query.narrowed(*self.filters) for query in resource.lists(self.statuses, by_status=by_status)]

    @property
    def is_one_thing(self) -> bool:
        """Whether each filter has one value, so that "not found" tells that nothing is there."""
        return bool(self.filters) and all(len(values) == 1 for _, values in self.filters)

    def combined(self, resource: Resource) -> ListQuery:
        """The query whose total is that of all the lists together."""
        return resource.combined(self.statuses).narrowed(*self.filters)
