"""Where commands work that change home: under the lock, and under the lease of the bucket if home has one."""

from __future__ import annotations

import errno
import logging
import os
import pwd
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from propsync.bucket import BucketHome, bucket_of, put_documents, put_published
from propsync.documents.blobs import Blobs
from propsync.documents.bucket_blobs import BucketBlobs
from propsync.errors import (
    GIVE_IT_BACK,
    ErasureUnfinished,
    HomeUnusable,
    LandingForeign,
    PropsyncError,
    SettingsError,
    StopRun,
)
from propsync.merge import HIDDEN_FILES
from propsync.publish import WAREHOUSE
from propsync.runs import RUN_LOCK, Note, RunLock
from propsync.settings import CONFIG_NAME, Settings, StorageAccess
from propsync.storage import LocalStorage, Storage, disk_errors, files_named, in_the_way, remove, remove_partials
from propsync.suppression import Erasures

PARTIALS = "archive/partial"
"""Documents under way, below home."""
MOVING = "state/moving"
"""Below home, while it comes back from a bucket: only a part of it may be there."""
_UNFIT_FOR_DELTA = re.compile(r"%[0-9A-Fa-f]{2}|#|[\x00-\x1f\x7f]")  # deltalake reads a path as a part of an address
_HOME_MODE = 0o711
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE)
_OWN = ("archive", "checks", "landing", "prefect", "published", "state")
_log = logging.getLogger("propsync.bucket")


@dataclass
class Workplace:
    """The folder for unfinished files, and the bucket of home, if it has one."""

    folder: Path
    note: Note
    """The note of this command in the file of the lock."""
    bucket: BucketHome | None = None
    keeps_documents: bool = False
    """Whether documents stay on the disk when they go to the bucket."""
    is_erasing: bool = False
    """Whether the bucket gets every file again, and nothing comes back from it."""

    def check(self) -> None:
        """Refuses to publish on a machine that lost its lease. Raises LeaseLost, StorageAway."""
        if self.bucket is not None:
            self.bucket.lease.check()

    def commit(self, run_id: str) -> None:
        """Puts what is landed into the bucket. Raises LeaseLost, StorageAway, StorageRefused."""
        if self.bucket is not None and self.is_erasing:
            self.bucket.commit_anew(run_id)
        elif self.bucket is not None:
            self.bucket.commit(run_id)

    def settle(self) -> None:
        """Puts everything that the bucket lacks, at the end of a command. Raises as `commit` does."""
        if self.bucket is not None and self.bucket.is_current:
            self.bucket.commit("")
            put_documents(self.bucket, stay=self.keeps_documents)
            put_published(self.bucket)

    def save(self) -> None:
        """Puts what is landed after a failure, as far as that goes; the next run puts the rest."""
        with suppress(StopRun):
            if not self.is_erasing:
                self.commit("")


@contextmanager
def workplace(
    settings: Settings,
    what: str,
    *,
    may_be_behind: bool = False,
    keeps_documents: bool = False,
    is_erasing: bool = False,
) -> Iterator[Workplace]:
    """Holds the lock on home, and the lease; in its folder nothing is left of killed runs.

    Raises SettingsError, Busy, HomeUnusable, and ErasureUnfinished unless it `is_erasing`; with a bucket StorageAway,
    StorageRefused, LeaseLost, and HomeBehind unless home `may_be_behind`.
    """
    check_delta(settings)
    make_home(settings)
    refuse_lost_lines(settings)
    with RunLock(settings.state / RUN_LOCK).held(what, settings.lock_wait, is_erasing=is_erasing) as note:
        for folder in (settings.landing, settings.published, settings.state):
            remove_partials(folder)
        work = _work_folder(settings.state / "work")
        access = settings.storage()
        if access is None:
            refuse_elsewhere(settings)
            refuse_half_erased(settings, is_erasing=is_erasing)
            yield Workplace(work, note)
            return
        with _bucket(settings, access, work, what) as bucket:
            if not may_be_behind:
                bucket.refuse_behind()
            # a restore puts aside an erasure that another machine knows nothing of
            if bucket.is_current or not bucket.is_behind():
                bucket.bring_back_erasures()
                refuse_half_erased(settings, is_erasing=is_erasing)
            yield from _kept(Workplace(work, note, bucket, keeps_documents, is_erasing))


