"""Builds requests of the twelve endpoints (API §4), which other modules send; `resources` says what the API lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import quote, urlencode

from propsync.errors import UsageError
from propsync.resources import ListQuery, Resource

LONGEST_VALUE = 1_000
"""Characters of one id or status, percent-encoded: two of them, all statuses and the rest fit into 4,000."""
_SLASH = re.compile(r"[/\\]")


class Accept(Enum):
    """The kind of body that a good answer must have."""

    JSON = "an object or an array"
    JSON_OR_NULL = "an object, an array or null"  # an API may send null for a schedule that is gone
    PDF = "a PDF"
    ZIP = "a ZIP"
    NOTHING = "no body"

    @property
    def media_type(self) -> str:
        """The value of the Accept header."""
        # It ends in */*: an error answer is JSON, and a strict server may refuse to send it otherwise.
        return {Accept.PDF: "application/pdf, */*;q=0.1", Accept.ZIP: "application/zip, */*;q=0.1"}.get(
            self, "application/json"
        )


@dataclass(frozen=True, slots=True)
class Rest:
    """The bytes of a body from `after` on, if the server still has the version with this strong ETag (If-Range)."""

    after: int
    etag: str


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One request: `path` is already percent-encoded and relative to base_url, `query` is not encoded yet.

    `rest` asks for the end of a body whose beginning propsync has. With `once`, propsync never repeats the request: it
    may fail without harm.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    accept: Accept = Accept.JSON
    rest: Rest | None = None
    once: bool = field(default=False, compare=False)

    @property
    def is_document(self) -> bool:
        """Whether it asks for a report or a bundle (API §4.7, 4.8)."""
        return self.accept in (Accept.PDF, Accept.ZIP)

    def target(self) -> str:
        """Path and query as sent. Commas remain: the API separates ids by them, and URLs stay short."""
        return f"{self.path}?{urlencode(self.query, safe=',', quote_via=quote)}" if self.query else self.path

    def url_length(self, base_url: str) -> int:
        """Characters of the whole address, to keep it under a bound."""
        return len(base_url.rstrip("/")) + len(self.target())

    def __str__(self) -> str:
        return f"{self.method} {self.target()}"


def why_unaskable(value: str) -> str | None:
    """The reason why no filter can ask for an id or status; None if one can."""
    if not value:
        return "it is empty"
    if "," in value:
        return "it holds a comma, which separates values in an address"
    return _why_unwritable(value)


def _why_unwritable(value: str) -> str | None:
    try:
        length = len(quote(value, safe=""))
    except UnicodeEncodeError:
        return "it holds half a character, which an address cannot hold"
    if length > LONGEST_VALUE:
        return f"it takes {length:,} characters in an address, which holds at most {LONGEST_VALUE:,}"
    return None


def path_to(*segments: str) -> str:
    """A path from segments, ids percent-encoded. Raises UsageError for an id that cannot be part of a path."""
    for segment in segments:
        why = why_no_segment(segment)
        if why is not None:
            raise UsageError(f"id {segment[:40]!r}", f"an address cannot hold it: {why}", "Give another id")
    return "".join("/" + quote(segment, safe="") for segment in segments)


def why_no_segment(segment: str) -> str | None:
    """The reason why no path can hold an id; None if one can."""
    if not segment:
        return "it is empty"
    # Clients and servers resolve "." and ".." away, some after they decode "%2F": the request would reach another
    # endpoint.
    if any(not part.strip(".") and part for part in _SLASH.split(segment)):
        return "a part of it is made of dots only"
    return _why_unwritable(segment)


def page_request(
    resource: Resource, query: ListQuery, limit: int, page: int = 1, accept: Accept = Accept.JSON
) -> ApiRequest:
    """One page of a list (API §4.1, 4.2, 4.5, 4.6, 4.9), of up to `limit` records, or all of a list without pages.

    `resources` says what the API can filter by; values of filters are those that `why_unaskable` accepts.
    """
    paging = (("limit", str(limit)), ("page", str(page))) if resource.is_paged else ()
    return ApiRequest("GET", resource.path, (*paging, *query.filters), accept=accept)


def schedule_request(property_id: str, type_id: str, method: str = "GET", body: bytes | None = None) -> ApiRequest:
    """GET (a schedule), PUT or DELETE (204, no body) of one schedule (API §4.10–4.12)."""
    accept = Accept.JSON_OR_NULL if method == "GET" else Accept.NOTHING
    return ApiRequest(method, path_to("assessments", "schedules", property_id, type_id), body=body, accept=accept)


def report_request(assessment_id: str) -> ApiRequest:
    """GET /assessments/{assessmentId}/report.pdf (API §4.7)."""
    return ApiRequest("GET", path_to("assessments", assessment_id, "report.pdf"), accept=Accept.PDF)


def bundle_request(assessment_id: str) -> ApiRequest:
    """GET /assessments/{assessmentId}/bundle.zip (API §4.8)."""
    return ApiRequest("GET", path_to("assessments", assessment_id, "bundle.zip"), accept=Accept.ZIP)


def create_asset_request(property_id: str, body: bytes) -> ApiRequest:
    """POST /properties/{propertyId}/assets (API §4.3)."""
    return ApiRequest("POST", path_to("properties", property_id, "assets"), body=body)


def update_asset_request(property_id: str, asset_id: str, body: bytes) -> ApiRequest:
    """PATCH /properties/{propertyId}/assets/{assetId} (API §4.4)."""
    path = path_to("properties", property_id, "assets", asset_id)
    return ApiRequest("PATCH", path, body=body, accept=Accept.NOTHING)
