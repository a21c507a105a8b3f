"""An object store as storage: S3 and servers that speak as it does, and Azure (docs/decisions/0043)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    InvalidPathError,
    NotSupportedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import AzureStore, S3Store

from propsync import log
from propsync.errors import StorageAway, StorageRefused
from propsync.settings import StorageAccess

if TYPE_CHECKING:
    from obstore.store import ObjectStore, RetryConfig

_PART = 8 << 20  # bytes of one part of a large file
_PARTS = 4  # parts under way at once: with the size of each, the bound of memory
_REFUSED = (PermissionDeniedError, UnauthenticatedError, NotSupportedError, InvalidPathError)
_LONGEST = 300  # characters of a server's words
# as docs/decisions/0043 says: the same eight requests as for the API, within two minutes
_RETRY: RetryConfig = {"max_retries": 7, "retry_timeout": timedelta(minutes=2)}


class ObjectStorage:
    """Objects below a prefix of a bucket. Raises StorageAway and StorageRefused.

    `retry` replaces the patience with a server that fails; obstore retries each request, and nothing else does.
    """

    def __init__(self, access: StorageAccess, retry: RetryConfig | None = None) -> None:
        self.name = access.url
        for secret in access.secrets:
            log.conceal(secret)
        self._store = _store(access, retry or _RETRY)

    def put(self, key: str, body: bytes) -> None:
        """Stores `body`, over any object of that key."""
        with self._errors(key):
            obstore.put(self._store, key, body, chunk_size=_PART, max_concurrency=_PARTS)

    def put_new(self, key: str, body: bytes) -> bool:
        """Stores `body` if `key` is absent; whether `key` has that body now: an answer may have been lost."""
        try:
            with self._errors(key):
                obstore.put(self._store, key, body, mode="create")
        except _Unchanged:
            return self.get(key) == body
        return True

    def put_file(self, key: str, source: Path) -> None:
        """Stores a file, in parts if it is large."""
        with self._errors(key):
            obstore.put(self._store, key, source, chunk_size=_PART, max_concurrency=_PARTS)

    def get(self, key: str) -> bytes:
        """The bytes under `key`. Raises FileNotFoundError."""
        with self._errors(key):
            return bytes(obstore.get(self._store, key).bytes())

    def get_range(self, key: str, start: int, length: int) -> bytes:
        """Some of the bytes under `key`. Raises FileNotFoundError."""
        if not length:
            return b""
        with self._errors(key):
            return bytes(obstore.get_range(self._store, key, start=start, length=length))

    def read(self, key: str) -> Iterator[bytes]:
        """The bytes under `key`, block by block. Raises FileNotFoundError."""
        with self._errors(key):
            for block in obstore.get(self._store, key).stream(min_chunk_size=_PART):
                yield bytes(block)

    def exists(self, key: str) -> bool:
        """Whether `key` exists."""
        try:
            with self._errors(key):
                obstore.head(self._store, key)
        except FileNotFoundError:
            return False
        return True

    def list(self, prefix: str) -> Iterator[str]:
        """Keys in the folder `prefix` and below, sorted, read a thousand at a time."""
        yield from (key for key, _ in self.tags(prefix))

    def age(self, key: str) -> float:
        """Seconds since the object was stored, by the clock of its server. Raises FileNotFoundError."""
        with self._errors(key):
            stored: datetime = obstore.head(self._store, key)["last_modified"]
        return (datetime.now(UTC) - stored).total_seconds()

    def tags(self, prefix: str) -> Iterator[tuple[str, str]]:
        """The same, each with the tag of its bytes."""
        with self._errors(prefix):
            for some in obstore.list(self._store, prefix or None):
                yield from ((one["path"], one["e_tag"] or "") for one in some)

    def delete(self, key: str) -> None:
        """Removes an object, if there is one."""
        try:
            with self._errors(key):
                obstore.delete(self._store, key)
        except FileNotFoundError:
            return

    def tagged(self, key: str) -> tuple[bytes, str] | None:
        """A small object's bytes, and the tag that `swap` wants; None without the object."""
        try:
            with self._errors(key):
                found = obstore.get(self._store, key)
                return bytes(found.bytes()), str(found.meta["e_tag"])
        except FileNotFoundError:
            return None

    def swap(self, key: str, body: bytes, tag: str | None) -> str | None:
        """Replaces a small object that still has `tag` (None: that is absent); its new tag, None if it has another."""
        try:
            with self._errors(key):
                mode: Any = "create" if tag is None else {"e_tag": tag}
                return str(obstore.put(self._store, key, body, mode=mode)["e_tag"])
        except (_Unchanged, FileNotFoundError):
            found = self.tagged(key)  # the answer to a first request may have been lost
            return found[1] if found and found[0] == body else None

    @contextmanager
    def _errors(self, key: str) -> Iterator[None]:
        """obstore's errors as ours."""
        where = f"{self.name}/{key}"
        try:
            yield
        except (AlreadyExistsError, PreconditionError) as error:
            raise _Unchanged from error
        except FileNotFoundError as error:
            if "NoSuchBucket" in str(error) or "ContainerNotFound" in str(error):
                raise StorageRefused(self.name, "there is no such bucket or container") from None
            raise FileNotFoundError(key) from error
        except _REFUSED as error:
            raise StorageRefused(where, _words(error)) from None
        except BaseError as error:
            raise StorageAway(where, _words(error)) from None


class _Unchanged(Exception):
    """A condition of a request did not hold."""


def _words(error: BaseError) -> str:
    """The server's words, without secrets, in one line."""
    line = " ".join(log.redact(str(error)).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _store(access: StorageAccess, retry: RetryConfig) -> ObjectStore:
    make: Any = {"s3": S3Store, "az": AzureStore}[access.scheme]
    client: Any = {"allow_http": access.is_plain, "timeout": timedelta(seconds=60)}
    options: Any = access.options
    store: ObjectStore = make(
        access.bucket, prefix=access.prefix or None, config=options, client_options=client, retry_config=retry
    )
    return store
