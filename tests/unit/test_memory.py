"""Freed memory goes back to the system, although something small is still in use above it."""

from __future__ import annotations

import ctypes
import resource
from pathlib import Path

import pytest

from propsync.landing import PageStore
from propsync.memory import Passing, give_back
from propsync.storage import LocalStorage

_BODIES = 1_000
_BODY = 100_000  # bytes: too few for a mapping of its own, so the C library keeps the place
_MOST = _BODIES * _BODY // 2

pytestmark = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="glibc alone keeps what is freed")


def at_first() -> int:
    """Memory in use, once what other tests of this process freed has gone back."""
    give_back()
    return in_memory()


def in_memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def holes() -> list[bytes]:
    """Frees bodies that lie between small values, and returns the values."""
    bodies, values = [], []
    for number in range(_BODIES):
        bodies.append(bytes([number % 255 + 1]) * _BODY)
        values.append(bytes([number % 255 + 1]) * 1_000)
    return values


def test_freed_memory_goes_back() -> None:
    before = at_first()
    values = holes()
    kept = in_memory() - before
    give_back()
    assert len(values) == _BODIES
    assert kept > _MOST > in_memory() - before


def test_bodies_that_pass_give_memory_back_each_time_so_many_bytes_have_passed() -> None:
    before = at_first()
    passing = Passing(between=10 * _BODY)
    values = holes()
    for _ in range(9):
        passing.note(_BODY)
    kept = in_memory() - before
    passing.note(_BODY)
    assert len(values) == _BODIES
    assert kept > _MOST > in_memory() - before


def test_pages_that_a_store_takes_or_returns_give_memory_back(tmp_path: Path) -> None:
    pages, body = PageStore(LocalStorage(tmp_path)), b"[" + bytes(1_000_000) + b"]"
    sha256 = pages.put(body, body)
    for use in (lambda: pages.put(body, body), lambda: pages.get(sha256)):
        before = at_first()
        values = holes()
        kept = in_memory() - before
        for _ in range(34):
            use()
        assert len(values) == _BODIES
        assert kept > _MOST > in_memory() - before