def refuse_lost_lines(settings: Settings, *, is_hiding: bool = False) -> None:
    """Raises SettingsError if home hides parts, and propsync.toml is missing or empty: a run would show all of them.

    `is_hiding` says that older tables hide parts, although home lost the file of hidden records, or never had it.
    Raises HomeUnusable for a state/ that cannot be listed.
    """
    if not settings.has_file and (is_hiding or files_named(settings.state, HIDDEN_FILES)):
        what = "it is missing or empty, and without it a run would show what this home hides"
        restore = "Restore it, or name it with --config"
        step = f"{restore}. To show all of it again, write hide = [] under [privacy] in a new one"
        raise SettingsError(str(settings.home / CONFIG_NAME), what, step)


def refuse_elsewhere(settings: Settings) -> None:
    """Refuses a home that is in a bucket which the settings do not name.

    Raises HomeUnusable on a disk to which a move stopped: a run would begin again without what the bucket has. Raises
    SettingsError if somebody forgot the bucket: it would lack the run, and other machines would not see it.
    """
    if settings.storage_url is not None:
        return
    home = LocalStorage(settings.home)
    if home.exists(MOVING):
        what = "`propsync storage move` to this folder was interrupted, and a part of the home is still in the bucket"
        step = "Run that command again, with PROPSYNC_STORAGE_URL and PROPSYNC_HOME as they were"
        raise HomeUnusable(str(settings.home), what, step)
    if url := bucket_of(home):
        what = f"it is not set, and {settings.home} is in {url}"
        step = "Set it to that address. To leave the bucket, run `propsync storage move --to FOLDER` after that"
        raise SettingsError("PROPSYNC_STORAGE_URL", what, step)


def refuse_half_erased(settings: Settings, *, is_erasing: bool = False) -> None:
    """Raises ErasureUnfinished if a killed erasure waits, unless this command `is_erasing`."""
    if not is_erasing and Erasures(LocalStorage(settings.home)).unfinished() is not None:
        raise ErasureUnfinished(str(settings.home), "an erasure was interrupted, and a part of it is done")


def _kept(place: Workplace) -> Iterator[Workplace]:
    try:
        yield place
    except LandingForeign:
        raise  # and nothing of it goes to the bucket
    except PropsyncError:
        place.save()
        raise
    place.settle()


@contextmanager
def _bucket(settings: Settings, access: StorageAccess, work: Path, what: str) -> Iterator[BucketHome]:
    home = LocalStorage(settings.home)
    with BucketHome.opened(
        home, object_storage(access), access.url, work, what=what, wait_seconds=settings.lock_wait
    ) as bucket:
        if not any((folder / WAREHOUSE).exists() for folder in (settings.state, settings.published)):
            bucket.lacks_tables()
        yield bucket


def object_storage(access: StorageAccess, *, is_patient: bool = True) -> Storage:
    """The object store at this address; its library loads slowly, so only homes with a bucket load it."""
    from propsync.storage.objects import HASTE, ObjectStorage

    return ObjectStorage(access) if is_patient else ObjectStorage(access, HASTE, seconds=10)


def blobs_of(settings: Settings, partial: Path | None = None) -> Blobs:
    """The archive's documents, wherever they are: close them. Raises SettingsError.

    `partial` is the folder for copies of what is in a bucket.
    """
    home, access = LocalStorage(settings.home), settings.storage()
    if access is None:
        return Blobs(home)
    return BucketBlobs(home, object_storage(access), partial or settings.home / PARTIALS)


def check_delta(settings: Settings) -> None:
    """Raises SettingsError if somebody wants Delta tables and the extra is not installed, or home has an unfit name."""
    if not settings.delta:
        return
    if find_spec("deltalake") is None:
        raise SettingsError("PROPSYNC_DELTA", "deltalake is not installed", "Run: pip install 'propsync[delta]'")
    if found := _UNFIT_FOR_DELTA.search(str(settings.home)):
        what = f"PROPSYNC_HOME, {settings.home}, has {found[0]!r}, and deltalake loses the tables of such a folder"
        raise SettingsError("PROPSYNC_DELTA", what, "Move home to another folder, or leave this setting out")


