"""The records of each night, in their order, and the last edit of each.

Night 0 is the beginning. Every night edits one record of each hundred, takes away one of each 5,000 and adds as many
at the end. Each follows from the seed and the night alone, so that no night needs the one before it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.estate.dice import mixed

EDITED_OF = 100
GONE_OF = 5_000


@dataclass(frozen=True)
class Turnover:
    """The changes of one resource that began with `count` records."""

    stream: int
    count: int

    @property
    def added_a_night(self) -> int:
        """At least one, if the resource has any."""
        return min(self.count, max(1, self.count // GONE_OF))

    def gone(self, night: int) -> frozenset[int]:
        """The deleted records."""
        width = min(GONE_OF, self.count)
        groups = self.count // width if width else 0
        return frozenset(
            group * width + self._drawn("gone", one, group) % width
            for one in range(1, night + 1)
            for group in range(groups)
        )

    def living(self, night: int) -> Iterator[tuple[int, int]]:
        """Each record's number and the night of its last edit, 0 without an edit."""
        gone = self.gone(night)
        total = self.count + self.added_a_night * night
        for begin in range(0, total, EDITED_OF):
            edits = {begin + slot: one for one, slot in self._edited(begin, night)}
            for record in range(begin, min(begin + EDITED_OF, total)):
                if record not in gone:
                    yield record, edits.get(record, 0)

    def _edited(self, begin: int, night: int) -> Iterator[tuple[int, int]]:
        for one in range(1, night + 1):
            yield one, self._drawn("edited", one, begin) % EDITED_OF

    def _drawn(self, what: str, night: int, place: int) -> int:
        return mixed(self.stream ^ mixed(night << 1 | (what == "gone")) ^ mixed(place))
