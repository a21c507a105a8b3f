"""Copies a home to a bucket, or from its bucket to a disk; nothing is removed where it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from propsync.bucket import (
    BucketHome,
    damaged_documents,
    damaged_files,
    fetch_documents,
    forget_bucket,
    left_places,
    note_left,
)
from propsync.documents.verification import Verification
from propsync.errors import BaseLost, HomeBehind, UsageError
from propsync.runbooks.rebuilding.rebuild import rebuild
from propsync.runbooks.workplace import MOVING, Workplace, refuse_elsewhere, workplace
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.settings import CONFIG_NAME, Settings
from propsync.storage import LocalStorage, files_named
from propsync.storage.places import DOCUMENTS
from propsync.webhook.inbox import Inbox

_WHAT = "propsync storage move"
_SCHEMES = ("s3:", "az:")  # also of an address that lacks a slash, which is no folder
_REMOVE = "Remove that object, then run the same command again: it puts its files there again"
_MEND = (
    "Run `propsync archive verify`. If home lacks the document afterwards, remove it from the bucket. "
    "Then run the same command again"
)
_FREE = "Give an unused folder of a bucket, such as s3://bucket/new: a home does not return to one that it has left"


@dataclass(frozen=True)
class MoveReport:
    """How many files and documents are in the new place, each verified by its hash; and what to set now.

    `lost` are documents that neither place has.
    """

    files: int
    documents: int
    next_step: str
    lost: list[str] = field(default_factory=list)


def move_storage(settings: Settings, to: str) -> MoveReport:
    """Copies everything to `to`, a bucket's address or a folder; the same command resumes one that was stopped.

    Raises UsageError, SettingsError, Busy, HomeUnusable, StorageAway, StorageRefused, LeaseLost; BaseLost if something
    came out damaged.
    """
    if "://" in to or to.startswith(_SCHEMES):
        return _to_bucket(settings, to)
    refuse_elsewhere(settings)
    if settings.storage_url is None:
        raise UsageError("--to", "this home is on a disk already", "Give a bucket, such as s3://bucket/folder")
    return _to_disk(settings, _folder(settings, to))


def _folder(settings: Settings, to: str) -> Path:
    """The folder that somebody named. Raises UsageError for none, and for one that this home uses for itself."""
    folder = Path(to).expanduser().absolute()
    if not to.strip():
        raise UsageError("--to", "it is empty", "Give a folder")
    if settings.home.resolve() in folder.resolve().parents:
        raise UsageError("--to", f"{folder} is below PROPSYNC_HOME", "Give PROPSYNC_HOME itself, or a folder elsewhere")
    return folder


def _to_bucket(settings: Settings, url: str) -> MoveReport:
    access = settings.storage_at(url)
    if settings.storage_url not in (None, access.url):
        raise UsageError("--to", f"this home is in {settings.storage_url}", "Move it to a folder first")
    there = settings.model_copy(update={"storage_url": access.url})
    try:
        return _put_into(there)
    except HomeBehind as error:  # on a disk, a rebuild would read home alone
        if settings.storage_url:
            raise
        raise UsageError("--to", f"{error.where} holds runs that this home does not have", _FREE) from error


def _put_into(there: Settings) -> MoveReport:
    """Puts everything into the bucket of these settings."""
    with workplace(there, _WHAT, keeps_documents=True) as place:
        bucket = place.bucket
        assert bucket is not None, "the settings name one"
        place.commit(_WHAT)  # puts again what somebody removed, too
        place.settle()
        files, documents = _verified(bucket)
        lost = _lost(there, place, bucket.storage.list(DOCUMENTS))
    return MoveReport(
        files, documents, f"set PROPSYNC_STORAGE_URL={there.storage_url}, then run `propsync status`", lost
    )


def _verified(bucket: BucketHome) -> tuple[int, int]:
    contents = bucket.log.contents()
    if files := [*damaged_files(bucket.home, bucket.storage, contents)]:
        where = f"{contents.places[files[0]].object_key} in {bucket.url}"
        raise BaseLost(where, f"the bytes of {_some(files)} differ from those at home", _REMOVE)
    if documents := damaged_documents(bucket.storage):
        raise BaseLost(bucket.url, f"neither home nor the bucket has {_some(documents)} whole", _MEND)
    return len(contents.places), sum(1 for _ in bucket.storage.list(DOCUMENTS))


def _some(keys: Sequence[str]) -> str:
    return keys[0] if len(keys) == 1 else f"{keys[0]} and {len(keys) - 1:,} more"


def _to_disk(settings: Settings, folder: Path) -> MoveReport:
    here = settings.model_copy(update={"home": folder})
    if folder != settings.home and (settings.state / "bucket.json").exists():
        _put_news(settings)
    home = LocalStorage(folder)
    if not _is_home(here):
        home.put(MOVING, b"")
    _copy_choices(settings, home)
    if folder != settings.home or not (settings.state / "bucket.json").exists():
        rebuild(here)
    try:
        report = _completed(here)
    except HomeBehind:  # another machine has run since, or a kill interrupted that rebuild
        rebuild(here)
        report = _completed(here)
    if folder != settings.home and settings.state.exists():
        _bring_hints(settings, home)
        for place in (*left_places(LocalStorage(settings.home)), str(settings.home)):
            note_left(home, place)
    forget_bucket(home)
    home.delete(MOVING)
    return report


def _bring_hints(settings: Settings, target: LocalStorage) -> None:
    """Copies accepted posts that no run has taken in: nothing else has them, and the service sends them once."""
    source = LocalStorage(settings.home)
    for key in Inbox(source).files():
        if not target.exists(key):
            target.put(key, source.get(key))


def _completed(here: Settings) -> MoveReport:
    """Brings the documents to a home that has the rest. Raises HomeBehind if it lacks more."""
    home = LocalStorage(here.home)
    with workplace(here, _WHAT, keeps_documents=True) as place:
        assert place.bucket is not None, "the settings name one"
        (here.home / "archive" / "partial").mkdir(parents=True, exist_ok=True, mode=0o700)
        fetch_documents(home, place.bucket.storage)
        files, found = len(place.bucket.log.contents().places), home.list(DOCUMENTS)
        lost = _lost(here, place, found)
    return MoveReport(files, len(found), f"unset PROPSYNC_STORAGE_URL, and set PROPSYNC_HOME={here.home}", lost)


def _is_home(settings: Settings) -> bool:
    """Whether the folder is a home already: its own runs continue if the bucket refuses it."""
    return settings.landing.exists() or (settings.state / WAREHOUSE).exists()


def _copy_choices(settings: Settings, target: LocalStorage) -> None:
    """Copies propsync.toml, and people's lists and checks below home.

    Without `[privacy]` the next run would publish all of it, and without a check whatever that keeps back.
    """
    checks = files_named(settings.checks_folder, "*.sql")
    for path in (settings.home / CONFIG_NAME, *settings.reference.values(), *checks):
        if path.is_relative_to(settings.home) and ".." not in path.parts and path.is_file():
            key = str(path.relative_to(settings.home))
            if not target.exists(key):
                target.put(key, path.read_bytes())


def _put_news(settings: Settings) -> None:
    """Puts into the bucket what this home alone has, so that the new place gets it too.

    Raises HomeUnusable if the bucket was put back to an earlier day.
    """
    with workplace(settings, _WHAT, may_be_behind=True, keeps_documents=True):
        pass  # its end does it


def _lost(settings: Settings, place: Workplace, found: Iterable[str]) -> list[str]:
    """The documents that the tables name and that were not found."""
    state = settings.state / WAREHOUSE
    if not state.exists():
        return []
    with Workspace.offline(settings, place, state) as workspace:
        return Verification(workspace.warehouse).missing(found)
