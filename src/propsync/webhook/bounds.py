"""Bounds on a receiver: requests a minute from one address, and bytes of bodies in memory at once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

_MINUTE = 60.0
_MOST_ADDRESSES = 10_000


class Rate:
    """Lets at most `most` requests a minute of each address pass; it remembers a bounded number of addresses."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._passed: OrderedDict[str, deque[float]] = OrderedDict()

    def passes(self, address: str, now: float) -> bool:
        """Whether another request of an address may pass at `now` (seconds of any steady clock)."""
        times = self._passed.setdefault(address, deque())
        self._passed.move_to_end(address)
        while times and times[0] <= now - _MINUTE:
            times.popleft()
        if len(times) >= self._most:
            return False
        times.append(now)
        if len(self._passed) > _MOST_ADDRESSES:
            self._passed.popitem(last=False)
        return True


class Room:
    """Memory for bodies: at most `size` bytes at once."""

    def __init__(self, size: int) -> None:
        self._free = size
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def of(self, size: int) -> AsyncIterator[None]:
        """Waits for that many bytes, and keeps them during the block."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._free >= size)
            self._free -= size
        try:
            yield
        finally:
            self._free += size  # before the lock, since a post whose time is over does not get that far
            async with self._changed:
                self._changed.notify_all()
