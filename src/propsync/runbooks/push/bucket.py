"""The note in the bucket that keeps other machines from a plan while one sends it, and the copy of its journal."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from propsync.bucket import begin_sending, end_sending, journal_copies, lost_journal, put_journal
from propsync.errors import StopRun, UsageError
from propsync.push.journals.journal import journal_key
from propsync.runbooks.workplace import Workplace, object_storage, workplace
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import Suppression

_PAUSE, _SHARE = 5.0, 10  # seconds between two copies; ten times as long as a copy takes
_log = logging.getLogger("propsync.push")


def bring_journal(settings: Settings, plan_id: str) -> None:
    """Brings home the journal of a machine that was lost while it sent this plan, unless home has one.

    Raises StorageAway, StorageRefused, and UsageError for a damaged note.
    """
    access, home, key = settings.storage(), LocalStorage(settings.home), journal_key(plan_id)
    if access is None or home.exists(key):
        return
    body = lost_journal(object_storage(access), access.url, home, plan_id)
    if body is not None:
        _log.warning("plan %s: propsync continues from the journal of the machine that began to send it", plan_id)
        home.put(key, body)


def announce(settings: Settings, plan_id: str) -> None:
    """Before anything is sent: the bucket has the plan, and no other machine sends it."""
    if settings.storage_url is None:
        return
    with workplace(settings, "propsync push apply") as place:
        if place.bucket is not None:
            begin_sending(place.bucket, plan_id)


def end_announcement(settings: Settings, plan_id: str) -> None:
    """The bucket has the result."""
    if access := settings.storage():
        end_sending(object_storage(access), plan_id)


@contextmanager
def copied_journal(settings: Settings, plan_id: str) -> Iterator[None]:
    """While a plan is sent, the bucket gets its journal every few seconds, and once more at the end."""
    access = settings.storage()
    if access is None:
        yield
        return
    storage, home, is_sent = object_storage(access, is_patient=False), LocalStorage(settings.home), threading.Event()

    def put(body: bytes) -> None:
        put_journal(storage, access.url, home, plan_id, body)

    journal = partial(home.get, journal_key(plan_id))
    thread = threading.Thread(target=_keep_copying, args=(journal, put, is_sent), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_sent.set()
        thread.join()


def refuse_sent_elsewhere(place: Workplace, suppression: Suppression) -> None:
    """Raises UsageError if another machine's unfinished push names what is erased: its journal is still needed."""
    for key, body in journal_copies(place.bucket.storage) if place.bucket else ():
        if suppression.sees(body.decode("utf-8", "replace")):
            what = "a push that names it is not finished"
            step = "Finish it with `propsync push apply` on its machine. If that is lost, see docs/writing-back.md"
            raise UsageError(key, what, step)


def _keep_copying(journal: Callable[[], bytes], put: Callable[[bytes], None], is_sent: threading.Event) -> None:
    pause, copied = _PAUSE, b""
    is_last = False
    while not is_last:
        is_last = is_sent.wait(pause)
        began = time.monotonic()
        copied = _copy(journal(), put, copied)
        pause = max(_PAUSE, _SHARE * (time.monotonic() - began))


def _copy(body: bytes, put: Callable[[bytes], None], before: bytes) -> bytes:
    try:
        if body != before:
            put(body)
    except (StopRun, UsageError) as error:
        _log.warning("the bucket has no newer copy of the journal: %s", error)
        return before
    return body
