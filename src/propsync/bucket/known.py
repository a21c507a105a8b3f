"""The note of this machine about the bucket, kept in `state/` so that a quiet night asks for little."""

from __future__ import annotations

import secrets

import msgspec

from propsync.bucket.commits import Contents
from propsync.storage import LocalStorage
from propsync.storage.seals import sealed, unsealed

_KNOWN = "state/bucket.json"
_MACHINE = "state/machine"
_LEFT = "state/left"  # a line for each place


class Known(msgspec.Struct):
    """The bucket as of the last commit that this home took in.

    `pending` is the id of a commit under way: a kill may come between its put and this note. `fingerprints` are size
    and time of files that may change, `published` the hash and the tag of each published file. `is_partial` as long as
    home has only begun to bring these contents home. A seal keeps damage of this note out of the bucket.
    """

    url: str
    contents: Contents = msgspec.field(default_factory=Contents)
    pending: str = ""
    fingerprints: dict[str, tuple[int, int]] = {}
    published: dict[str, tuple[str, str]] = {}
    is_partial: bool = False


def read_known(home: LocalStorage, url: str) -> Known | None:
    """The note about this bucket, None without one."""
    known = _noted(home)
    return known if known is not None and known.url == url else None


def other_url(home: LocalStorage, url: str) -> str | None:
    """The bucket in which this home was last, if that is a different one."""
    known = _noted(home)
    return known.url if known is not None and known.url != url else None


def bucket_of(home: LocalStorage) -> str | None:
    """The bucket that has files of this home; a move that could not begin leaves it on its disk."""
    known = _noted(home)
    return known.url if known is not None and known.contents.places else None


def forget_bucket(home: LocalStorage) -> None:
    """Removes the note: the home has left its bucket, which still holds its files."""
    if (known := _noted(home)) is not None:
        note_left(home, known.url)
    home.delete(_KNOWN)


def note_left(home: LocalStorage, place: str) -> None:
    """Notes a bucket or a folder that this home has left, and that still holds its files."""
    if place not in (known := left_places(home)):
        home.put(_LEFT, "\n".join([*known, place]).encode())


def left_places(home: LocalStorage) -> list[str]:
    """The buckets and folders that this home has left."""
    try:
        return home.get(_LEFT).decode(errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _noted(home: LocalStorage) -> Known | None:
    try:
        return msgspec.json.decode(unsealed(home.get(_KNOWN)), type=Known)
    except (FileNotFoundError, ValueError, RecursionError):  # msgspec's errors are ValueErrors, and SealBroken is too
        return None


def write_known(home: LocalStorage, known: Known) -> None:
    """Keeps the note."""
    home.put(_KNOWN, sealed(msgspec.json.encode(known)))


def machine_id(home: LocalStorage) -> str:
    """The id of this home, made once."""
    try:
        return home.get(_MACHINE).decode(errors="replace")
    except FileNotFoundError:
        home.put(_MACHINE, secrets.token_hex(16).encode())
        return home.get(_MACHINE).decode()


def folder_number(home: LocalStorage) -> int:
    """The number of its folder on the disk: a copy has the id of this home, and another number."""
    return (home.root / _MACHINE).parent.stat().st_ino
