"""Brings home what the bucket holds: all of it on a new machine, the news of others on one that fell behind."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime

from propsync.bucket.commits import Contents, Place
from propsync.bucket.durable import durable_keys, is_erasure, is_plan
from propsync.bucket.home import BucketHome
from propsync.bucket.known import Known, write_known
from propsync.bucket.packs import PackReader
from propsync.bucket.published import fetch_delta, fetch_edition, published_note
from propsync.errors import HomeUnusable

_STATE = ("state/warehouse.duckdb.wal", "state/warehouse.duckdb")
_log = logging.getLogger("propsync.bucket")


def restore(bucket: BucketHome) -> Contents:
    """Makes landing, plans and the published file those of the bucket; `settle_restored` says that state follows.

    Files of this home that no commit holds go to `state/aside/`, with the state database that knows them. If the bucket
    does not show that it ever had what this home knows of it, all files that it lacks go there. Raises HomeUnusable if
    this home has never used the bucket and holds runs of its own, and BaseLost.
    """
    contents = bucket.log.contents()
    here = {*durable_keys(bucket.home)}
    known = _known_places(bucket, contents, here)
    lacked = here - contents.places.keys()
    new = lacked - known.keys() if bucket.is_past_shown else lacked
    own = {key for key in new if not is_plan(key)}
    _set_aside(bucket, own)
    if any(map(is_erasure, own)):
        _log.warning("an erasure that this machine began is not done: run the same `propsync erase` again")
    for key in lacked - new:
        bucket.home.delete(key)
    lacking = {key: place for key, place in contents.places.items() if key not in here or known.get(key) != place}
    PackReader(bucket.home, bucket.storage, bucket.work).fetch(lacking)
    bucket.bring_back_damaged({key: place for key, place in contents.places.items() if key not in lacking})
    fetch_edition(bucket.home, bucket.storage, bucket.work)
    bucket.fetched = fetch_delta(bucket)
    note = published_note(bucket.storage)
    bucket.fetched_erasures = note.erased if note else None
    return contents


def settle_restored(bucket: BucketHome, contents: Contents) -> None:
    """Notes that this home has taken in these contents."""
    bucket.known = Known(bucket.url, contents, published=bucket.fetched)
    bucket.is_current = True
    write_known(bucket.home, bucket.known)


def _known_places(bucket: BucketHome, contents: Contents, here: set[str]) -> Mapping[str, Place]:
    """What this home knows of the bucket. A new home notes what it is about to get, in case a kill interrupts it."""
    if bucket.known is not None:
        return bucket.known.contents.places
    _refuse_own_runs(bucket, here - contents.places.keys())
    write_known(bucket.home, Known(bucket.url, contents, is_partial=True))
    return {}


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
        "%s: the bucket %s %d files of this home, and another machine has run since; propsync keeps them in %s",
        min(own),
        "never got" if bucket.is_past_shown else "does not show that it ever had",
        len(own),
        bucket.home.root / folder,
    )
    # the state database first: without those files no rebuild can have what it knows
    for key in (*(key for key in _STATE if bucket.home.exists(key)), *sorted(own)):
        bucket.home.put_file(f"{folder}/{key}", bucket.home.root / key)
