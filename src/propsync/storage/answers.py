"""Answers of an object store: obstore's errors as ours, and the requests that propsync may send again."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    InvalidPathError,
    NotSupportedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)

from propsync import log
from propsync.errors import PropsyncError, StorageAway, StorageRefused, StorageUnfit

TRIES = 3
"""How often a verb does what obstore does not retry."""

_UNCHANGED = (AlreadyExistsError, PreconditionError)
_REFUSED = (PermissionDeniedError, UnauthenticatedError, InvalidPathError)
_PASSING = (408, 409, 425, 429)  # statuses below 500 that another time may not come
_LACKING = 501
_NO_RANGE = 416
_AT_END = "Wanted range starting at"  # of a server that answers a range past the end with no bytes
_NO_BUCKET = re.compile("NoSuchBucket|ContainerNotFound")
_NO_UPLOAD = re.compile("NoSuchUpload|InvalidBlockList")
_REDIRECT = re.compile("redirect without LOCATION|PermanentRedirect")
_WRONG_CLOCK = re.compile("RequestTimeTooSkewed|Request date header too old|Signature (expired|not yet current)")
_CORRECT_CLOCK = "Correct the clock of this machine, then run `propsync doctor`"
_OTHER_REGION = "it sends propsync to another region: AWS_REGION is not that of the bucket"
_STATUS = re.compile(r"status code: (\d{3}[^:<]*)")
_PARTS = [re.compile(f"<{name}>([^<]*)</{name}>") for name in ("Code", "Message")]
_RETRIES = re.compile(r"after (?P<done>\d+) retries, max_retries: (?P<most>\d+)")
_DEBUG = "Debug source"  # obstore adds the inside of its error, with headers
_LONGEST = 300  # characters
_T = TypeVar("_T")


class Unchanged(Exception):
    """A condition of a request did not hold."""


class PastEnd(Exception):
    """The object has no byte in the range asked for."""


@contextmanager
def answered(url: str, key: str, *, has_condition: bool = False, is_put: bool = False) -> Iterator[None]:
    """A request about `key` in the bucket at `url`. Raises PastEnd, FileNotFoundError, StorageAway, StorageRefused,
    StorageUnfit, and Unchanged if it `has_condition`: a server may answer any request with 409 or 412.

    A server that answers a put with 404 refuses it: then FileNotFoundError says that a file to put is gone.
    """
    try:
        yield
    except (FileNotFoundError, BaseError) as error:
        if has_condition and isinstance(error, _UNCHANGED):
            raise Unchanged from None
        if _NO_BUCKET.search(str(error)):
            raise StorageRefused(url, "there is no such bucket or container") from None
        if _NO_UPLOAD.search(str(error)):  # also after an upload that became whole, and its answer was lost
            raise StorageAway(f"{url}/{key}", "the server no longer has the parts of this upload") from None
        if isinstance(error, FileNotFoundError):
            if is_put and _status(error):
                raise StorageRefused(f"{url}/{key}", _words(error)) from None
            raise FileNotFoundError(key) from None
        if _status(error) == _NO_RANGE or _AT_END in str(error):
            raise PastEnd from None
        step = _CORRECT_CLOCK if _WRONG_CLOCK.search(str(error)) else None
        raise _named(error)(f"{url}/{key}", _words(error), step) from None


def again(verb: Callable[[], _T], patience: float) -> _T:
    """Repeats what obstore does not: requests with a condition that time out, deletes, answers that break off.

    Each such verb finds out what became of its request before. `patience` is in seconds.
    """
    began = time.monotonic()
    for _ in range(TRIES - 1):
        try:
            return verb()
        except StorageAway as error:
            if is_over(error) or time.monotonic() - began > patience:
                raise
    return verb()


def is_over(error: StorageAway) -> bool:
    """Whether obstore has sent the request as often as it may, as its own words say."""
    found = _RETRIES.search(error.what)
    return found is not None and found["done"] == found["most"]


def _named(error: BaseError) -> type[PropsyncError]:
    status = _status(error)
    if status == _LACKING or isinstance(error, NotSupportedError):
        return StorageUnfit
    if isinstance(error, _REFUSED) or _REDIRECT.search(str(error)) or (300 <= status < 500 and status not in _PASSING):
        return StorageRefused
    return StorageAway


def _status(error: Exception) -> int:
    """The status of the server's answer, 0 if there was none."""
    found = _STATUS.search(str(error))
    return int(found[1][:3]) if found else 0


def _words(error: Exception) -> str:
    """The server's own words, or obstore's, without secrets, in one line."""
    text = str(error).partition(_DEBUG)[0]
    if _REDIRECT.search(text):
        return _OTHER_REGION
    if status := _STATUS.search(text):
        found = [found[1] for part in _PARTS if (found := part.search(text))]
        retries = _RETRIES.search(text)
        text = ": ".join([f"it answers {status[1].strip()}", *found, *([retries[0]] if retries else [])])
    line = " ".join(log.redact(text).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
