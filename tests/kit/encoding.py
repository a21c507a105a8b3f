"""JSON as an API might write it, with numbers character by character."""

from __future__ import annotations

import json
from typing import Any


class Literal(str):
    """A number as JSON writes it, character by character; or any JSON that Python would not write."""


def encode(value: Any) -> str:
    """JSON that keeps literals as they are."""
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{encode(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(encode, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
