"""The lease: one small object in the bucket that names the machine at work, so that two never work at once."""

from __future__ import annotations

import logging
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec.structs import replace

from propsync.errors import Busy, LeaseLost, PropsyncError, StorageAway, StorageRefused, StorageUnfit
from propsync.storage import Storage

LEASE = "lease.json"
SECONDS = 60.0
"""How long a lease holds without a renewal."""

_LONGEST = 3_600.0
"""More seconds than any propsync holds a lease: an object that says so is damaged."""
_LOOK_AGAIN = 1.0  # seconds
_TAKES = 10
"""How often in a row a machine may fail to take a free lease: others may come first, but not each time."""
_REFUSED = "nobody holds the lease, and the bucket still refuses it: its tag (ETag) is not the one that If-Match wants"
_PROBES = "probe"
_FORGOTTEN = 600.0  # seconds after which a probe is that of a killed command
_log = logging.getLogger("propsync.bucket")


def _seconds_with_sleep() -> float:
    """Seconds since the machine started, those in which it slept among them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Holder(msgspec.Struct, frozen=True):
    """What the lease object says. `fence` grows by one with each holder; `nonce` differs in each version of it.

    `folder` is the number of its home on the disk, which a copy of that home does not have.
    """

    machine: str
    host: str
    what: str
    fence: int
    since: str
    renewed_at: Annotated[datetime, msgspec.Meta(tz=True)]
    seconds: Annotated[float, msgspec.Meta(gt=0, le=_LONGEST)]
    nonce: str = ""
    is_ended: bool = False
    holder_id: str = ""
    folder: int = 0

    def __str__(self) -> str:
        return f"{self.what} (on {self.host}, since {self.since[:19]}Z)"

    def looks_over(self) -> bool:
        """Whether its time was over long ago by this machine's clock."""
        age = (datetime.now(UTC) - self.renewed_at).total_seconds()
        return age > self.seconds + 60


