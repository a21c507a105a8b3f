"""The faults of a page of a list: the effects `total`, `move_rows` and `hide`."""

import threading
from random import Random

from .exchange import Request
from .faults import Effect
from .shelf import Record


class Tear:
    """Remembers rows that wait for the next page of their list."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rng = Random("tear")
        self._moved: dict[tuple[object, ...], tuple[int, int]] = {}

    def total(self, total: int, effect: Effect | None, limit: int, shown: int) -> int:
        """The true total, or a lie: of full pages only, of the page, of nothing, or one near the truth."""
        if effect is None or effect.kind != "total":
            return total
        if effect.how != "by":
            return {"capped": min(total, effect.pages * limit), "page": shown, "nothing": 0}[effect.how]
        if effect.random:
            with self._lock:
                lie = self._rng.choice((-1, 1)) * self._rng.randint(1, max(2, total // 10))
        else:
            lie = effect.by
        return max(0, total + lie)

    @staticmethod
    def without_hidden(records: list[Record], effect: Effect | None) -> list[Record]:
        """All but the first by key, whatever the filter, if the effect is `hide`."""
        if effect is None or effect.kind != "hide":
            return records
        hidden = {record.key for record in sorted(records, key=lambda record: record.key)[: effect.rows]}
        return [record for record in records if record.key not in hidden]

    def rows(self, matching: list[Record], request: Request, page: int, limit: int) -> list[Record]:
        first, end, effect = (page - 1) * limit, page * limit, request.effect
        matching = self._settle_moved(matching, request, page, limit)
        if effect is None or effect.kind != "move_rows":
            return matching[first:end]
        count = effect.rows
        if effect.how == "to_next":
            self._remember_move(request, page, limit, count)
            matching = _swapped(matching, first, end, count)
        rows = matching[first:end]
        if effect.how == "shift":
            # The whole list slides by `count`: those rows are on no page, the next page's first come twice.
            return matching[first + count : end + count]
        if effect.how == "duplicate":
            return (rows[:count] + rows)[:limit]
        return rows[count:] if effect.how == "drop" else rows

    def _remember_move(self, request: Request, page: int, limit: int, count: int) -> None:
        with self._lock:
            self._moved[self._place(request, page + 1)] = (count, limit)

    def _settle_moved(self, matching: list[Record], request: Request, page: int, limit: int) -> list[Record]:
        """The other half of a swap, once."""
        with self._lock:
            moved = self._moved.pop(self._place(request, page), None)
        if moved is None or moved[1] != limit:
            return matching
        return _swapped(matching, (page - 2) * limit, (page - 1) * limit, moved[0])

    @staticmethod
    def _place(request: Request, page: int) -> tuple[object, ...]:
        filters = {name: text for name, text in request.query.items() if name != "page"}
        return (request.path, page, *sorted(filters.items()))


def _swapped(rows: list[Record], first: int, end: int, count: int) -> list[Record]:
    """The first rows of the page [first, end) change places with the first of the page after."""
    count = min(count, end - first, max(0, len(rows) - end))
    swapped = list(rows)
    swapped[first : first + count] = rows[end : end + count]
    swapped[end : end + count] = rows[first : first + count]
    return swapped
