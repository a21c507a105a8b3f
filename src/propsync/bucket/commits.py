"""The log of the bucket: each run adds a commit, put last and only if its number is free; nothing else exists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from propsync.errors import BaseLost, LeaseLost, StorageAway
from propsync.storage import Storage, seals

_FOLDER = "log"
_CHECKPOINT = ".checkpoint.json"
_NAME = re.compile(r"log/(\d{10})(?:\.checkpoint)?\.json")
_FIRST = 1
_EVERY = 20  # commits between checkpoints, so that a new machine reads few objects
_PAST = 5_000  # commits whose ids a checkpoint has: 13 years of nights, or three days of hints each minute
_STEP = (
    "If the machine that ran last still has its home, remove that object and run `propsync sync` there: it puts the "
    "list of files again. Otherwise restore an earlier version of the object"
)
_LAST_STEP = (
    "Restore an earlier version of the object. If there is none, copy archive/ of the bucket to a new folder. "
    "On the machine that ran last, name that folder in PROPSYNC_STORAGE_URL: it puts all it has there"
)
"""Without its last commit a bucket is of an earlier day."""
_T = TypeVar("_T")


class Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a file of home is: some bytes of an object, and their hash."""

    object_key: str
    offset: int
    size: int
    sha256: str


class Commit(msgspec.Struct, frozen=True):
    """What one run changed. `commit_id` is its own, `fence` that of its lease; `sizes` are of its objects, in bytes."""

    sequence: int
    commit_id: str
    run_id: str
    at: str
    machine: str
    fence: int
    added: dict[str, Place] = {}
    removed: list[str] = []
    sizes: dict[str, int] = {}


class Contents(msgspec.Struct):
    """The files of home in the bucket after a commit: the place of each, by its key under home.

    `past` has the ids of the commits up to that one, which comes last.
    """

    sequence: int = 0
    commit_id: str = ""
    places: dict[str, Place] = {}
    sizes: dict[str, int] = {}
    past: list[str] = []

    def apply(self, commit: Commit) -> None:
        """Takes one commit in."""
        self.sequence, self.commit_id = commit.sequence, commit.commit_id
        self.past = [*self.past, commit.commit_id][-_PAST:]
        for key in commit.removed:
            self.places.pop(key, None)
        self.places.update(commit.added)
        self.sizes.update(commit.sizes)
        named = self.named()
        self.sizes = {key: size for key, size in self.sizes.items() if key in named}

    def id_of(self, sequence: int) -> str | None:
        """The id of a commit of the past, None if it is older than all that are known."""
        past = self.past or [self.commit_id]  # earlier versions noted no more
        back = self.sequence - sequence
        return past[-1 - back] if back < len(past) else None

    def named(self) -> set[str]:
        """The objects that some file needs."""
        return {place.object_key for place in self.places.values()}

    def sparse(self, share: float) -> set[str]:
        """Objects of which files need less than this share of the bytes."""
        used: Counter[str] = Counter()
        for place in self.places.values():
            used[place.object_key] += place.size
        return {key for key, size in self.sizes.items() if used[key] < share * size}


