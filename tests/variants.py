"""Some variants of a costly test run in `make test`, spread over all; the others run with `VARIANTS=all` alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
IS_ALL = os.environ.get("VARIANTS") == "all"


def some(variants: Iterable[T], most: int) -> list[T]:
    """At most `most` of them, the first and the last included unless `most` is 1; all of them with `VARIANTS=all`."""
    found = list(variants)
    return found if IS_ALL else _spread(found, most)


def daily(variants: Iterable[Any], most: int, *, is_row: bool = False) -> list[Any]:
    """Those of `some`; with `VARIANTS=all` the others too, as slow ones. `is_row`: a variant has several names."""
    found = list(variants)
    chosen = _spread(range(len(found)), most)
    return [
        one if place in chosen else pytest.param(*(one if is_row else [one]), marks=pytest.mark.slow)
        for place, one in enumerate(found)
        if place in chosen or IS_ALL
    ]


def slow(*variants: Any) -> list[Any]:
    """These variants, as slow ones."""
    return [pytest.param(one, marks=pytest.mark.slow) for one in variants]


def _spread(found: Sequence[T], most: int) -> list[T]:
    if len(found) <= most:
        return list(found)
    return [found[place * (len(found) - 1) // max(1, most - 1)] for place in range(most)]
