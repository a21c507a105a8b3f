"""When to read what hints name: some seconds after the first one, and again when a look is due."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from propsync.errors import PropsyncError

_AFTER_FAILURE = 60.0  # seconds; twice as many after each further failure, since a read may rebuild the home first
_LONGEST = 600.0
_PAUSE = 5.0
_log = logging.getLogger("propsync.webhook")

Read = Callable[[], Awaitable[datetime | None]]


class Wakes:
    """Calls `read` in time, one call after the other. `read` returns when it wants to be called again."""

    def __init__(self, wait_seconds: float, read: Read, *, pause: float = _PAUSE) -> None:
        self._wait, self._read, self._pause = wait_seconds, read, pause
        self._at: float | None = 0.0  # hints may be left from before
        self._put_off_by, self._not_before = 0.0, 0.0
        self._changed = asyncio.Event()

    def hint(self) -> None:
        """A hint came that names something to read; further ones before the call ask for no other."""
        self._want(max(self._now() + self._wait, self._not_before))

    async def run(self) -> None:
        """Calls until it is cancelled."""
        while True:
            await self._sleep()
            self._at = None
            try:
                look_at = await self._read()
            except (PropsyncError, OSError, ValueError, LookupError) as error:
                _log.warning("%s. propsync tries again in %g s", error, self._put_off())
            except Exception:  # noqa: BLE001 - a receiver that never reads again would look healthy
                _log.exception("reading hints failed unexpectedly. propsync tries again in %g s", self._put_off())
            else:
                self._put_off_by = 0.0
                if look_at is not None:
                    seconds = (look_at - datetime.now(UTC)).total_seconds()
                    # a look that is still overdue after a read will not come sooner by hurry
                    self._want(self._now() + (seconds if seconds > 0 else 6 * self._pause))
            await asyncio.sleep(self._pause)

    def _put_off(self) -> float:
        """Asks for the next call, which no hint brings forward; returns the seconds until then."""
        self._put_off_by = min(2 * self._put_off_by or _AFTER_FAILURE, _LONGEST)
        self._not_before = self._now() + self._put_off_by
        self._want(self._not_before)
        return self._put_off_by

    async def _sleep(self) -> None:
        """Until the time has come, which a hint may bring forward."""
        while (seconds := self._seconds()) is None or seconds > 0:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), seconds)
            except TimeoutError:
                return

    def _seconds(self) -> float | None:
        return None if self._at is None else self._at - self._now()

    def _want(self, at: float) -> None:
        if self._at is None or at < self._at:
            self._at = at
            self._changed.set()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()
