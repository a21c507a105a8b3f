"""Faults that change the content of an answer, before the server sends any byte of it (see `faults`)."""

import time
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate

from .exchange import Answer, json_answer
from .faults import Effect

_HTML = b"<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>Back soon</h1></body></html>"
_NEVER_WHOLE = ("cut_body", "cut_chunked", "reset", "close", "stall")
_HTTP_DATE_AHEAD = 2
_NO_CONTENT = 204
_WRONG: dict[str, tuple[bytes, str]] = {
    "html": (_HTML, "text/html; charset=utf-8"),
    "empty": (b"", "application/json"),
    "string": (b'"ok"', "application/json"),
    "object": (b"{}", "application/json"),
    "array": (b"[]", "application/json"),
    "null": (b"null", "application/json"),
}


def status_answer(effect: Effect) -> Answer:
    """The status of the plan, with its body and Retry-After. With other effects the server never sends this answer."""
    headers = {} if effect.retry_after is None else {"Retry-After": _retry_after(effect.retry_after)}
    if effect.body is not None:
        return Answer(effect.status, effect.body.encode(), "text/plain; charset=utf-8", headers)
    code = effect.code or f"Status{effect.status}"
    return json_answer({"code": code, "message": "A fault was planned here"}, effect.status, headers)


def spoiled(answer: Answer, effect: Effect | None) -> tuple[Answer, bool]:
    """The answer after the fault, and whether its content reaches the client whole."""
    if effect is None:
        return answer, True
    if effect.kind == "status":
        return status_answer(effect), True
    if effect.kind == "wrong_content":
        return _wrong(answer, effect.content)
    return answer, effect.kind not in _NEVER_WHOLE


def _wrong(answer: Answer, content: str) -> tuple[Answer, bool]:
    if content == "content_type":
        return replace(answer, content_type="text/plain; charset=utf-8"), True
    if content == "truncated_json":
        return replace(answer, content=_half_of(answer)), False
    body, content_type = _WRONG[content]
    status = 200 if answer.status == _NO_CONTENT else answer.status
    return replace(answer, status=status, content=body, content_type=content_type), False


def _half_of(answer: Answer) -> Callable[[], bytes]:
    """Half the text with its own correct length: only the JSON shows that something is missing."""

    def half() -> bytes:
        body = answer.body()
        return body[: len(body) // 2]

    return half


def _retry_after(wanted: float | str) -> str:
    if isinstance(wanted, str):
        return formatdate(time.time() + _HTTP_DATE_AHEAD, usegmt=True)
    return f"{wanted:g}"
