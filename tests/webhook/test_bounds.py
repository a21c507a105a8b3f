"""Memory for posts: whatever happens to one, its bytes are free again."""

from __future__ import annotations

import asyncio

import pytest

from propsync.webhook.bounds import Room


def test_a_post_that_is_over_while_others_hold_the_lock_gives_its_bytes_back() -> None:
    async def lived() -> None:
        room = Room(10)
        is_in, may_leave = asyncio.Event(), asyncio.Event()

        async def post() -> None:
            async with room.of(10):
                is_in.set()
                await may_leave.wait()

        posted = asyncio.create_task(post())
        await is_in.wait()
        async with room._changed:  # another post looks for room just now
            may_leave.set()
            await asyncio.sleep(0)
            posted.cancel()
            with pytest.raises(asyncio.CancelledError):
                await posted
        async with asyncio.timeout(1), room.of(10):
            pass

    asyncio.run(lived())
