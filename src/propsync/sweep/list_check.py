"""Checks whether an answer is a list of records, before propsync knows its shape."""

from __future__ import annotations

from typing import Any

from propsync.api import Answer, ApiRequest
from propsync.records import count_of, decode_shallow, first_text, follow
from propsync.resources import Resource
from propsync.shapes import Choice, Shape, find_list
from propsync.sweep.totals import NoneCheck, is_total, no_list


class ListCheck:
    """A check of the answers for one resource: calling it returns the decoded page, or raises MalformedBody."""

    def __init__(self, resource: Resource, shape: Shape, check_none: NoneCheck | None = None) -> None:
        self._resource = resource
        self._shape = shape
        self._check_none = check_none or NoneCheck()
        self._said_nothing: set[ApiRequest] = set()

    def __call__(self, answer: Answer) -> Any:
        """Refuses an answer without any array, which is no list of any shape: another server answered, so propsync
        retries.
        """
        page = decode_shallow(answer.body)
        is_list = (
            self._is_bare_list(page, answer.request) if isinstance(page, list) else self._is_list(page, answer.request)
        )
        if not is_list:
            raise no_list(page, self._resource, str(answer.request))
        if isinstance(page, dict):
            total = count_of(page.get("total"))
            self._check_none(total, answer.body, str(answer.request), has_records=bool(total))
        self._said_nothing.discard(answer.request)  # propsync reads each empty list twice
        return page

    def _is_list(self, page: Any, request: ApiRequest) -> bool:
        total = count_of(page.get("total"))
        if total is None and self._resource.is_further:
            return self._is_uncounted_list(page, request)
        if not is_total(total) and (self._resource.is_paged or total is not None):
            return False
        if total and self._has_null_for_records(page):
            return False
        found = find_list([page], self._resource)
        if found is not None:
            return self._resource.is_paged or self._is_known(page, found)
        return self._resource.is_paged and _is_empty(page) and self._is_said_twice(request)

    def _is_known(self, page: dict[str, Any], found: Choice) -> bool:
        """Whether a list without a total is where it was, or has our records: a maintenance page may have `errors`."""
        known = self._shape.choices.get("list")
        if known is None or not known.paths or known.source == "configured" or {*found.paths} & {*known.paths}:
            return True
        return any(self._has_our_records(held) for path in found.paths if isinstance(held := follow(page, path), list))

    def _has_null_for_records(self, page: dict[str, Any]) -> bool:
        """Whether null has the place of the records: no other array in the page takes it."""
        documented = [(self._resource.list_member,)] if self._resource.list_member else []
        places = [path for path in (*self._shape.paths("list"), *documented) if path]
        outer = ((follow(page, path[:-1]), path[-1]) for path in places)
        return any(isinstance(one, dict) and name in one and one[name] is None for one, name in outer)

    def _is_uncounted_list(self, page: Any, request: ApiRequest) -> bool:
        """Whether an answer without a total is a list, which no document excludes: an empty one must come twice."""
        found, known = find_list([page], self._resource), self._shape.paths("list")
        if found is None or (known and not {*found.paths} <= {*known}):
            return False
        return any(follow(page, path) for path in found.paths) or self._is_said_twice(request)

    def _is_said_twice(self, request: ApiRequest) -> bool:
        """Asks again for an empty answer, which a server may send by mistake."""
        is_repeated = request in self._said_nothing
        self._said_nothing.add(request)
        return is_repeated

    def _is_bare_list(self, page: list[Any], request: ApiRequest) -> bool:
        known = self._shape.choices.get("list")
        if known is not None and known.paths:
            return () in known.paths or (known.source != "configured" and self._has_our_records(page))
        return bool(page) or (self._is_said_twice(request) and self._resource.list_member is None)

    def _has_our_records(self, page: list[Any]) -> bool:
        """Whether a list that comes whole has left its object: an array of errors has none of the ids known before."""
        is_whole = not (self._resource.is_paged or self._resource.is_further)
        return is_whole and any(first_text(one, self._shape.paths("id")) for one in page)


def _is_empty(page: Any) -> bool:
    """Whether the list is empty: an empty list may leave its array out."""
    return isinstance(page, dict) and page.get("total") == 0
