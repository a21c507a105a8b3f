"""The `total` of an answer: whether it is a count, and its fault in words if it is none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from propsync.errors import MalformedBody
from propsync.records import count_of, has_error
from propsync.resources import Resource
from propsync.shapes import find_list

_LARGEST = 2**63 - 1  # the range of a BIGINT; no list is that long
_STEP = "Ask the people who run the API: its document promises a whole number as the total of each list"
_ERROR = "Run the same command again later, or show this line to the people who run the API"
_ARRAY = "Ask the people who run the API for an array of records: propsync reads no other list"


def is_total(count: int | None) -> bool:
    """Whether it can be the length of a list."""
    return count is not None and count <= _LARGEST


def no_count(where: str) -> MalformedBody:
    """The error for a page of a list whose total is missing, or is no count."""
    return MalformedBody(where, "the answer is not a page of the list: its total is not a count", _STEP)


class NoneCheck:
    """A check of the answers for one resource that have no records. Beside an error, nothing is known to be gone.

    Some services write in any language that they found nothing, and nobody could read their empty lists. So once an
    answer has shown records without an error, only an error with a word for a fault counts.
    """

    def __init__(self) -> None:
        self._is_sound = False

    def __call__(self, total: int | None, body: bytes, where: str, *, has_records: bool) -> None:
        """Raises MalformedBody if an answer counts no records beside an error."""
        if has_records:
            self._is_sound = self._is_sound or not has_error(body)
        elif total == 0 and has_error(body, is_sure=self._is_sound):
            raise error_alone(where)


def error_alone(where: str) -> MalformedBody:
    """The error for an answer that has an error where records should be."""
    return MalformedBody(where, "the answer has an error and no records", _ERROR)


def no_list(page: Any, resource: Resource, where: str) -> MalformedBody:
    """The error for an answer that is no list. An array in it shows that the API itself answered, and no login page."""
    if _is_keyed(page):
        return MalformedBody(where, "the answer is an object keyed by id, and no array", _ARRAY)
    fault = _fault(page) if isinstance(page, dict) and resource.is_paged else None
    if fault is None or find_list([page], resource) is None:
        return MalformedBody(where, "the answer is JSON, but not a list")
    return MalformedBody(where, f"the answer has an array, {fault}", _STEP)


def _is_keyed(page: Any) -> bool:
    """Whether it is an object of records that share a member, or has one: `{"k1": {"name": …}, "k2": {"name": …}}`.

    Beside a total one record is enough: propsync requests some pages with a limit of 1.
    """
    if not isinstance(page, dict):
        return False
    least = 1 if is_total(count_of(page.get("total"))) else 2
    return any(_are_alike(list(one.values()), least) for one in (page, *page.values()) if isinstance(one, dict))


def _are_alike(records: Sequence[Any], least: int) -> bool:
    if len(records) < least or not all(isinstance(one, dict) for one in records):
        return False
    return bool(set.intersection(*(set(one) for one in records)))


def _fault(page: dict[str, Any]) -> str | None:
    """The fault of a page's total, as the end of a sentence; None if it is a count."""
    if "total" not in page:
        return "but no total"
    total = page["total"]
    return None if is_total(count_of(total)) else f"but its total is not a whole number: {json.dumps(total)[:40]}"
