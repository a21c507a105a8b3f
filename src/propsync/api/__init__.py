"""The client of the API: requests, answers, one gate, one retry policy."""

from propsync.api.answers import Answer, Saved, Traffic, TrafficMark
from propsync.api.bodies import check_body, check_text
from propsync.api.client import Api
from propsync.api.clock import SYSTEM_CLOCK
from propsync.api.exchange import Check, checked
from propsync.api.notices import post_notice
from propsync.api.requests import (
    Accept,
    ApiRequest,
    bundle_request,
    page_request,
    report_request,
    schedule_request,
    why_no_segment,
    why_unaskable,
)
from propsync.api.retry import BUSY, RetryPolicy, Sent
from propsync.api.status_codes import NO_CONTENT, is_redirect, is_success
from propsync.api.token import TokenSource
from propsync.api.write_codes import WriteErrorCode
from propsync.api.writes import FieldKind, ScheduleChanges, check_values

__all__ = [
    "BUSY",
    "NO_CONTENT",
    "SYSTEM_CLOCK",
    "Accept",
    "Answer",
    "Api",
    "ApiRequest",
    "Check",
    "FieldKind",
    "RetryPolicy",
    "Saved",
    "ScheduleChanges",
    "Sent",
    "TokenSource",
    "Traffic",
    "TrafficMark",
    "WriteErrorCode",
    "bundle_request",
    "check_body",
    "check_text",
    "check_values",
    "checked",
    "is_redirect",
    "is_success",
    "page_request",
    "post_notice",
    "report_request",
    "schedule_request",
    "why_no_segment",
    "why_unaskable",
]
