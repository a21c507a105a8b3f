"""The files of home that the bucket keeps, and which of them may leave it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from propsync.bucket.commits import Place
from propsync.bucket.known import Known
from propsync.errors import BaseLost, ManifestUnreadable
from propsync.landing import Bases, Manifests
from propsync.storage import LocalStorage

_BASE = "landing/base/"
_PAGES = "landing/pages/"
_ERASURES = "landing/erasures/"
_PLANS = "state/plans/"
_FOLDERS = ("landing", "state/plans", "state/backfill")
_ALONE = ("archive/taken.jsonl",)
_PASSING = ("state/backfill/", *_ALONE)
"""Files that a run removes when it no longer needs them."""


def durable_keys(home: LocalStorage) -> list[str]:
    """Every file of home that must outlive the machine, apart from documents and what is published."""
    found = [key for folder in _FOLDERS for key in home.list(folder)]
    return found + [key for key in _ALONE if home.exists(key)]


def is_plan(key: str) -> bool:
    """Whether a file is a plan of writing back: it agrees with whatever other machines have done."""
    return key.startswith(_PLANS)


def is_fixed(key: str) -> bool:
    """Whether a file never changes under its name."""
    return key.startswith("landing/") and not key.startswith((_BASE, _ERASURES))


def is_erasure(key: str) -> bool:
    """Whether a file belongs to the erasures of home."""
    return key.startswith(_ERASURES)


def changed_keys(home: LocalStorage, known: Known, keys: list[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The files that the bucket lacks, or that have changed; each with its size and time.

    Pages and manifests never change under their names, so what the bucket has of them stays, whatever a disk does. Nor
    does a damaged file of a base replace the sound one: the base's manifest has its hash.
    """
    for key in keys:
        if is_fixed(key) and key in known.contents.places:
            continue
        try:
            status = (home.root / key).stat()
        except FileNotFoundError:
            continue
        fingerprint = (status.st_size, status.st_mtime_ns)
        if key not in known.contents.places or (known.fingerprints.get(key) != fingerprint and _is_sound(home, key)):
            yield key, fingerprint


def _is_sound(home: LocalStorage, key: str) -> bool:
    """Whether a file that changed may replace the one in the bucket."""
    if not key.startswith(_BASE):
        return True
    try:
        base = Bases(home).newest()
        return base is None or all(one.key != key or Bases(home).is_sound(one) for one in base.files.values())
    except BaseLost:  # its manifest is damaged
        return False


def removed_keys(home: LocalStorage, places: Mapping[str, Place], keys: set[str]) -> set[str]:
    """Files that may leave the bucket: home no longer has them, and a base or a finished run replaces them.

    A file that only a disk or a mistake took away from home stays in the bucket.
    """
    gone = places.keys() - keys
    passing = {key for key in gone if key.startswith(_PASSING)}
    if not any(key.startswith("landing/") for key in gone):
        return passing
    try:
        return passing | _pruned(home, gone)
    except (BaseLost, ManifestUnreadable):  # nobody knows what they name
        return passing


def _pruned(home: LocalStorage, gone: set[str]) -> set[str]:
    base = Bases(home).newest()
    until, kept = (base.run_id, {one.key for one in base.files.values()}) if base else ("", set())
    manifests = {key for key in gone if _is_snapshot(key) and key.split("/")[2] <= until}
    older = {key for key in gone if key.startswith(_BASE) and key.split("/")[2] < until} - kept
    if any(_is_snapshot(key) for key in gone - manifests):  # the pages of a lost manifest are not known
        return manifests | older
    named = Manifests(home).named()
    pages = {key for key in gone if key.startswith(_PAGES) and key.rpartition("/")[2] not in named}
    return manifests | older | pages


def _is_snapshot(key: str) -> bool:
    return key.endswith("/manifest.json") and not key.startswith(_BASE)
