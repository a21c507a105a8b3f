"""A few records from across a snapshot, as evidence for shapes."""

from __future__ import annotations

from typing import Any

from propsync.landing import Landed, Manifest, PageStore
from propsync.records import Cutter, PayloadUnreadable, decode_shallow
from propsync.resources import TYPES_BESIDE

_PAGES = 40
_RECORDS = 1000  # from all of them: one page may have kinds that another lacks
_UNEVEN = 0.618
"""The golden ratio. Its steps never fall on each second or third record alone."""


def sample(pages: PageStore, manifest: Manifest, cutter: Cutter) -> list[Any]:
    """At most 1,000 decoded records from across at most 40 pages."""
    landed = _across([landed for landed in manifest.landed if landed.role == "page"], _PAGES)
    found: list[Any] = []
    for one in landed:
        records = cutter.cut(pages.get(one.sha256)).records
        found += [decode_shallow(record) for record in _across(records, _RECORDS // len(landed))]
    return found


def types_beside(manifest: Manifest) -> list[Landed]:
    """The pages that together show all the types sent beside records, each version of them once, the latest last."""
    latest = {landed.types_hash: landed for landed in sorted(manifest.landed, key=lambda one: -one.asked_at)}
    return sorted((one for kind, one in latest.items() if kind), key=lambda one: one.asked_at)


BESIDE = Cutter((TYPES_BESIDE,))
"""Cuts the asset types that a page of assets repeats (API §4.2)."""


def types_of(pages: PageStore, landed: Landed, cutter: Cutter) -> list[Any]:
    """Decoded types of one answer; none if the member is something else."""
    try:
        return [decode_shallow(record) for record in cutter.cut(pages.get(landed.sha256)).records]
    except PayloadUnreadable:
        return []


def _across(sequence: list[Any], most: int) -> list[Any]:
    """One from each of `most` equal parts, not always at the same place: records of two forms may alternate."""
    if len(sequence) <= most:
        return sequence
    part = len(sequence) / most
    return [sequence[int((place + place * _UNEVEN % 1) * part)] for place in range(most)]
