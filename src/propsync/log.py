"""Secrets, and their redaction in texts and log records. The process decides where its log lines go."""

from __future__ import annotations

import base64
import json
import logging
import re
import threading
import traceback
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"
# A shorter secret would blank out parts of unrelated words, and protects nothing.
_SHORTEST_SECRET = 4
_SHORTEST_BASE64 = 8

_lock = threading.Lock()
_forms: set[str] = set()
_pattern: re.Pattern[str] | None = None


def conceal(secret: str) -> None:
    """Makes `redact` hide `secret`, and its URL-encoded, escaped and base64 forms, from now on."""
    global _pattern
    if len(secret) < _SHORTEST_SECRET:
        return
    with _lock:
        _forms.update(_forms_of(secret))
        _pattern = re.compile("|".join(re.escape(form) for form in sorted(_forms, key=len, reverse=True)))


def redact(text: str) -> str:
    """`text` with every concealed secret replaced by `[redacted]`."""
    return _pattern.sub(REDACTED, text) if _pattern is not None else text


def _forms_of(secret: str) -> set[str]:
    escaped = {repr(secret)[1:-1], json.dumps(secret)[1:-1], quote(secret, safe=""), quote(secret), quote_plus(secret)}
    return {secret, *escaped, *_base64_forms(secret.encode())}


def _base64_forms(secret: bytes) -> Iterator[str]:
    # In base64 a secret looks different at each of the three places where it can start; only whole characters are its
    # own.
    for shift in range(3):
        start, end = -(-shift * 8 // 6), (shift + len(secret)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            form = encode(bytes(shift) + secret).decode()[start:end]
            if len(form) >= _SHORTEST_BASE64:
                yield form


def guard_records() -> None:
    """Keeps every concealed secret out of the log records of this process, whatever the logger and handler.

    Redacts each record as Python makes it, so it covers libraries with handlers of their own (Prefect). It changes the
    process, so only the owners of a process call it: the command line and the flows.
    """
    make = logging.getLogRecordFactory()
    if getattr(make, "redacts", False):
        return

    def make_redacted(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        redact_record(record)
        return record

    make_redacted.redacts = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(make_redacted)


def redact_record(record: logging.LogRecord) -> bool:
    """Redacts message, arguments and exception text of a record in place; always True, so that it can be a filter."""
    if _pattern is None:
        return True
    # Formats now: a handler that reads the arguments later would show them unredacted.
    record.msg, record.args = redact(_message_of(record)), None
    if record.exc_info and record.exc_info[0] is not None and not record.exc_text:
        # Formatters use exc_text if it is set, and would print the exception itself if not.
        record.exc_text = redact("".join(traceback.format_exception(*record.exc_info)).rstrip("\n"))
    if record.stack_info:
        record.stack_info = redact(record.stack_info)
    return True


def _message_of(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError):
        # logging itself would print such arguments to standard error unredacted.
        return f"{record.msg} {record.args!r}"
