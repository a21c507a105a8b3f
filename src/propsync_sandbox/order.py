"""The order in which lists show their records; the API's document promises none (§4.13)."""

import threading
from random import Random

from .shelf import Key, Record

ORDERS = ("stable", "newest", "shuffled", "drifting")
_SWAPS = 3


class Order:
    """`stable`: in order of creation; `newest`: the latest first; `shuffled`: at random at every request; `drifting`:
    a few swap places each time.
    """

    def __init__(self, kind: str = "stable", seed: int = 0) -> None:
        if kind not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {kind!r}")
        self.kind = kind
        self._lock = threading.Lock()
        self._rng = Random(f"order {seed}")
        self._ranks: dict[str, dict[Key, int]] = {}

    def arrange(self, resource: str, records: list[Record]) -> list[Record]:
        if self.kind == "stable":
            return records
        if self.kind == "newest":
            return records[::-1]
        with self._lock:
            if self.kind == "shuffled":
                self._rng.shuffle(records)
                return records
            return self._drift(self._ranks.setdefault(resource, {}), records)

    def _drift(self, ranks: dict[Key, int], records: list[Record]) -> list[Record]:
        """Keeps ranks after the request, so that the list as a whole drifts slowly."""
        for record in records:
            ranks.setdefault(record.key, len(ranks))
        if len(records) > 1:
            for _ in range(_SWAPS):
                one, other = self._rng.sample(records, 2)
                ranks[one.key], ranks[other.key] = ranks[other.key], ranks[one.key]
        return sorted(records, key=lambda record: ranks[record.key])
