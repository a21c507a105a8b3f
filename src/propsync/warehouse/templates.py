"""SQL as files have it: `{{fragments}}` to fill, and comments that only people read."""

from __future__ import annotations

import re
from collections.abc import Mapping

_FRAGMENT = re.compile(r"\{\{(\w+)\}\}")
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)


def filled(sql: str, fragments: Mapping[str, str]) -> str:
    """A template under `sql/` with its `{{fragments}}` in place."""
    return _FRAGMENT.sub(lambda found: fragments[found[1]], sql)


def without_comments(sql: str) -> str:
    """The same without the lines that are comments."""
    return _COMMENT.sub("", sql)
