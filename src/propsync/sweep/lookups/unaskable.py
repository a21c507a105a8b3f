"""Look-ups of a list that the API cannot filter by id: nothing but the list itself shows its records."""

from __future__ import annotations

from collections.abc import Sequence

from propsync.sweep.lookups.batches import Batches, Key

_WHY = "its list has no filter by id, so no look-up can show that it is gone"


class Unaskable:
    """Leaves each key open, so that a person decides about its delete."""

    def __init__(self, asking: Batches) -> None:
        self._answers = asking.answers

    def look_up(self, keys: Sequence[Key]) -> None:
        """Sends no request: every key is unknown."""
        self._answers.unknown.update(dict.fromkeys(keys, _WHY))

    def confirm(self, keys: Sequence[Key]) -> None:
        """Sends no request."""
