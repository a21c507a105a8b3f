"""A note in the bucket while a machine sends a plan: no other machine may send it then, or after that one died.

Beside it is a copy of the journal. If that machine is lost, another one continues from there.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec

from propsync.bucket.home import BucketHome
from propsync.bucket.known import machine_id
from propsync.errors import UsageError
from propsync.storage import LocalStorage, Storage

_FOLDER = "sending"
_NOTE, _JOURNAL = ".json", ".jsonl"


class _Sender(msgspec.Struct):
    machine: str
    host: str
    since: str


def begin_sending(bucket: BucketHome, plan_id: str) -> None:
    """Puts the note. Raises UsageError if another machine began to send this plan and has not recorded the result, or
    if nobody can tell.
    """
    key, me = _note(plan_id), machine_id(bucket.home)
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


def senders(storage: Storage, url: str) -> Iterator[str]:
    """A line about each plan that a machine began to send, and whose result the bucket does not have."""
    for key in storage.list(_FOLDER):
        if key.endswith(_NOTE) and (found := storage.tagged(key)):
            sender, plan_id = _sender(found[0], url, key), key.rpartition("/")[2].removesuffix(_NOTE)
            yield f"{sender.host} began to send plan {plan_id} at {sender.since}, and has not recorded the result"


def put_journal(storage: Storage, url: str, home: LocalStorage, plan_id: str, body: bytes) -> None:
    """Puts a copy of the journal as it is now, unless another machine has taken this plan over, or ended it."""
    note = storage.tagged(_note(plan_id))
    if note and _sender(note[0], url, _note(plan_id)).machine == machine_id(home):
        storage.put(_copy(plan_id), body)


def lost_journal(storage: Storage, url: str, home: LocalStorage, plan_id: str) -> bytes | None:
    """The copy of the journal of a machine that is lost: somebody has removed its note. None if there is none."""
    note = storage.tagged(_note(plan_id))
    if note and _sender(note[0], url, _note(plan_id)).machine != machine_id(home):
        return None
    found = storage.tagged(_copy(plan_id))
    return found[0] if found else None


def journal_copies(storage: Storage) -> Iterator[tuple[str, bytes]]:
    """The copies of all journals, each with its key."""
    for key in storage.list(_FOLDER):
        if key.endswith(_JOURNAL) and (found := storage.tagged(key)):
            yield key, found[0]


def end_sending(storage: Storage, plan_id: str) -> None:
    """Removes the copy and then the note: the bucket has the result."""
    storage.delete(_copy(plan_id))
    storage.delete(_note(plan_id))


def _note(plan_id: str) -> str:
    return f"{_FOLDER}/{plan_id}{_NOTE}"


def _copy(plan_id: str) -> str:
    return f"{_FOLDER}/{plan_id}{_JOURNAL}"


def _sender(body: bytes, url: str, key: str) -> _Sender:
    try:
        return msgspec.json.decode(body, type=_Sender)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        raise UsageError(
            f"{key} in {url}",
            "it is damaged, so propsync does not know whether another machine sends this plan",
            "If none does, remove that object and run the same command again",
        ) from None
