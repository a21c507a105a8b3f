"""The signature of a post, by the Standard Webhooks 1.0: headers webhook-id, webhook-timestamp, webhook-signature."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping

TOLERANCE = 300
"""Seconds that the sender's clock may differ from ours."""


def why_unsigned(key: bytes, headers: Mapping[str, str], body: bytes, now: float) -> str | None:
    """Why nobody can believe a post; None if `key` signed it within `TOLERANCE` of `now` (epoch seconds)."""
    sent_at = headers.get("webhook-timestamp", "")
    expected = signature(key, headers.get("webhook-id", ""), sent_at, body)
    given = [one.removeprefix("v1,") for one in headers.get("webhook-signature", "").split() if one.startswith("v1,")]
    matches = [hmac.compare_digest(expected.encode(), one.encode(errors="replace")) for one in given]
    if not any(matches) or not (sent_at.isascii() and sent_at.isdecimal()):
        return "PROPSYNC_WEBHOOK_SIGNING_KEY did not sign it"
    age = now - int(sent_at[:15])
    if abs(age) <= TOLERANCE:
        return None
    where = "before" if age > 0 else "after"
    return f"it was signed {abs(age) / 60:,.0f} minutes {where} the time of this machine. Correct its clock"


def signature(key: bytes, message_id: str, sent_at: str, body: bytes) -> str:
    """The signature of a message in base64."""
    signed = f"{message_id}.{sent_at}.".encode(errors="replace") + body
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
