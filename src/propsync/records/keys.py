"""A record's key as one text, for tables that name records of any resource."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PART = re.compile(r"(?:[^/\\]|\\.)+", re.DOTALL)


def record_id(key: Sequence[str]) -> str:
    r"""The key as it is. Several parts are joined by `/`, with `\` and `/` inside a part written `\\` and `\/`.

    So no two keys have one text: (`a/b`, `c`) is `a\/b/c` and (`a`, `b/c`) is `a/b\/c`.
    """
    return key[0] if len(key) == 1 else "/".join(map(_escaped, key))


def key_of(text: str) -> tuple[str, ...]:
    """The parts of a key that `record_id` joined."""
    return tuple(re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in _PART.findall(text))


def _escaped(part: str) -> str:
    return part.replace("\\", "\\\\").replace("/", "\\/")
