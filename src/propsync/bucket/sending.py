"""A note in the bucket while a machine sends a plan: no other machine may send it then, or after that one died."""

from __future__ import annotations

import socket
from datetime import UTC, datetime

import msgspec

from propsync.bucket.home import BucketHome
from propsync.bucket.known import machine_id
from propsync.errors import UsageError
from propsync.storage import Storage

_FOLDER = "sending"


class _Sender(msgspec.Struct):
    machine: str
    host: str
    since: str


def begin_sending(bucket: BucketHome, plan_id: str) -> None:
    """Puts the note. Raises UsageError if another machine began to send this plan and has not recorded the result, or
    if nobody can tell.
    """
    key, me = f"{_FOLDER}/{plan_id}.json", machine_id(bucket.home)
    found = bucket.storage.tagged(key)
    if found:
        other = _sender(found[0], bucket.url, key)
        if other.machine != me:
            raise UsageError(
                f"plan {plan_id}",
                f"{other.host} began to send it at {other.since} and has not recorded the result",
                f"Let that machine finish with the same command. If it is lost, remove {key} from the bucket, then run "
                "the same command here: propsync looks first, and sends nothing twice",
            )
    now = datetime.now(UTC).isoformat(timespec="seconds")
    body = msgspec.json.encode(_Sender(me, socket.gethostname(), now))
    if bucket.storage.swap(key, body, found[1] if found else None) is None:
        raise UsageError(f"plan {plan_id}", "another machine begins to send it now", "Let that machine finish")


def _sender(body: bytes, url: str, key: str) -> _Sender:
    try:
        return msgspec.json.decode(body, type=_Sender)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        raise UsageError(
            f"{key} in {url}",
            "it is damaged, so propsync does not know whether another machine sends this plan",
            "If none does, remove that object and run the same command again",
        ) from None


def end_sending(storage: Storage, plan_id: str) -> None:
    """Removes the note: the bucket has the result."""
    storage.delete(f"{_FOLDER}/{plan_id}.json")
