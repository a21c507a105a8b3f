"""An object store as storage: S3 and servers that speak as it does, and Azure (docs/decisions/0043)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import obstore
from obstore.store import AzureStore, S3Store

from propsync import log
from propsync.errors import HomeUnusable, StorageAway
from propsync.settings import StorageAccess
from propsync.storage.answers import PastEnd, Unchanged, again, answered
from propsync.storage.system_errors import step_against

if TYPE_CHECKING:
    from obstore import GetOptions, ObjectMeta
    from obstore.store import ObjectStore, RetryConfig

_T = TypeVar("_T")
_PART = 8 << 20  # bytes of one part of a large file
_PARTS = 4  # parts under way at once: with the size of each, the bound of memory
_OF_THE_SYSTEM = re.compile(r"\(os error (\d+)\)$")
_SECONDS = 60.0  # for one request
# as docs/decisions/0043 says: the same eight requests as for the API, within two minutes. With obstore's own waits all
# eight would come within two seconds, and a server takes longer to start again
_RETRY: RetryConfig = {
    "max_retries": 7,
    "retry_timeout": timedelta(minutes=2),
    "backoff": {"init_backoff": timedelta(seconds=1), "max_backoff": timedelta(seconds=30), "base": 3},
}
# obstore takes from the environment what nobody says to it; propsync looks at no other variable than it documents
_UNSAID = {
    "s3": {"skip_signature": "false"},
    "az": {"skip_signature": "false", "use_emulator": "false", "use_fabric_endpoint": "false"},
}
HASTE: RetryConfig = {"max_retries": 1, "retry_timeout": timedelta(seconds=10)}
"""The patience of somebody who waits in front of a terminal."""


class ObjectStorage:
    """Objects below a prefix of a bucket. Raises StorageAway, StorageRefused and StorageUnfit.

    obstore retries each request. `retry` replaces its patience with a server that fails, and `seconds` is the time that
    a request may take.
    """

    def __init__(self, access: StorageAccess, retry: RetryConfig | None = None, seconds: float = _SECONDS) -> None:
        self.name = access.url
        for secret in access.secrets:
            log.conceal(secret)
        retry = retry or _RETRY
        self._patience = retry["retry_timeout"].total_seconds()
        self._store = _store(access, retry, seconds)
        self._has_bucket = False

    def put(self, key: str, body: bytes) -> None:
        """Stores `body`, over any object of that key."""
        with self._errors(key, is_put=True):
            obstore.put(self._store, key, body, chunk_size=_PART, max_concurrency=_PARTS)

    def put_new(self, key: str, body: bytes) -> bool:
        """Stores `body` if `key` is absent; whether `key` has that body now: an answer may have been lost."""

        def put() -> bool:
            try:
                with self._errors(key, has_condition=True, is_put=True):
                    obstore.put(self._store, key, body, mode="create")
            except Unchanged:
                return self._there(key)[0] == body
            return True

        return again(put, self._patience)

    def put_file(self, key: str, source: Path) -> None:
        """Stores a file, in parts if it is large."""

        def put() -> None:
            with unread(source), self._errors(key, is_put=True):
                obstore.put(self._store, key, source, chunk_size=_PART, max_concurrency=_PARTS)

        again(put, self._patience)

    def get(self, key: str) -> bytes:
        """The bytes under `key`. Raises FileNotFoundError."""
        return self._asked(key, lambda: bytes(obstore.get(self._store, key).bytes()))

    def get_range(self, key: str, start: int, length: int) -> bytes:
        """Some of the bytes under `key`, fewer where it ends. Raises FileNotFoundError."""
        if not length:
            return b""
        try:
            return self._asked(key, lambda: bytes(obstore.get_range(self._store, key, start=start, length=length)))
        except PastEnd:
            return b""

    def read(self, key: str) -> Iterator[bytes]:
        """The bytes under `key`, a part at a time. Raises FileNotFoundError.

        Each part is a request of its own: obstore's patience is for a whole answer, and a large one takes minutes.
        """
        start, size, tag = 0, 1, None
        while start < size:
            try:
                part, found = self._got(key, _part(start, tag))
            except PastEnd:
                return
            except Unchanged:
                raise StorageAway(f"{self.name}/{key}", "somebody replaced it while propsync read it") from None
            start, size, tag = start + len(part), found["size"], found["e_tag"]
            yield part

    def exists(self, key: str) -> bool:
        """Whether `key` exists."""
        try:
            with self._errors(key):
                obstore.head(self._store, key)
        except FileNotFoundError:
            self._look_for_bucket()
            return False
        return True

    def list(self, prefix: str) -> Iterator[str]:
        """Keys in the folder `prefix` and below, sorted; the whole list is in memory."""
        return self._sorted(lambda: {key for key, _ in self._tags(prefix)})

    def age(self, key: str) -> float:
        """Seconds since the object was stored, by the clock of its server. Raises FileNotFoundError."""
        try:
            with self._errors(key):
                stored: datetime = obstore.head(self._store, key)["last_modified"]
        except FileNotFoundError:
            self._look_for_bucket()
            raise
        return (datetime.now(UTC) - stored).total_seconds()

    def tags(self, prefix: str) -> Iterator[tuple[str, str]]:
        """The same, each with the tag of its bytes."""
        return self._sorted(lambda: set(self._tags(prefix)))

    @staticmethod
    def _sorted(listed: Callable[[], set[_T]]) -> Iterator[_T]:
        """A whole list; one that broke off begins again. Some servers, such as S3 Express, do not list by name."""
        yield from sorted(again(listed, inf))  # type: ignore[type-var]

    def _tags(self, prefix: str) -> Iterator[tuple[str, str]]:
        with self._errors(prefix):
            for some in obstore.list(self._store, prefix or None):
                yield from ((one["path"], one["e_tag"] or "") for one in some if not self._is_folder(one))

    def _is_folder(self, one: ObjectMeta) -> bool:
        """Whether an object is only the mark of a folder, which consoles and other programs make.

        S3 has it under a key with `/` at its end, which obstore does not show. In Azure, its metadata says so.
        """
        if one["size"]:
            return False
        try:
            found = obstore.get(self._store, one["path"])
        except FileNotFoundError:
            return True
        return str(found.attributes.get("hdi_isfolder")).lower() == "true"

    def delete(self, key: str) -> None:
        """Removes an object, if there is one."""

        def delete() -> None:
            try:
                with self._errors(key):
                    obstore.delete(self._store, key)
            except FileNotFoundError:
                self._look_for_bucket()

        again(delete, self._patience)

    def tagged(self, key: str) -> tuple[bytes, str] | None:
        """A small object's bytes, and the tag that `swap` wants; None without the object."""
        try:
            body, found = self._got(key, {})
        except FileNotFoundError:
            return None
        return body, str(found["e_tag"])

    def swap(self, key: str, body: bytes, tag: str | None) -> str | None:
        """Replaces a small object that still has `tag` (None: that is absent); its new tag, None if it has another."""

        def swap() -> str | None:
            try:
                with self._errors(key, has_condition=True):
                    mode: Any = "create" if tag is None else {"e_tag": tag}
                    return str(obstore.put(self._store, key, body, mode=mode)["e_tag"])
            except (Unchanged, FileNotFoundError):
                # the answer to a first request may have been lost
                found = self._there(key) if tag is None else self.tagged(key)
                return found[1] if found and found[0] == body else None

        return again(swap, self._patience)

    def _there(self, key: str) -> tuple[bytes, str]:
        """An object that kept a put from making it. Raises StorageAway if there is none.

        S3 answers a put in the same way if another request is in the way at that moment.
        """
        if (found := self.tagged(key)) is None:
            raise StorageAway(f"{self.name}/{key}", "the server refuses to make it, as if it were there already")
        return found

    def _got(self, key: str, options: GetOptions) -> tuple[bytes, ObjectMeta]:
        def get() -> tuple[bytes, ObjectMeta]:
            found = obstore.get(self._store, key, options=options)
            body, size = bytes(found.bytes()), found.meta["size"]
            if size and not body:  # of which `read` would ask for the rest without end
                raise StorageAway(f"{self.name}/{key}", f"the server sends no byte of it, though it has {size:,}")
            return body, found.meta

        return self._asked(key, get, has_condition="if_match" in options)

    def _asked(self, key: str, ask: Callable[[], _T], *, has_condition: bool = False) -> _T:
        """Asks again if an answer broke off: obstore does not repeat a "not found" whose words were cut."""

        def asked() -> _T:
            with self._errors(key, has_condition=has_condition):
                return ask()

        return again(asked, self._patience)

    def _look_for_bucket(self) -> None:
        """Asks once whether there is a bucket: an answer without a body does not tell. Raises StorageRefused."""
        if not self._has_bucket:
            with self._errors(""):
                next(iter(obstore.list(self._store, chunk_size=1)), None)
            self._has_bucket = True

    def _errors(self, key: str, *, has_condition: bool = False, is_put: bool = False) -> AbstractContextManager[None]:
        return answered(self.name, key, has_condition=has_condition, is_put=is_put)


def _part(start: int, tag: str | None) -> GetOptions:
    """The part from `start` on, of the object that had `tag` before."""
    options: GetOptions = {"range": (start, start + _PART)}
    if tag is not None:
        options["if_match"] = tag
    return options


def _store(access: StorageAccess, retry: RetryConfig, seconds: float) -> ObjectStore:
    make: Any = {"s3": S3Store, "az": AzureStore}[access.scheme]
    client: Any = {"allow_http": access.is_plain, "timeout": timedelta(seconds=seconds)}
    options: Any = _UNSAID[access.scheme] | dict(access.options)
    store: ObjectStore = make(
        access.bucket, prefix=access.prefix or None, config=options, client_options=client, retry_config=retry
    )
    return store


@contextmanager
def unread(source: Path) -> Iterator[None]:
    """Names the file that the disk failed to read: obstore gives the error of the system as text alone."""
    try:
        yield
    except OSError as error:
        number = int(found[1]) if (found := _OF_THE_SYSTEM.search(str(error))) else 0
        if step := step_against(OSError(number, "")):
            raise HomeUnusable(str(source), f"cannot be read: {os.strerror(number)}", step) from error
        raise