@dataclass
class CommitLog:
    """`log/<number>.json`, and now and then a checkpoint with the contents up to there."""

    storage: Storage
    _listed: list[str] = field(default_factory=list)

    def head(self) -> int:
        """The number of the last commit, 0 if there is none. Raises StorageAway if the server's list cannot be true.

        Some servers and proxies answer 200 with an error or a page of their own, which reads as an empty list.
        """
        self._listed = list(self.storage.list(_FOLDER))
        if not self._listed and self.storage.exists(_key(_FIRST)):
            raise StorageAway(f"{_FOLDER}/ in the bucket", "the server lists nothing there, though it has commits")
        return max((_number(key) for key in self._listed), default=0)

    def refuse_late_list(self, known: int) -> None:
        """Raises StorageAway if the last list ends before a commit that the bucket still has: it looks put back."""
        if all(_number(key) < known for key in self._listed) and self.storage.exists(_key(known)):
            raise StorageAway(f"{_FOLDER}/ in the bucket", f"the server's list lacks {_key(known)}, which it has")

    def commit(self, sequence: int) -> Commit:
        """A commit. Raises BaseLost if it is missing or damaged."""
        return self._read(_key(sequence), Commit)

    def commit_id(self, sequence: int) -> str | None:
        """The id of a commit, as of the last `head`; a checkpoint has those that are gone. None if nothing shows it.

        Raises BaseLost if an object of the log is damaged.
        """
        if _key(sequence) in self._listed:
            return self.commit(sequence).commit_id
        checkpoint = self._newest_checkpoint()
        return self._read(_checkpoint(checkpoint), Contents).id_of(sequence) if checkpoint >= sequence else None

    def contents(self) -> Contents:
        """What the bucket holds now. Raises BaseLost."""
        head, checkpoint = self.head(), self._newest_checkpoint()
        contents = self._read(_checkpoint(checkpoint), Contents) if checkpoint else Contents()
        for sequence in range(contents.sequence + 1, head + 1):
            contents.apply(self.commit(sequence))
        return contents

    def append(self, commit: Commit) -> None:
        """Puts a commit, which makes it exist. Raises LeaseLost if another machine has put one of that number."""
        if not self.storage.put_new(_key(commit.sequence), seals.sealed(_encoded(commit))):
            raise LeaseLost("the bucket", "another machine has put its own work there, so this run ends")
        self._listed.append(_key(commit.sequence))

    def tidy(self, contents: Contents) -> None:
        """Puts a checkpoint now and then, and removes commits that the one before makes superfluous.

        A checkpoint also replaces commits that somebody removed. The first commit stays: see `head`.
        """
        if contents.sequence % _EVERY and self._is_whole(contents.sequence):
            return
        self.storage.put(_checkpoint(contents.sequence), seals.sealed(_encoded(contents)))
        self._listed.append(_checkpoint(contents.sequence))
        for key in [key for key in self.storage.list(_FOLDER) if 0 < _number(key) <= contents.sequence - _EVERY]:
            if key != _key(_FIRST):
                self.storage.delete(key)

    def _is_whole(self, sequence: int) -> bool:
        """Whether the last list, with what came since, has each commit from the newest checkpoint to this one."""
        begin = self._newest_checkpoint()
        return {*map(_key, range(begin + 1, sequence + 1))} <= {*self._listed}

    def _newest_checkpoint(self) -> int:
        """The number of the newest checkpoint of the last list, 0 if there is none."""
        return max((_number(key) for key in self._listed if key.endswith(_CHECKPOINT)), default=0)

    def _read(self, key: str, kind: type[_T]) -> _T:
        try:
            stored = self.storage.get(key)
            body = seals.unsealed(stored)
            if body == stored:
                raise seals.SealBroken("it has no seal")
            return msgspec.json.decode(body, type=kind)
        except (FileNotFoundError, ValueError, RecursionError) as error:
            is_gone = isinstance(error, FileNotFoundError)
            what = f"it cannot be read from the bucket: {'it is missing' if is_gone else 'its bytes have changed'}"
            raise BaseLost(key, what, _LAST_STEP if self._is_last(key) else _STEP) from error

    def _is_last(self, key: str) -> bool:
        """Whether no other object of the last list shows that there were as many commits."""
        return all(_number(one) < _number(key) for one in self._listed if one != key)


def objects_below(storage: Storage, folders: Iterable[str]) -> set[str]:
    """Every object in these folders."""
    return {key for folder in folders for key in storage.list(folder)}


def _encoded(one: Commit | Contents) -> bytes:
    body = msgspec.json.encode(one)
    return msgspec.json.format(body, indent=1) if isinstance(one, Commit) else body


def _key(sequence: int) -> str:
    return f"{_FOLDER}/{sequence:010d}.json"


def _checkpoint(sequence: int) -> str:
    return f"{_FOLDER}/{sequence:010d}{_CHECKPOINT}"


def _number(key: str) -> int:
    """The number in the name of a commit or a checkpoint, 0 for an object of another program."""
    found = _NAME.fullmatch(key)
    return int(found[1]) if found else 0


def other_objects(storage: Storage) -> Iterator[str]:
    """The objects beside the log that no propsync has put there."""
    return (key for key in storage.list(_FOLDER) if not _number(key))
