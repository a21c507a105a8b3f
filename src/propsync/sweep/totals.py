"""The `total` of an answer: whether it is a count, and its fault in words if it is none."""

from __future__ import annotations

import json
from typing import Any

from propsync.api import MalformedBody
from propsync.records import count_of
from propsync.resources import Resource
from propsync.shapes import find_list

_LARGEST = 2**63 - 1  # the range of a BIGINT; no list is that long
_STEP = "Ask the people who run the API: its document promises a whole number as the total of each list"


def is_total(count: int | None) -> bool:
    """Whether it can be the length of a list."""
    return count is not None and count <= _LARGEST


def no_list(page: Any, resource: Resource, where: str) -> MalformedBody:
    """The error for an answer that is no list. An array in it shows that the API itself answered, and no login page."""
    fault = _fault(page) if isinstance(page, dict) and resource.is_paged else None
    if fault is None or find_list([page], resource) is None:
        return MalformedBody(where, "the answer is JSON, but not a list")
    return MalformedBody(where, f"the answer has an array, {fault}", _STEP)


def _fault(page: dict[str, Any]) -> str | None:
    """The fault of a page's total, as the end of a sentence; None if it is a count."""
    if "total" not in page:
        return "but no total"
    total = page["total"]
    return None if is_total(count_of(total)) else f"but its total is not a whole number: {json.dumps(total)[:40]}"
