"""Reads and writes JSON, whatever the size of its numbers: JSON sets no bound, Python and msgspec do."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

_LONGEST = 4_000  # digits; Python refuses to read integers of more than 4300


def decoder(number: Callable[[str], Any]) -> Callable[[bytes | str | msgspec.Raw], Any]:
    """A decoder that passes numbers other than 64-bit integers to `number`, as they are written.

    The decoder raises ValueError if its input is not JSON.
    """
    fast = msgspec.json.Decoder(float_hook=number)

    def decode(text: bytes | str | msgspec.Raw) -> Any:
        try:
            return fast.decode(text)
        except msgspec.DecodeError:
            # probably an integer of thousands of digits
            plain = text if isinstance(text, str) else bytes(text)
            return json.loads(plain, parse_int=number, parse_float=number)

    return decode


def _number(literal: str) -> int | float:
    is_whole = literal.lstrip("-").isdigit() and len(literal) <= _LONGEST
    return int(literal) if is_whole else float(literal)


decode = decoder(_number)
"""A page or a record as Python values; a number too big for a float is infinite."""

encode = msgspec.json.Encoder(decimal_format="number").encode
"""Python values as JSON; a Decimal is a number."""
