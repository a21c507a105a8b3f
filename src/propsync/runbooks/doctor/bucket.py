"""Finds what could keep a run from its bucket."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

from propsync.bucket import BucketHome, CommitLog, Lease, holder_of, refuse_other_programs, refuse_unfit, senders
from propsync.bucket.known import read_known
from propsync.errors import PropsyncError
from propsync.runbooks.doctor.finding import Finding
from propsync.runbooks.workplace import object_storage
from propsync.settings import Settings, StorageAccess
from propsync.storage import LocalStorage, Storage

_MOST_APART = 60  # seconds between two clocks; a lease allows for that


def examine_bucket(settings: Settings, access: StorageAccess | None) -> Iterator[Finding]:
    """One finding after another about the bucket, or one that there is none; a fault ends them."""
    if access is None:
        yield Finding("bucket", True, f"none: propsync keeps everything under {settings.home}")
        return
    storage = object_storage(access, is_patient=False)
    try:
        yield from _answers(settings, access, storage)
    except PropsyncError as error:
        yield Finding("bucket", False, f"{error.where}: {error.what}", error.next_step)


def _answers(settings: Settings, access: StorageAccess, storage: Storage) -> Iterator[Finding]:
    head = CommitLog(storage).head()
    held = f"its last commit is number {head}" if head else "it holds no commit yet"
    yield Finding("bucket", True, f"{access.url} answers and takes the credentials; {held}")
    refuse_unfit(storage)
    yield Finding("bucket conditions", True, "its server honours If-None-Match and If-Match")
    yield _clock(storage)
    holder = holder_of(storage)
    yield Finding("bucket lease", True, f"held by {holder}" if holder else "no machine is at work")
    yield from (Finding("bucket plan", True, line) for line in senders(storage, access.url))
    yield _home(settings, access, storage)


def _clock(storage: Storage) -> Finding:
    key = f"probe/{secrets.token_hex(8)}"
    try:
        storage.put(key, b"")
        apart = storage.age(key)
    finally:
        storage.delete(key)
    where = "ahead of" if apart > 0 else "behind"
    seen = f"this computer's clock is {abs(apart):.0f} seconds {where} that of the bucket"
    return Finding("bucket clock", abs(apart) <= _MOST_APART, seen, "Set the clock of this computer (NTP)")


def _home(settings: Settings, access: StorageAccess, storage: Storage) -> Finding:
    home = LocalStorage(settings.home)
    if (known := read_known(home, access.url)) is None:
        refuse_other_programs(storage, access.url)
    lease = Lease(storage, "", "propsync doctor")
    bucket = BucketHome(home, storage, access.url, settings.state / "work", lease, known)
    if bucket.is_behind():
        seen = "it holds runs that this home does not have; `propsync sync` or `propsync rebuild` brings them"
    else:
        seen = "this home has all that it holds" if known else "it is empty; `propsync sync` puts this home there"
    return Finding("bucket home", True, seen)
