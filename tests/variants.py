"""Of the many variants of a costly test some run every day, spread over all of them; `VARIANTS=all` runs each."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")
IS_ALL = os.environ.get("VARIANTS") == "all"


def some(variants: Iterable[T], most: int) -> list[T]:
    """At most so many, among them the first and the last but where `most` is 1; all of them with `VARIANTS=all`."""
    found = list(variants)
    if IS_ALL or len(found) <= most:
        return found
    return [found[place * (len(found) - 1) // max(1, most - 1)] for place in range(most)]
