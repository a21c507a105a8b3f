"""A home whose truth is in a bucket: this machine's files are a cache of it (docs/decisions/0043)."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from propsync.bucket.commits import Commit, CommitLog, Contents, Place, objects_below, other_objects
from propsync.bucket.durable import changed_keys, durable_keys, is_erasure, is_fixed, removed_keys
from propsync.bucket.known import Known, folder_number, machine_id, note_left, other_url, read_known, write_known
from propsync.bucket.lease import Lease, refuse_unfit
from propsync.bucket.packs import FOLDERS, PackReader, PackWriter, sequence_of
from propsync.errors import HomeBehind, HomeUnusable, LeaseLost, SettingsError
from propsync.storage import LocalStorage, Storage, sha256_of_blocks
from propsync.storage.places import DOCUMENTS
from propsync.suppression import Erasures

_SPARSE = 0.3  # a pack of which less is needed is written again
_PUBLISHED = "published"
_PUT = (
    "it does not hold what this home has put there",
    "Copy its archive/ to a new folder, if it has one, and name that folder in PROPSYNC_STORAGE_URL: this home puts "
    "all it has there",
)
_TAKEN = (
    "it no longer holds what this home began to bring home",
    "Keep this home: it may have the only copy of later files. To use the bucket as it is, set PROPSYNC_HOME to "
    "an empty folder",
)
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
    is_current: bool = False
    """Whether this home was seen to have all that the bucket holds; otherwise it puts nothing there."""
    is_past_shown: bool = True
    """Whether the bucket shows that it once had all that this home knows of it."""
    fetched: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Published files that a restore brought home, as `Known.published` has them."""
    fetched_erasures: str | None = None
    """The mark of the erasures that these files know."""
    log: CommitLog = field(init=False)
    _found: set[str] = field(default_factory=set, init=False)
    """The packs and large files that the bucket had after the last commit."""

    def __post_init__(self) -> None:
        self.log = CommitLog(self.storage)

    @classmethod
    @contextmanager
    def opened(
        cls, home: LocalStorage, storage: Storage, url: str, work: Path, *, what: str, wait_seconds: float
    ) -> Iterator[BucketHome]:
        """The bucket, under its lease. Raises Busy, StorageAway, StorageRefused, StorageUnfit, HomeUnusable."""
        known = read_known(home, url)
        if known is None:
            refuse_unfit(storage)
            refuse_other_programs(storage, url)
            _warn_of_move(home, url)
        lease = Lease(storage, machine_id(home), what, folder=folder_number(home))
        lease.acquire(wait_seconds)
        try:
            bucket = cls(home, storage, url, work, lease, known)
            bucket._take_in_own()
            bucket._take_in_nothing()
            if lease.is_taken_over:
                bucket._fence_off()
            yield bucket
        finally:
            lease.release()

    def lacks_tables(self) -> None:
        """Says that home has no tables left: only those of the bucket have the run log and the rows of documents."""
        if self.known is not None and self.known.contents.places:
            self.known.is_partial = True

    def is_behind(self) -> bool:
        """Whether the bucket holds work that this home has not taken in. Raises HomeUnusable if it holds less."""
        head = self.log.head()
        if self.known is None:
            self.is_current = not head
            return head > 0
        self.log.refuse_late_list(self.known.contents.sequence)
        if head < self.known.contents.sequence or not self._is_same_past():
            had, step = _TAKEN if self.known.is_partial else _PUT
            raise HomeUnusable(self.url, f"{had}: somebody emptied it, or put it back to an earlier day", step)
        self.is_current = head == self.known.contents.sequence and not self.known.is_partial
        return not self.is_current

    def _is_same_past(self) -> bool:
        """Whether the commit that this home knows is still that one, as far as the bucket shows it."""
        if self.known is None or not self.known.contents.sequence:
            return True
        found = self.log.commit_id(self.known.contents.sequence)
        self.is_past_shown = found is not None
        return found in (None, self.known.contents.commit_id)

    def _take_in_own(self) -> None:
        """Takes in a commit of this home that a kill, or a lost answer, kept it from noting."""
        known = self.known
        if known is None or not known.pending or self.log.head() != known.contents.sequence + 1:
            return
        commit = self.log.commit(known.contents.sequence + 1)
        if commit.commit_id == known.pending:
            known.contents.apply(commit)
            known.pending = ""
            write_known(self.home, known)

    def _fence_off(self) -> None:
        """Puts an empty commit, so that a frozen machine that lost the lease cannot commit when it wakes."""
        is_behind, commit = self.is_behind(), self._commit("", self.log.head(), {}, {}, set())
        try:
            self.log.append(commit)
        except LeaseLost:  # that machine woke meanwhile, and came first
            self._fence_off()
            return
        if not is_behind:
            self.known = self.known or Known(self.url)
            self.known.contents.apply(commit)
            write_known(self.home, self.known)

    def _take_in_nothing(self) -> None:
        """Takes in commits that no file came with: there is nothing to rebuild from."""
        contents = self.log.contents() if self.known is None and self.log.head() else None
        if contents is not None and not contents.places:
            self.known = Known(self.url, contents)
            write_known(self.home, self.known)

    def refuse_behind(self) -> None:
        """Raises HomeBehind if this home must first take in what the bucket holds."""
        if self.is_behind():
            raise HomeBehind(self.url, "it holds runs that this home does not have")

    def commit(self, run_id: str) -> bool:
        """Puts what home has and the bucket lacks: files first, the commit last. Returns whether there was any.

        A run that is about to publish adds a commit in any case: other machines lack its rows of `ops` and documents.
        A home that is behind puts nothing. Raises LeaseLost, StorageAway, StorageRefused; home has lost nothing then.
        """
        if not self.is_current:
            return False
        self.lease.check()
        self._take_in_own()
        known = self.known = self.known or Known(self.url)
        keys = durable_keys(self.home)
        changed = dict(changed_keys(self.home, known, keys))
        removed = removed_keys(self.home, known.contents.places, {*keys})
        self._bring_back(known, {*keys} | removed)
        if not changed and not removed and not run_id:
            return False
        self._append(known, run_id, [*changed, *self._sparse(known.contents, {*changed} | removed)], changed, removed)
        self._put_lost_again(known, run_id)
        return True

    def commit_anew(self, run_id: str) -> None:
        """Puts everything that home has into new packs, after an erasure: home alone says what there is.

        The packs before go, as no commit names them any more. Raises as `commit` does.
        """
        self.lease.check()
        self._take_in_own()
        known = self.known = self.known or Known(self.url)
        keys = durable_keys(self.home)
        statuses = {key: (self.home.root / key).stat() for key in keys}
        changed = {key: (status.st_size, status.st_mtime_ns) for key, status in statuses.items()}
        self._append(known, run_id, keys, changed, known.contents.places.keys() - {*keys})

    def _append(
        self,
        known: Known,
        run_id: str,
        keys: Iterable[str],
        changed: Mapping[str, tuple[int, int]],
        removed: Collection[str],
    ) -> None:
        """Puts these files, then the commit that makes them exist."""
        writer = PackWriter(self.home, self.storage, self.work, known.contents.sequence + 1)
        writer.put(keys)
        commit = self._commit(run_id, known.contents.sequence, writer.places, writer.sizes, removed)
        known.pending = commit.commit_id
        write_known(self.home, known)
        self.lease.check()
        self.log.append(commit)
        known.contents.apply(commit)
        known.pending = ""
        known.fingerprints = {
            key: at for key, at in (known.fingerprints | dict(changed)).items() if key in known.contents.places
        }
        write_known(self.home, known)
        self._tidy(known.contents)

    def _commit(
        self, run_id: str, after: int, places: dict[str, Place], sizes: dict[str, int], removed: Collection[str]
    ) -> Commit:
        return Commit(
            sequence=after + 1,
            commit_id=secrets.token_hex(16),
            run_id=run_id,
            at=datetime.now(UTC).isoformat(),
            machine=machine_id(self.home),
            fence=self.lease.fence,
            added=places,
            removed=sorted(removed),
            sizes=sizes,
        )

    def _put_lost_again(self, known: Known, run_id: str) -> None:
        """Puts the files of packs that somebody took out of the bucket: a rule that removes old objects does so too.

        A file that home does not have whole either stays lost; `propsync status` names it.
        """
        lost = {key for key in known.contents.named() - self._found if not self.storage.exists(key)}
        gone = {key: place for key, place in known.contents.places.items() if place.object_key in lost}
        if not gone:
            return
        self.lease.check()  # another machine may have taken over, and packed them again
        _log.warning("%s and %d more objects are missing from %s", min(lost), len(lost) - 1, self.url)
        keys = [key for key in gone if self._is_sound(key, gone[key])]
        _log.warning("propsync puts %d of their %d files there again", len(keys), len(gone))
        if keys:
            self._append(known, run_id, keys, {}, set())

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

    def bring_back_erasures(self) -> None:
        """Brings back the files of erasures that home lost or damaged: without them, what was erased would come back.

        Those that changed here and are whole stay: the bucket may not have them yet.
        """
        places = self.known.contents.places if self.known else {}
        damaged = {*Erasures(self.home).damaged()}
        lost = {
            key: place
            for key, place in places.items()
            if is_erasure(key) and (key in damaged or not self.home.exists(key))
        }
        if lost:
            _log.warning("%s and %d more were lost or damaged; propsync brings them back", min(lost), len(lost) - 1)
            PackReader(self.home, self.storage, self.work).fetch(lost)

    def bring_back_damaged(self, places: Mapping[str, Place]) -> None:
        """Brings back those pages and manifests that are missing here, or whose bytes changed; reads all of them."""
        damaged = {key: place for key, place in places.items() if is_fixed(key) and not self._is_sound(key, place)}
        if damaged:
            _log.warning("%s and %d more were damaged; propsync brings them back", min(damaged), len(damaged) - 1)
            PackReader(self.home, self.storage, self.work).fetch(damaged)

    def _is_sound(self, key: str, place: Place) -> bool:
        try:
            return sha256_of_blocks(self.home.read(key)) == place.sha256
        except OSError:
            return False

    def _tidy(self, contents: Contents) -> None:
        """Removes objects that no commit names: of pruned snapshots, and of killed runs.

        A machine that froze here may wake long after: it leaves alone what others put for later commits than its own.
        """
        self.lease.check()
        self.log.tidy(contents)
        self._found = objects_below(self.storage, FOLDERS)
        for key in sorted(self._found - contents.named()):
            if 0 < sequence_of(key) <= contents.sequence:
                self.storage.delete(key)


def refuse_other_programs(storage: Storage, url: str) -> None:
    """Raises SettingsError if somebody keeps other objects where propsync would begin to keep and remove its own."""
    if CommitLog(storage).head():
        return
    others = (key for folder in FOLDERS for key in storage.list(folder) if not sequence_of(key))
    if found := next(chain(others, other_objects(storage), storage.list(_PUBLISHED)), None):
        what = f"{url} has no commit of propsync, but other objects where propsync would keep its own, such as {found}"
        raise SettingsError("PROPSYNC_STORAGE_URL", what, f"Name a new folder in that bucket, such as {url}/propsync")


def _warn_of_move(home: LocalStorage, url: str) -> None:
    """Says that nobody moved the documents of this home; a move to a folder would have brought them to the disk."""
    before = other_url(home, url)
    if before is not None:
        note_left(home, before)
    if before is not None and not home.list(DOCUMENTS):
        _log.warning(
            "this home was in %s, and its documents stay there. Copy archive/ from there to %s, then run "
            "`propsync archive verify`, which fetches again what is missing",
            before,
            url,
        )
