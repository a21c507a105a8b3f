"""Puts posts on the disk in groups: all that come during one fsync share the next."""

from __future__ import annotations

import asyncio

from propsync.webhook.inbox import Inbox, Post


class Group:
    """Adds posts to an inbox for many tasks of one event loop."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._waiting: list[tuple[Post, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def add(self, post: Post) -> None:
        """Returns when the post is on the disk. Raises DiskFull, HomeUnusable."""
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((post, written))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        await written

    async def _write(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            failed: Exception | None = None
            try:
                await asyncio.to_thread(self._inbox.add, [post for post, _ in group])
            except Exception as error:  # noqa: BLE001 - each sender must hear of it, whatever it is
                failed = error
            for _, written in group:
                if not written.done():  # the sender may have gone
                    _conclude(written, failed)


def _conclude(written: asyncio.Future[None], failed: Exception | None) -> None:
    if failed is None:
        written.set_result(None)
    else:
        written.set_exception(failed)
