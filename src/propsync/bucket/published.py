"""The copy of `published/` in the bucket: what changed is put, the note last."""

from __future__ import annotations

from pathlib import Path

import msgspec

from propsync.bucket.delta_dates import date_as_logged
from propsync.bucket.home import BucketHome
from propsync.bucket.known import write_known
from propsync.bucket.packs import download
from propsync.storage import LocalStorage, Storage, disk_errors, replace, sync_file

_FOLDER = "published"
_NOTE = "published/_published.json"
_EDITION = "published/warehouse.duckdb"
_DELTA = "published/delta"
_LOG = "/_delta_log/"
_NEWS = "_last_checkpoint"


class PublishedNote(msgspec.Struct):
    """The part of `_published.json` that is read here: the SHA-256 of each file, and the run that published them.

    `erased` is the mark of the erasures that these files know.
    """

    files: dict[str, str]
    run: str = ""
    erased: str | None = None


def put_published(bucket: BucketHome) -> int:
    """Puts every published file that the bucket lacks or has otherwise, and removes others; returns how many it put.

    Raises LeaseLost, StorageAway, StorageRefused.
    """
    known, home, storage = bucket.known, bucket.home, bucket.storage
    here = _files(home)
    if known is None or not here:
        return 0
    there = dict(storage.tags(_FOLDER))
    lacking = [key for key, sum_ in here.items() if key not in there or known.published.get(key) != (sum_, there[key])]
    for key in sorted({*lacking} - {_NOTE}, key=_order):
        bucket.lease.check()
        storage.put_file(key, home.root / key)
    for key in sorted(there.keys() - here.keys(), key=_order, reverse=True):
        bucket.lease.check()
        storage.delete(key)
    if _NOTE in lacking:  # it says of which erasures no file has anything, so the files that it lacks go first
        bucket.lease.check()
        storage.put_file(_NOTE, home.root / _NOTE)
    if lacking:
        tags = dict(storage.tags(_FOLDER))
        known.published = {key: (sum_, tags.get(key, "")) for key, sum_ in here.items()}
        write_known(home, known)
    return len(lacking)


def published_note(storage: Storage) -> PublishedNote | None:
    """The note about what a home or a bucket has under published/; None if nobody can read one."""
    try:
        return msgspec.json.decode(storage.get(_NOTE), type=PublishedNote)
    except (FileNotFoundError, ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None


def fetch_edition(home: LocalStorage, storage: Storage, work: Path) -> None:
    """Brings the published warehouse, whose `ops` rows and names no other file has; without a note, which comes last.

    Raises BaseLost, StorageAway, DiskFull, HomeUnusable.
    """
    if not storage.exists(_EDITION):
        return
    path = work / "edition.partial"
    download(storage, _EDITION, path)
    home.delete(_NOTE)
    target = home.root / _EDITION
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
    replace(path, target, mode=0o444)
    sync_file(target.parent)


def fetch_delta(bucket: BucketHome) -> dict[str, tuple[str, str]]:
    """Makes the Delta tables at home those of the bucket, so that their versions and times continue; returns what is
    known of each file.

    Raises BaseLost, StorageAway, DiskFull, HomeUnusable.
    """
    home, there = bucket.home, dict(bucket.storage.tags(_DELTA))
    known = bucket.known.published if bucket.known else {}
    found = {}
    for key in home.list(_DELTA):
        if known.get(key) == (_fingerprint(home, key), there.get(key)):
            found[key] = known[key]
        else:
            home.delete(key)
    path = bucket.work / "delta_file.partial"  # delta.partial may be a folder that a killed run left
    for key in sorted(there.keys() - found.keys(), key=_order):
        download(bucket.storage, key, path)
        target = home.root / key
        with disk_errors(target):
            for folder in reversed([target.parent, *target.parent.parents][: key.count("/") - 1]):
                folder.mkdir(exist_ok=True)
                folder.chmod(0o755)
        replace(path, target, mode=0o444)
    date_as_logged({home.root / key.partition(_LOG)[0] for key in there if _LOG in key})
    return found | {key: (_fingerprint(home, key), there[key]) for key in there.keys() - found.keys()}


def _fingerprint(home: LocalStorage, key: str) -> str:
    status = (home.root / key).stat()
    return f"{status.st_size}/{status.st_mtime_ns}"


def _files(home: LocalStorage) -> dict[str, str]:
    """The published files, each with what identifies its bytes: the note's hash, or size and time; none if no note."""
    note = published_note(home)
    if note is None:  # the next run that publishes writes it again
        return {}
    found = {f"{_FOLDER}/{name}": sha256 for name, sha256 in note.files.items()}
    others = [_NOTE, *home.list(_DELTA), *home.list("published/dashboard")]
    for key in others:
        if key not in found:
            found[key] = _fingerprint(home, key)
    return {key: sum_ for key, sum_ in found.items() if home.exists(key)}


def _order(key: str) -> tuple[int, str]:
    """Files before what names them: Delta's data, its log, its pointer to the log; the note last."""
    return (key == _NOTE) * 4 + key.endswith(_NEWS) * 2 + (_LOG in key), key
