"""Seeds run in a process of their own: the simulation changes propsync there, and other tests must not see that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from .seeds import Verdict, live

Lived = Callable[..., Verdict]


@pytest.fixture(scope="module")
def lived() -> Iterator[Lived]:
    """`live` of `seeds`, elsewhere."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield lambda *what: pool.submit(live, *what).result()
