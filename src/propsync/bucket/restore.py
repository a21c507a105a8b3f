"""Brings home what the bucket holds: all of it on a new machine, the news of others on one that fell behind."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from propsync.bucket.commits import Contents
from propsync.bucket.durable import durable_keys
from propsync.bucket.home import BucketHome
from propsync.bucket.known import Known, write_known
from propsync.bucket.packs import PackReader
from propsync.bucket.published import fetch_edition
from propsync.errors import HomeUnusable

_STATE = "state/warehouse.duckdb"
_log = logging.getLogger("propsync.bucket")


def restore(bucket: BucketHome) -> Contents:
    """Makes landing, plans and the published file those of the bucket; `settle_restored` says that state follows.

    Files of this home that no commit holds go to `state/aside/`, with the state database that knows them. Raises
    HomeUnusable if this home has never used the bucket and holds runs of its own, and BaseLost.
    """
    contents = bucket.log.contents()
    here = {*durable_keys(bucket.home)}
    own = here - contents.places.keys() - (bucket.known.contents.places.keys() if bucket.known else set())
    if bucket.known is None:
        _refuse_own_runs(bucket, own)
    _set_aside(bucket, own)
    for key in here - contents.places.keys() - own:
        bucket.home.delete(key)
    known = bucket.known.contents.places if bucket.known else {}
    lacking = {key: place for key, place in contents.places.items() if key not in here or known.get(key) != place}
    PackReader(bucket.home, bucket.storage, bucket.work).fetch(lacking)
    fetch_edition(bucket.home, bucket.storage, bucket.work)
    return contents


def settle_restored(bucket: BucketHome, contents: Contents) -> None:
    """Notes that this home has taken in these contents."""
    bucket.known = Known(bucket.url, contents)
    write_known(bucket.home, bucket.known)


def _refuse_own_runs(bucket: BucketHome, own: set[str]) -> None:
    if any(key.endswith("/manifest.json") for key in own):
        raise HomeUnusable(
            str(bucket.home.root),
            f"it holds runs of its own, and {bucket.url} holds others",
            "Set PROPSYNC_HOME to an empty folder, or PROPSYNC_STORAGE_URL to a new one",
        )


def _set_aside(bucket: BucketHome, own: set[str]) -> None:
    """Moves what this home alone has out of the way: another machine has gone on without it."""
    if not own:
        return
    folder = f"state/aside/{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    _log.warning(
        "%s: the bucket never got %d files of this run, and another machine has run since; propsync keeps them in %s",
        min(own),
        len(own),
        bucket.home.root / folder,
    )
    for key in sorted(own):
        bucket.home.put_file(f"{folder}/{key}", bucket.home.root / key)
    if bucket.home.exists(_STATE):
        bucket.home.put_file(f"{folder}/{_STATE}", bucket.home.root / _STATE)
