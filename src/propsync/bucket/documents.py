"""Documents move into the bucket when a home gets one, and home again when it leaves it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from propsync.bucket.home import BucketHome
from propsync.errors import BaseLost
from propsync.progress import progress
from propsync.storage import LocalStorage, Storage, disk_errors, partial_file, sha256_of_blocks, sync_open, write_blocks
from propsync.storage.places import DOCUMENTS, ROTTEN

_AT_ONCE = 8
_STEP = "Run `propsync archive verify` in the home of this bucket, then run the same command again"


def put_documents(bucket: BucketHome, *, stay: bool = False) -> int:
    """Puts every document of home into the bucket, and removes it here unless they `stay`; returns how many.

    Home keeps a document until the bucket's copy is whole. Raises LeaseLost, StorageAway, StorageRefused; the rest goes
    there at the next call.
    """
    keys = _keys(bucket.home)

    def put(key: str) -> None:
        with suppress(FileNotFoundError):  # an archive run moved it aside meanwhile
            if _puts(bucket, key) and not stay:
                bucket.home.delete(key)

    with progress("Putting", len(keys), "documents") as bar, ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(put, keys):
            bucket.lease.check()
            bar.advance()
    return len(keys)


def _puts(bucket: BucketHome, key: str) -> bool:
    """Makes the bucket's copy as good as the one at home; whether home no longer needs its own.

    A damaged document never replaces another: a part of each may be all that is left of it.
    """
    there = sha256_there(bucket.storage, key)
    if there == named_sha256(key):
        return True
    here = sha256_of_blocks(bucket.home.read(key))
    if there is None or here == named_sha256(key):
        bucket.storage.put_file(key, bucket.home.root / key)
        return True
    return here == there


def sha256_there(storage: Storage, key: str) -> str | None:
    """The hash of the bucket's copy, None without one."""
    try:
        return sha256_of_blocks(storage.read(key))
    except FileNotFoundError:
        return None


def _keys(storage: Storage) -> list[str]:
    """Documents, and damaged ones aside."""
    return [key for folder in (DOCUMENTS, ROTTEN) for key in storage.list(folder)]


def _is_aside(key: str) -> bool:
    """Whether it is a damaged document, of which a part may still be read."""
    return key.startswith(f"{ROTTEN}/")


def fetch_documents(home: LocalStorage, storage: Storage) -> None:
    """Brings every document home that is not there whole, each verified by the hash in its name.

    Raises BaseLost if neither place has it whole, StorageAway, DiskFull.
    """
    keys = sorted({*_keys(home), *_keys(storage)})

    def fetch(key: str) -> None:
        if not _is_at_home(home, key):
            _fetch(home, storage, key)

    with progress("Fetching", len(keys), "documents") as bar, ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(fetch, keys):
            bar.advance()
    home.settle(keys)


def _is_at_home(home: LocalStorage, key: str) -> bool:
    return home.exists(key) and (_is_aside(key) or sha256_of_blocks(home.read(key)) == named_sha256(key))


def _fetch(home: LocalStorage, storage: Storage, key: str) -> None:
    with partial_file(home.root / "archive" / "partial") as file, disk_errors(home.root):
        try:
            sha256 = write_blocks(file, storage.read(key))
        except FileNotFoundError as error:
            raise BaseLost(f"{key} in the bucket", "it is missing", _STEP) from error
        if sha256 != named_sha256(key) and not _is_aside(key):
            raise BaseLost(f"{key} in the bucket", "its bytes have changed", _STEP)
        sync_open(file)
        home.place(key, Path(file.name))


def named_sha256(key: str) -> str:
    """The hash that a document's name promises."""
    return key.rpartition("/")[2].partition(".")[0]
