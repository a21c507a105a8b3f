"""Freed memory goes back to the system, although something small is still in use above it."""

from __future__ import annotations

import ctypes
import multiprocessing
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from propsync.landing import PageStore
from propsync.memory import Passing, give_back
from propsync.storage import LocalStorage

_BODIES = 1_000
_BODY = 100_000  # bytes: too few for a mapping of its own, so the C library keeps the place
_MOST = _BODIES * _BODY // 2
Measured = tuple[int, int]
"""Bytes that stay in memory once the bodies are freed, and after what should give them back."""

pytestmark = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="glibc alone keeps what is freed")


@pytest.fixture
def alone() -> Iterator[Callable[..., Any]]:
    """Calls a function in a new process: among what other tests left in memory, small values find room elsewhere."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield lambda function, *arguments: pool.apply(function, arguments)


def in_memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def holes() -> list[bytes]:
    """Frees bodies that lie between small values, and returns the values."""
    bodies, values = [], []
    for number in range(_BODIES):
        bodies.append(bytes([number % 255 + 1]) * _BODY)
        values.append(bytes([number % 255 + 1]) * 1_000)
    return values


def measured(*uses: Callable[[], object]) -> Measured:
    """The bytes that stay in memory before the last of `uses`, and after it."""
    # imports that compile their modules leave room in which the small values would lie, and not above the bodies
    filling = [bytes([number % 255 + 1]) * 1_000 for number in range(20_000)]
    give_back()
    before = in_memory()
    values = holes()
    for use in uses[:-1]:
        use()
    kept = in_memory() - before
    uses[-1]()
    assert (len(values), len(filling)) == (_BODIES, 20_000)
    return kept, in_memory() - before


def after_give_back() -> Measured:
    return measured(give_back)


def after_bodies_have_passed() -> Measured:
    passing = Passing(between=10 * _BODY)
    return measured(*[lambda: passing.note(_BODY)] * 10)


def after_pages(folder: Path) -> list[Measured]:
    pages, body = PageStore(LocalStorage(folder)), b"[" + bytes(1_000_000) + b"]"
    sha256 = pages.put(body, body)

    def put() -> None:
        for _ in range(34):
            pages.put(body, body)

    def get() -> None:
        for _ in range(34):
            pages.get(sha256)

    return [measured(put), measured(get)]


def test_freed_memory_goes_back(alone: Callable[..., Measured]) -> None:
    kept, left = alone(after_give_back)
    assert kept > _MOST > left


def test_bodies_that_pass_give_memory_back_each_time_so_many_bytes_have_passed(alone: Callable[..., Measured]) -> None:
    kept, left = alone(after_bodies_have_passed)
    assert kept > _MOST > left


def test_pages_that_a_store_takes_or_returns_give_memory_back(
    alone: Callable[..., list[Measured]], tmp_path: Path
) -> None:
    for kept, left in alone(after_pages, tmp_path):
        assert kept > _MOST > left
