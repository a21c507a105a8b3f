"""A home whose truth is in a bucket: this machine's files are a cache of it (docs/decisions/0043)."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from propsync.bucket.commits import Commit, CommitLog, Contents, objects_below
from propsync.bucket.durable import changed_keys, durable_keys, removed_keys
from propsync.bucket.known import Known, machine_id, read_known, write_known
from propsync.bucket.lease import Lease, refuse_unfit
from propsync.bucket.packs import FOLDERS, PackReader, PackWriter
from propsync.errors import HomeBehind, HomeUnusable
from propsync.storage import LocalStorage, Storage

_SPARSE = 0.3  # a pack of which less is needed is written again
_log = logging.getLogger("propsync.bucket")


@dataclass
class BucketHome:
    """The bucket of a home, while this machine holds its lease. `work` is a folder for files under way."""

    home: LocalStorage
    storage: Storage
    url: str
    work: Path
    lease: Lease
    known: Known | None = None
    log: CommitLog = field(init=False)

    def __post_init__(self) -> None:
        self.log = CommitLog(self.storage)

    @classmethod
    @contextmanager
    def opened(
        cls, home: LocalStorage, storage: Storage, url: str, work: Path, *, what: str, wait_seconds: float
    ) -> Iterator[BucketHome]:
        """The bucket, under its lease. Raises Busy, StorageAway, StorageRefused, HomeUnusable."""
        lease = Lease(storage, machine_id(home), what)
        lease.acquire(wait_seconds)
        try:
            bucket = cls(home, storage, url, work, lease, read_known(home, url))
            if bucket.known is None:
                refuse_unfit(storage)
            bucket._take_in_own()
            yield bucket
        finally:
            lease.release()

    def is_behind(self) -> bool:
        """Whether the bucket holds work that this home has not taken in. Raises HomeUnusable if it holds less."""
        head = self.log.head()
        if self.known is None:
            return head > 0
        if head < self.known.contents.sequence or not self._is_same_past():
            raise HomeUnusable(
                self.url,
                "it does not hold what this home has put there: somebody emptied it, or put it back to an earlier day",
                "Name a new folder in PROPSYNC_STORAGE_URL, and this home puts all it has there",
            )
        return head > self.known.contents.sequence

    def _is_same_past(self) -> bool:
        """Whether the commit that this home knows is still that one; an old one may have become a checkpoint."""
        sequence = self.known.contents.sequence if self.known else 0
        if not sequence or sequence < self.log.head():
            return True
        return self.known is not None and self.log.commit(sequence).commit_id == self.known.contents.commit_id

    def _take_in_own(self) -> None:
        """Takes in a commit of this home that a kill kept it from noting."""
        known = self.known
        if known is None or not known.pending or self.log.head() != known.contents.sequence + 1:
            return
        commit = self.log.commit(known.contents.sequence + 1)
        if commit.commit_id == known.pending:
            known.contents.apply(commit)
            known.pending = ""
            write_known(self.home, known)

    def refuse_behind(self) -> None:
        """Raises HomeBehind if this home must first take in what the bucket holds."""
        if self.is_behind():
            raise HomeBehind(self.url, "it holds runs that this home does not have")

    def commit(self, run_id: str) -> bool:
        """Puts what home has and the bucket lacks: files first, the commit last. Returns whether there was any.

        Raises LeaseLost, StorageAway, StorageRefused; home has lost nothing then.
        """
        self.lease.check()
        known = self.known = self.known or Known(self.url)
        keys = durable_keys(self.home)
        changed = dict(changed_keys(self.home, known, keys))
        removed = removed_keys(self.home, known.contents.places, {*keys})
        self._bring_back(known, {*keys} | removed)
        if not changed and not removed:
            return False
        writer = PackWriter(self.home, self.storage, self.work)
        writer.put([*changed, *self._sparse(known.contents, {*changed} | removed)])
        commit = self._commit(run_id, known.contents, writer, removed)
        known.pending = commit.commit_id
        write_known(self.home, known)
        self.lease.check()
        self.log.append(commit)
        known.contents.apply(commit)
        known.pending = ""
        known.fingerprints = {
            key: at for key, at in (known.fingerprints | changed).items() if key in known.contents.places
        }
        write_known(self.home, known)
        self._tidy(known.contents)
        return True

    def _commit(self, run_id: str, contents: Contents, writer: PackWriter, removed: set[str]) -> Commit:
        return Commit(
            sequence=contents.sequence + 1,
            commit_id=secrets.token_hex(16),
            run_id=run_id,
            at=datetime.now(UTC).isoformat(),
            machine=machine_id(self.home),
            fence=self.lease.fence,
            added=writer.places,
            removed=sorted(removed),
            sizes=writer.sizes,
        )

    def _sparse(self, contents: Contents, others: set[str]) -> list[str]:
        """Files in packs that hold little else by now: packed again, they let those packs go."""
        sparse = contents.sparse(_SPARSE)
        return [key for key, place in contents.places.items() if place.object_key in sparse and key not in others]

    def _bring_back(self, known: Known, kept: set[str]) -> None:
        """Brings back files of landing that home lost and the bucket still has."""
        lost = {key: place for key, place in known.contents.places.items() if key not in kept}
        if lost:
            _log.warning("%s and %d more were missing from home; propsync brings them back", min(lost), len(lost) - 1)
            PackReader(self.home, self.storage, self.work).fetch(lost)

    def _tidy(self, contents: Contents) -> None:
        """Removes objects that no commit names: of pruned snapshots, and of killed runs."""
        self.log.tidy(contents)
        for key in sorted(objects_below(self.storage, FOLDERS) - contents.named()):
            self.storage.delete(key)
