"""Finds members that change at every reading of an unchanged record, such as signed links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from propsync.records import Path
from propsync.records.canonical import leaves

_ENOUGH = 5  # records that must all show the difference; fewer could be a few edits
_OWN_KINDS = ("text", "number", "date", "time", "option", "qr")


def find_volatile(
    first: Mapping[tuple[str, ...], Any], again: Mapping[tuple[str, ...], Any], kept: Collection[Path]
) -> frozenset[str] | None:
    """Leaf paths that differ in every one of at least five records, of two readings of page 1 by key.

    `kept` are the paths of documented members, ids and statuses, which are never volatile. Nor is the value of a text,
    number, date, time, option or qr result. None if propsync read too few records twice to tell.
    """
    both = first.keys() & again.keys()
    if len(both) < _ENOUGH:
        return None
    carried: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    for key in both:
        one, other = _by_path(first[key]), _by_path(again[key])
        shared = one.keys() & other.keys()
        carried.update(shared)
        differing.update(path for path in shared if one[path] != other[path])
    never = {".".join(path) for path in kept}
    return frozenset(
        path
        for path, count in differing.items()
        if count >= _ENOUGH
        and count == carried[path]
        and path.removesuffix("[]") not in never
        and not _is_own_value(path)
    )


def _by_path(record: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, value in leaves(record):
        found.setdefault(path, []).append(repr(value))
    return {path: sorted(values) for path, values in found.items()}


def _is_own_value(path: str) -> bool:
    """Whether a leaf is a person's entry rather than a link that the service made."""
    return path == "fields[]" or any(f"[{kind}]" in path for kind in _OWN_KINDS)


def by_key(records: Sequence[tuple[tuple[str, ...] | None, Any]]) -> dict[tuple[str, ...], Any]:
    """By key, the records that have one and appear once."""
    counts = Counter(key for key, _ in records)
    return {key: record for key, record in records if key is not None and counts[key] == 1}
