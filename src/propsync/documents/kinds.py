"""The kinds of document that an assessment has (API §4.7 and 4.8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from propsync.api import ApiRequest, bundle_request, report_request


@dataclass(frozen=True)
class Kind:
    """A kind of document: its request for an assessment's id, and the suffix of its files."""

    name: str
    request: Callable[[str], ApiRequest]
    suffix: str


KINDS = {kind.name: kind for kind in (Kind("report", report_request, ".pdf"), Kind("bundle", bundle_request, ".zip"))}
