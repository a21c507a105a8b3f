"""Plans the parts in which to read a list, each of which fits in one response (rung 2).

Property ids, type ids, or both define a part. Pure arithmetic: this module sends no request.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

Place = tuple[str | None, str | None]
"""The property and the type of a record."""

_FILL = 0.8  # of a page: a few records may have come since the count


@dataclass(frozen=True)
class Part:
    """The filters of one part; an empty dimension has none."""

    properties: tuple[str, ...] = ()
    types: tuple[str, ...] = ()

    @property
    def filters(self) -> tuple[tuple[str, Sequence[str]], ...]:
        """As parameters of the API."""
        return (("property", self.properties), ("type", self.types))

    def holds(self, place: Place) -> bool:
        """Whether a record of that property and type belongs to the part."""
        property_id, type_id = place
        is_there = not self.properties or property_id in self.properties
        return is_there and (not self.types or type_id in self.types)

    @property
    def is_single(self) -> bool:
        """Whether it names at most one value in each dimension."""
        return len(self.properties) <= 1 and len(self.types) <= 1


@dataclass(frozen=True)
class Planner:
    """`properties` and `types` are all the known ids, `counts` the known records at each place.

    `limit` is the most records in one response, `fits` whether a part's address is short enough.
    """

    properties: Sequence[str]
    types: Sequence[str]
    counts: Counter[Place]
    limit: int
    fits: Callable[[Part], bool]

    def plan(self) -> tuple[str, list[Part]] | None:
        """The dimension that takes the fewest requests, and its parts; None if no id is known."""
        plans = {}
        if self.properties:
            plans["property"] = self.chunks(Part(), "properties", self.properties)
        if self.types:
            plans["type"] = list(self._by_type())
        if not plans:
            return None
        cheapest = min(plans, key=lambda name: len(plans[name]))
        return cheapest, plans[cheapest]

    def _by_type(self) -> Iterator[Part]:
        weights = self._weights("types", Part())
        small = [one for one in self.types if weights[one] <= self.limit]
        yield from self.chunks(Part(), "types", small)
        for one in self.types:
            if weights[one] > self.limit:
                yield from self.chunks(Part(types=(one,)), "properties", self.properties) or [Part(types=(one,))]

    def chunks(self, within: Part, dimension: str, ids: Iterable[str]) -> list[Part]:
        """Parts of `within` with as many ids of one dimension as a page and an address can take."""
        weights = self._weights(dimension, within)
        room = max(1, int(self.limit * _FILL))
        parts: list[Part] = []
        chunk: tuple[str, ...] = ()
        held = 0
        for one in ids:
            is_full = held + weights[one] > room or not self.fits(_narrowed(within, dimension, (*chunk, one)))
            if chunk and is_full:
                parts.append(_narrowed(within, dimension, chunk))
                chunk, held = (), 0
            chunk, held = (*chunk, one), held + weights[one]
        return [*parts, _narrowed(within, dimension, chunk)] if chunk else parts

    def split(self, part: Part, total: int | None) -> list[Part]:
        """Smaller parts in place of one that does not fit; empty if the part cannot be smaller."""
        pieces = 2 if total is None else max(2, -(-total // max(1, int(self.limit * _FILL))))
        if len(part.properties) > 1:
            return [replace(part, properties=piece) for piece in _cut(part.properties, pieces)]
        if len(part.types) > 1:
            return [replace(part, types=piece) for piece in _cut(part.types, pieces)]
        if part.properties and not part.types:
            return self.chunks(part, "types", self.types)
        if part.types and not part.properties:
            return self.chunks(part, "properties", self.properties)
        return []

    def _weights(self, dimension: str, within: Part) -> Counter[str]:
        at = 0 if dimension == "properties" else 1
        weights: Counter[str] = Counter()
        for place, count in self.counts.items():
            if place[at] is not None and within.holds(place):
                weights[str(place[at])] += count
        return weights


def _narrowed(part: Part, dimension: str, ids: tuple[str, ...]) -> Part:
    return replace(part, properties=ids) if dimension == "properties" else replace(part, types=ids)


def _cut(ids: tuple[str, ...], pieces: int) -> list[tuple[str, ...]]:
    size = max(1, -(-len(ids) // pieces))
    return [ids[start : start + size] for start in range(0, len(ids), size)]