class Lease:
    """The lease of this machine, renewed by a thread while it is held. `clock` gives seconds that never go back."""

    def __init__(
        self,
        storage: Storage,
        machine: str,
        what: str,
        *,
        folder: int = 0,
        seconds: float | None = None,
        clock: Callable[[], float] = _seconds_with_sleep,
    ) -> None:
        self._storage, self._seconds, self._clock = storage, seconds or SECONDS, clock
        now = _now()
        self._me = Holder(
            machine,
            socket.gethostname(),
            what,
            fence=0,
            since=now.isoformat(),
            renewed_at=now,
            seconds=self._seconds,
            holder_id=secrets.token_hex(8),
            folder=folder,
        )
        self._tag: str | None = None
        self._until = 0.0
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.is_taken_over = False
        """Whether the holder before may only be frozen: a different machine that did not let the lease go."""

    @property
    def fence(self) -> int:
        """The number of this holder; a later holder has a greater one."""
        return self._me.fence

    def acquire(self, wait_seconds: float) -> None:
        """Takes the lease, at once or when its holder lets it go or falls silent.

        Raises Busy, StorageAway, StorageUnfit.
        """
        began = since = self._clock()
        left = _TAKES
        first = seen = self._storage.tagged(LEASE)
        while True:
            found = self._storage.tagged(LEASE)
            if found != seen:
                seen, since = found, self._clock()
            holder = _holder(found[0]) if found else None
            is_at_work = holder is not None and (found != first or not holder.looks_over())
            if self._is_free(holder, self._clock() - since):
                if self._take(holder, found[1] if found else None):
                    break
                left -= 1
                if not left:
                    raise StorageUnfit(LEASE, _REFUSED)
            elif is_at_work and self._clock() - began >= wait_seconds:
                raise Busy("the bucket", f"{holder} is at work, so this run did nothing")
            else:
                left = _TAKES
            time.sleep(min(_LOOK_AGAIN, self._seconds / 10))
        threading.Thread(target=self._keep, name="lease", daemon=True).start()

    def _is_free(self, holder: Holder | None, unchanged: float) -> bool:
        if holder is None or holder.is_ended or self._is_own(holder):
            return True
        # clocks may differ by more, so a holder that looks over gets the time of a renewal to show that it works
        return unchanged > (holder.seconds / 2 if holder.looks_over() else holder.seconds)

    def _take(self, holder: Holder | None, tag: str | None) -> bool:
        self._me = replace(self._me, fence=(holder.fence if holder else 0) + 1)
        self.is_taken_over = holder is not None and not holder.is_ended and not self._is_own(holder)
        return self._renewed(tag)

    def _is_own(self, holder: Holder) -> bool:
        """Whether the holder was this home: it is dead, because the kernel's lock on home is ours."""
        mine = (self._me.machine, self._me.host, self._me.folder)
        return (holder.machine, holder.host, holder.folder) == mine

    def _renewed(self, tag: str | None) -> bool:
        began = self._clock()
        self._me = replace(self._me, renewed_at=_now(), nonce=secrets.token_hex(8))
        self._tag = self._swapped(tag)
        if self._tag is not None:
            self._until = began + self._seconds
        return self._tag is not None

    def _swapped(self, tag: str | None) -> str | None:
        """The new tag, None if another machine has the lease; an earlier renewal may have come through unanswered."""
        body = msgspec.json.encode(self._me)
        if (made := self._storage.swap(LEASE, body, tag)) is not None:
            return made
        found = self._storage.tagged(LEASE)
        holder = _holder(found[0]) if found else None
        if found is None or holder is None or holder.holder_id != self._me.holder_id:
            return None
        return self._storage.swap(LEASE, body, found[1])

    def check(self) -> None:
        """Makes sure that this machine holds the lease now. Raises LeaseLost, StorageAway."""
        with self._lock:
            while self._tag is None or self._clock() >= self._until:  # a slow renewal may be over when it comes
                if self._tag is None or not self._renewed(self._tag):
                    self._tag = None
                    found = self._storage.tagged(LEASE)
                    who = _holder(found[0]) if found else None
                    raise LeaseLost("the bucket", f"{who or 'another machine'} took the lease over, so this run ends")

    def _keep(self) -> None:
        while not self._ended.wait(self._seconds / 3):
            with self._lock, suppress(StorageAway, StorageRefused, StorageUnfit):  # `check` says so if it lasts
                if self._tag is None or self._ended.is_set():
                    return
                if not self._renewed(self._tag):
                    return

    def release(self) -> None:
        """Lets the lease go; if the bucket is away, it runs out by itself."""
        self._ended.set()
        with self._lock:
            if self._tag is None:
                return
            self._me = replace(self._me, is_ended=True)
            try:
                self._renewed(self._tag)
            except PropsyncError as error:
                _log.warning("the lease could not be given back: %s", error)
            self._tag = None


def holder_of(storage: Storage) -> Holder | None:
    """The machine that holds the lease, None if nobody does. Raises StorageAway, StorageRefused."""
    found = storage.tagged(LEASE)
    holder = _holder(found[0]) if found else None
    return None if holder is None or holder.is_ended or holder.looks_over() else holder


def refuse_unfit(storage: Storage) -> None:
    """Raises StorageUnfit if the server ignores conditions: an old one accepts each of these requests in silence."""
    key = f"{_PROBES}/{secrets.token_hex(8)}"
    try:
        first = storage.swap(key, b"1", None)
        is_kept = storage.put_new(key, b"2")
        second = storage.swap(key, b"3", '"another"')
        found = storage.tagged(key)
        if first is None or is_kept or second is not None or found is None or found[0] != b"1":
            what = "its server ignores If-None-Match or If-Match, so two machines could overwrite each other's work"
            raise StorageUnfit("PROPSYNC_STORAGE_URL", what)
        if storage.swap(key, b"4", found[1]) is None:
            raise StorageUnfit("PROPSYNC_STORAGE_URL", "its server refuses in If-Match the tag (ETag) that it gave")
    finally:
        for left in {key, *(one for one, age in _ages(storage) if age > _FORGOTTEN)}:
            storage.delete(left)


def _ages(storage: Storage) -> Iterator[tuple[str, float]]:
    for key in storage.list(_PROBES):
        with suppress(FileNotFoundError):
            yield key, storage.age(key)


def _holder(body: bytes) -> Holder | None:
    """The holder that a lease names, None if it is damaged: such a lease keeps nobody out."""
    try:
        return msgspec.json.decode(body, type=Holder)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None


def _now() -> datetime:
    return datetime.now(UTC)
