"""Finds the shape of a resource's pages from its first pages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec

from propsync.errors import ResourceFailed, ShapeUnknown
from propsync.records import Cutter, Path, PayloadUnreadable, decode_shallow, first_text, follow
from propsync.resources import ListQuery, Resource
from propsync.shapes import Choice, Shape, by_key, cutter_of, find_list, find_roles, find_volatile, refuse_list_astray
from propsync.sweep.page_reader import PageReader, Reading

_GAPS = "status_in_all"
"""The part of a shape that is absent if some records lack their status."""
_LEAST_GAPS = 0.01  # of the records on the first pages
Known = Callable[[], Mapping[str, Collection[str]]]


class Shaping:
    """The evidence of a resource's first pages about its shape, kept in `shape`.

    `known` gives the property ids, assessment type ids and statuses that identify undocumented members.
    """

    def __init__(self, resource: Resource, shape: Shape, known: Known) -> None:
        self._resource = resource
        self._shape = shape
        self._known = known
        self.heeds_one_status = False
        """Whether the API answers for the first of several statuses only."""

    @property
    def cutter(self) -> Cutter:
        """A cutter for the pages by their shape so far."""
        return cutter_of(self._shape, self._resource)

    def is_status_absent(self) -> bool:
        """Whether records lack their status, so that propsync must take it from their list."""
        choice = self._shape.choices.get("status")
        is_absent = choice is not None and not choice.paths
        return bool(self._resource.performed) and (is_absent or _GAPS in self._shape.choices)

    def is_by_status(self) -> bool:
        """Whether each status has a list of its own."""
        return self.heeds_one_status or self.is_status_absent()

    def paths(self, role: str) -> tuple[Path, ...]:
        """Where records have a role."""
        return tuple(self._shape.paths(role))

    def values(self, role: str, records: Sequence[msgspec.Raw]) -> list[str | None]:
        """The value that each of these records has in a role; statuses in lower case, as servers spell them anyhow."""
        found = [key[0] if key else None for key in Cutter(None, (self.paths(role),)).keys(records)]
        return [one and one.casefold() for one in found] if role == "status" else found

    def shown_and_silent(
        self, role: str, values: Sequence[str], pages: Iterable[Sequence[msgspec.Raw]]
    ) -> tuple[list[str], list[str]]:
        """The values that a record on these pages has in a role, and the values that none has."""
        cutter = Cutter(None, (self.paths(role),))
        silent = {value.casefold(): value for value in values}
        for records in pages:
            for key in set(cutter.keys(records)):
                silent.pop(key[0].casefold() if key else "", None)
            if not silent:
                break
        return [value for value in values if value.casefold() not in silent], list(silent.values())

    def first_pages(self, reader: PageReader, lists: Sequence[ListQuery]) -> list[Reading]:
        """Page 1 of each list, cut. Raises ShapeUnknown."""
        unread = [reader.read(reader.ask(query, 1), None) for query in lists]
        self._find([reading.values for reading in unread])
        if self._resource.is_further and reader.is_paged and not self._shows_records(unread):
            self._find_on_page_0(reader, lists)
        try:
            return [replace(reading, page=self.cutter.cut(reading.body), values=None) for reading in unread]
        except PayloadUnreadable as error:
            raise ShapeUnknown(f"GET {self._resource.path}", f"its lists are not all of one shape: {error}") from error

    def _shows_records(self, readings: Sequence[Reading]) -> bool:
        return any(_records(one.values, self._shape.paths("list")) for one in readings)

    def _find_on_page_0(self, reader: PageReader, lists: Sequence[ListQuery]) -> None:
        """Finds the shape on page 0, which may be the only page with records if a further list counts from 0."""
        with suppress(ResourceFailed):
            self._find([reader.read(reader.ask(query, 0, "combined"), None).values for query in lists])

    def _find(self, pages: Sequence[Any]) -> None:
        known = self._shape.choices.get("list")
        if known is None or known.source != "configured":
            found = find_list(pages, self._resource)
            # an empty list is no evidence for any array
            if found is not None and (known is None or any(_records(page, found.paths) for page in pages)):
                self._shape.settle("list", found)
        else:
            refuse_list_astray(known, pages, self._resource)
        records = [_records(page, self._shape.paths("list")) for page in pages]
        find_roles(self._shape, self._resource, records, self._known())
        if self._resource.performed and any(records):
            self._find_gaps([record for page in records for record in page if isinstance(record, dict)])

    def _find_gaps(self, records: Sequence[Any]) -> None:
        """Notes whether some records lack a status that the others have: only their list can tell it.

        A lone odd record costs no requests. Two lists may show the same record.
        """
        ids, statuses = self._shape.paths("id"), self._shape.paths("status")
        by_id = {first_text(record, ids): first_text(record, statuses) for record in records}
        lacking = [key for key, status in by_id.items() if key and not status]
        self._shape.choices.pop(_GAPS, None)
        if statuses and len(lacking) > 1 and len(lacking) >= _LEAST_GAPS * len(by_id):
            evidence = f"{len(lacking)} of {len(by_id)} records have no status, so that their list tells it"
            self._shape.choices[_GAPS] = Choice((), "absent", evidence)

    @property
    def wants_second_reading(self) -> bool:
        """Whether to read page 1 twice even if it holds everything: propsync does not know the volatile members yet."""
        return self._shape.volatile is None

    def seems_volatile(self, first: Reading, again: Reading) -> bool:
        """Whether two readings of page 1 differ as signed links do, so that a third one must tell."""
        return self.wants_second_reading and bool(self._differing(first, again))

    def find_volatile(self, first: Reading, again: Reading | None, third: Reading | None) -> None:
        """Settles the volatile members from the readings of page 1, once.

        An edit between two readings looks like a signed link, but only a link differs in the third reading too.
        """
        if again is None or not self.wants_second_reading:
            return
        found = self._differing(first, again)
        self._shape.volatile = self._confirmed(found, first, again, third) if found else found

    def add_volatile(
        self, found: frozenset[str], first: Reading, again: Reading, third: Reading | None
    ) -> frozenset[str]:
        """Adds those of `found` that a third reading on a later night confirms; returns the new ones."""
        known = self._shape.volatile or frozenset()
        confirmed = self._confirmed(found, first, again, third) or frozenset()
        self._shape.volatile = known | confirmed
        return confirmed - known

    def newly_differing(self, first: Reading, again: Reading) -> frozenset[str]:
        """The members that differ between two readings of a page and are not known to be volatile."""
        return (self._differing(first, again) or frozenset()) - (self._shape.volatile or frozenset())

    def _confirmed(
        self, found: frozenset[str], first: Reading, again: Reading, third: Reading | None
    ) -> frozenset[str] | None:
        """The members that differ in each of the three readings; None if a third has too few of the records, or is
        missing.

        No signature comes back: if the first value does, two servers that disagree answer in turn.
        """
        if third is None:
            return None
        for earlier in (first, again):
            differing = self._differing(earlier, third)
            if differing is None:
                return None
            found &= differing
        return found

    def _differing(self, first: Reading, again: Reading) -> frozenset[str] | None:
        if first.landed.sha256 == again.landed.sha256:  # no difference: only the number of records read twice counts
            shown = by_key([(key, None) for key in self.cutter.keys(first.page.records)])
            return find_volatile(shown, shown, self._kept())
        return find_volatile(self._decoded(first), self._decoded(again), self._kept())

    def _kept(self) -> list[Path]:
        """The paths of what people write and what identifies a record, as the API documents them."""
        documented = [(member,) for member, column in self._resource.members.items() if column]
        return [*documented, *(path for role in self._resource.roles for path in self._shape.paths(role.name))]

    def _decoded(self, reading: Reading) -> dict[tuple[str, ...], Any]:
        return by_key([(self.cutter.key(record), decode_shallow(record)) for record in reading.page.records])


def _records(page: Any, paths: Sequence[Path]) -> list[Any]:
    arrays = (follow(page, path) for path in paths)
    return [record for array in arrays if isinstance(array, list) for record in array]
