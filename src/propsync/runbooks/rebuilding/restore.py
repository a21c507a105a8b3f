"""Before a rebuild: home gets from its bucket what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from propsync.bucket import BucketHome, Contents, published_note, restore
from propsync.errors import BaseLost
from propsync.publish import WAREHOUSE as PUBLISHED
from propsync.runbooks.workplace import Workplace


def restored(place: Workplace) -> Contents | None:
    """Brings home what the bucket holds and this machine lacks, or has damaged; None if no other machine has run.

    Raises BaseLost, HomeUnusable, StorageAway.
    """
    if place.bucket is None or place.is_erasing:
        return None
    if not place.bucket.is_behind():
        if place.bucket.known is not None:
            place.bucket.bring_back_damaged(place.bucket.known.contents.places)
        return None
    return restore(place.bucket)


def refuse_lost_edition(bucket: BucketHome, databases: Mapping[str, Path], knows: Callable[[Path, str], bool]) -> None:
    """Raises BaseLost if the run log and the rows of documents would be lost with the published warehouse.

    `knows` says whether a database has a run. The note about what is published comes last, so the warehouse beside it
    has its run, unless somebody put back an earlier one.
    """
    key = f"published/{PUBLISHED}"
    if not databases and bucket.storage.exists(key):
        raise BaseLost(
            f"{key} in {bucket.url}",
            "it cannot be read, and no other file has the run log and the rows of documents",
            "Restore an earlier version of that object, or remove it to go without them; then run `propsync rebuild`",
        )
    note, found = published_note(bucket.storage), databases.get("published")
    if note and note.run and found and not knows(found, note.run):
        raise BaseLost(
            f"{key} in {bucket.url}",
            "it is older than published/_published.json, and lacks later rows of the run log and of documents",
            "Restore the newest version of that object, or remove it to go without them; then run `propsync rebuild`",
        )