def check_dask(settings: Settings) -> None:
    """Raises SettingsError if Dask's workers could keep no documents, or the extra is not installed."""
    where = "PROPSYNC_ARCHIVE_DASK or --dask"
    if settings.storage_url is None:
        what = "workers on other machines can keep documents only in a bucket, and PROPSYNC_STORAGE_URL is not set"
        raise SettingsError(where, what, "Set it (docs/object-storage.md), or leave Dask out")
    if find_spec("distributed") is None:
        raise SettingsError(where, "distributed is not installed", "Run: pip install 'propsync[dask]'")


def make_home(settings: Settings) -> None:
    """Makes home and its folders with the modes that keep state private. Raises SettingsError where it cannot.

    A full disk raises DiskFull. One that fails or became read-only, or a file or a broken link in place of a folder
    below home, raises HomeUnusable.
    """
    private, open_to_all = (settings.state, settings.landing, settings.home / "archive"), settings.published
    modes = {settings.home: _HOME_MODE, **dict.fromkeys(private, 0o700), open_to_all: 0o755}
    for folder, mode in modes.items():
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            if is_new or folder.stat().st_uid == settings.home.stat().st_uid:
                folder.chmod(_shared(folder) if folder == settings.home and _has_others(folder) else mode)
        except OSError as error:
            if folder != settings.home and (found := in_the_way(error)):
                raise found from error
            became_read_only = error.errno == errno.EROFS and folder.exists()
            if became_read_only or error.errno in _OF_THE_DISK:  # another folder may be no better
                with disk_errors(folder):
                    raise
            what, step = f"{folder} cannot be written: {error.strerror}", _step_for(folder, settings.home)
            if _is_broken_link(folder):
                what = f"{folder} is a link to {folder.readlink()}, which does not exist"
                step = "Mount that disk, or make that folder. Otherwise set PROPSYNC_HOME to another one"
            raise SettingsError("PROPSYNC_HOME", what, step) from error
        if not os.access(folder, os.W_OK | os.X_OK):
            raise SettingsError("PROPSYNC_HOME", f"{folder} cannot be written", _step_for(folder, settings.home))


def _step_for(folder: Path, home: Path) -> str:
    """The step of a user who may not write there: if home or a folder in it belongs to a different user, about that.

    An empty folder is no home yet: its owner, such as root, may not be the user who runs propsync.
    """
    step = "et PROPSYNC_HOME to a folder that you can write to"
    owner = own = os.geteuid()
    with suppress(OSError):  # in a closed folder, or without one, nobody can tell
        if home.exists() and home.stat().st_uid == own != folder.stat().st_uid:
            return GIVE_IT_BACK
        owner = home.stat().st_uid if (home / "state").exists() else own
    if owner == own:
        return f"S{step}"
    try:
        name = pwd.getpwuid(owner).pw_name
    except KeyError:
        name = str(owner)
    return f"Run the command as the user {name}, whose home this is, or s{step}"


def _is_broken_link(folder: Path) -> bool:
    with suppress(PermissionError):
        return folder.is_symlink() and not folder.exists()
    return False


def _has_others(home: Path) -> bool:
    """Whether a folder has folders that are not propsync's: somebody may have named /srv, /tmp or their own home."""
    return any(one.is_dir() and one.name not in _OWN for one in home.iterdir())


def _shared(home: Path) -> int:
    """The mode of such a folder: all can list it as before and reach `published/`, and nobody else writes."""
    mode = stat.S_IMODE(home.stat().st_mode) | _HOME_MODE
    return mode if mode & stat.S_ISVTX else mode & ~0o022


def _work_folder(folder: Path) -> Path:
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for leftover in folder.iterdir():
        if leftover.name.startswith("duckdb_temp"):
            remove(leftover)
    return folder
