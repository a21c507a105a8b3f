"""Documents move into the bucket when a home gets one, and home again when it leaves it."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from propsync.bucket.home import BucketHome
from propsync.errors import BaseLost
from propsync.progress import progress
from propsync.storage import LocalStorage, Storage, partial_file, sync_open, write_all

FOLDER = "archive/blobs"
_AT_ONCE = 8
_STEP = "Run `propsync archive verify` in the home of this bucket, then run the same command again"


def put_documents(bucket: BucketHome, *, stay: bool = False) -> int:
    """Puts every document of home into the bucket, and removes it here unless they `stay`; returns how many.

    Raises LeaseLost, StorageAway, StorageRefused; the rest goes there at the next call.
    """
    keys = bucket.home.list(FOLDER)

    def put(key: str) -> None:
        if not bucket.storage.exists(key):
            bucket.storage.put_file(key, bucket.home.root / key)
        if not stay:
            bucket.home.delete(key)

    with progress("Putting", len(keys), "documents") as bar, ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(put, keys):
            bucket.lease.check()
            bar.advance()
    return len(keys)


def fetch_documents(home: LocalStorage, storage: Storage) -> int:
    """Brings every document home that is not there, each verified by the hash in its name; returns how many.

    Raises BaseLost if one has changed, StorageAway.
    """
    here = {*home.list(FOLDER)}
    keys = [key for key in storage.list(FOLDER) if key not in here]

    def fetch(key: str) -> None:
        with partial_file(home.root / "archive" / "partial") as file:
            digest = hashlib.sha256()
            for block in storage.read(key):
                digest.update(block)
                write_all(file, block)
            if digest.hexdigest() != named_sha256(key):
                raise BaseLost(f"{key} in the bucket", "its bytes have changed", _STEP)
            sync_open(file)
            home.place(key, Path(file.name))

    with progress("Fetching", len(keys), "documents") as bar, ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(fetch, keys):
            bar.advance()
    home.settle(keys)
    return len(keys)


def named_sha256(key: str) -> str:
    """The hash that a document's name promises."""
    return key.rpartition("/")[2].partition(".")[0]
