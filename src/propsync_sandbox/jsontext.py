"""JSON text in and out, with decimals as written (12.50 stays 12.50)."""

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

JsonObject = dict[str, Any]

# The standard encoder cannot write a Decimal, so it goes through as a marked string and loses its quotes after.
_MARK = "\ue000"
_MARKED_NUMBER = re.compile(f'"{_MARK}([-+0-9.Ee]+)"')


def _mark(value: object) -> object:
    if isinstance(value, Decimal):
        return f"{_MARK}{value}"
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence | set | frozenset):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_mark, allow_nan=False)


def encode(value: object) -> bytes:
    """Compact UTF-8 JSON."""
    text = _ENCODER.encode(value)
    if _MARK in text:
        text = _MARKED_NUMBER.sub(r"\1", text)
    return text.encode()


def decode_exactly(text: bytes) -> Any:
    """Keeps decimals as Decimal, so that an edit of one member does not rewrite another; refuses NaN and Infinity."""
    return json.loads(text, parse_float=Decimal, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
