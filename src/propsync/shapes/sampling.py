"""A few records from across a snapshot, as evidence for shapes."""

from __future__ import annotations

from typing import Any

from propsync.landing import Landed, Manifest, PageStore
from propsync.records import Cutter, PayloadUnreadable, decode_shallow
from propsync.resources import TYPES_BESIDE

_PAGES = 40
_RECORDS = 25  # of a page: one page may have kinds that another lacks


def sample(pages: PageStore, manifest: Manifest, cutter: Cutter) -> list[Any]:
    """Decoded records, evenly from at most 40 pages."""
    landed = [landed for landed in manifest.landed if landed.role == "page"]
    found: list[Any] = []
    for one in _evenly(landed, _PAGES):
        records = cutter.cut(pages.get(one.sha256)).records
        found += [decode_shallow(record) for record in _evenly(records, _RECORDS)]
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


def _evenly(sequence: list[Any], most: int) -> list[Any]:
    step = max(1, -(-len(sequence) // most))
    return sequence[::step]
