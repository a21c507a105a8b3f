"""A store that normalises what callers write: it keeps another value than it received, as some systems do.

It trims texts and collapses their spaces, rounds numbers to two decimals, and sorts the ids in a list.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from .jsontext import JsonObject

_CENT = Decimal("0.01")


def tidied(values: JsonObject) -> JsonObject:
    """The values of a POST or PATCH, or the members of a PUT, as such a store keeps them."""
    return {name: _tidied(value) for name, value in values.items()}


def _tidied(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, Decimal):
        return _rounded(value)
    if isinstance(value, Sequence):
        return sorted(value)
    return value


def _rounded(number: Decimal) -> Decimal:
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or exponent >= -2:
        return number
    digits = max(number.adjusted(), 0) + 4
    return number.quantize(_CENT, ROUND_HALF_UP, Context(prec=digits))
