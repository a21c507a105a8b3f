"""Reads page 1 once more if most records changed overnight: a service may have begun to sign its links."""

from __future__ import annotations

from collections.abc import Iterator

from propsync.errors import ResourceFailed
from propsync.landing import Landed
from propsync.sweep.ladder import Swept
from propsync.sweep.page_reader import Reading


def find_new_volatile(swept: Swept) -> frozenset[str]:
    """Adds to the shape the members that differ at each of three readings of page 1 of any list; returns the new ones.

    Two readings that differ may also show an edit, so only then does it read page 1 for the third time.
    """
    found: frozenset[str] = frozenset()
    for first, again in _read_twice(swept):
        if differing := swept.shaping.newly_differing(first, again):
            found |= swept.shaping.add_volatile(differing, first, again, _once_more(swept, first))
    return found


def _read_twice(swept: Swept) -> Iterator[tuple[Reading, Reading]]:
    """The first page of each list with a second reading of it: the sweep's own if that differs, else a later one."""
    cutter = swept.shaping.cutter
    for landed in _first_pages(swept).values():
        first = swept.reader.from_landing(landed, cutter)
        made = [
            one
            for one in swept.landed
            if one.role == "again" and one.request == landed.request and one.sha256 != landed.sha256
        ]
        again = swept.reader.from_landing(made[0], cutter) if made else _once_more(swept, first)
        if again is not None:
            yield first, again


def _first_pages(swept: Swept) -> dict[str, Landed]:
    """By list."""
    found: dict[str, Landed] = {}
    for one in sorted(swept.landed, key=lambda one: one.sequence):
        if one.role == "page":
            found.setdefault(one.list_name, one)
    return found


def _once_more(swept: Swept, first: Reading) -> Reading | None:
    """A further reading; if its keys differ from the certified list's, it does not count."""
    cutter = swept.shaping.cutter
    swept.reader.wait_for_signatures()
    try:
        again = swept.reader.once_more(first.landed, cutter)
    except ResourceFailed:
        return None
    is_same = again.page.total == first.page.total and set(cutter.keys(again.page.records)) == set(
        cutter.keys(first.page.records)
    )
    if not is_same:
        return None
    swept.listed.add(again.landed, again.page.records, cutter)
    swept.listed.flush()
    swept.landed.append(again.landed)
    return again
