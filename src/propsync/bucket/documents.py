"""Documents that were on the disk before the home had a bucket: they move there once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from propsync.bucket.home import BucketHome
from propsync.progress import progress

_FOLDER = "archive/blobs"
_AT_ONCE = 8


def put_documents(bucket: BucketHome, *, stay: bool = False) -> int:
    """Puts every document of home into the bucket, and removes it here unless they `stay`; returns how many.

    Raises LeaseLost, StorageAway, StorageRefused; the rest goes there at the next call.
    """
    keys = bucket.home.list(_FOLDER)

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
