"""Checks a list that ends with a full page or a round number: if its total is capped there, no page shows the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from propsync.api import why_unaskable
from propsync.errors import ResourceFailed
from propsync.records import Cutter, Page
from propsync.resources import ListQuery, Resource
from propsync.sweep.page_reader import PageReader
from propsync.sweep.shaping import Shaping
from propsync.sweep.staged_keys import StagedKeys

_PAGES = 16  # pages show nearly all types and properties; to read each page again would take a fiftieth of a first load


class CappedTotal:
    """Asks for the totals of parts of a list, with a limit of 1. Together they count no more than the whole list."""

    def __init__(self, reader: PageReader, listed: StagedKeys, resource: Resource, shaping: Shaping) -> None:
        self._reader = reader
        self._listed = listed
        self._resource = resource
        self._shaping = shaping

    def is_exceeded(self, query: ListQuery, first: Page) -> bool:
        """Whether parts by type count more than the list does; or by property, if the type tells none apart.

        The last page of a part must show a record that the list lacks, since filters may overlap. `first` is page 1.
        """
        if not self._resource.is_parted or self._resource.is_further:
            return False
        for role in ("type", "property"):
            values = sorted(self._shown(role, query.name))
            parts = self._counted(query, role, values) if len(values) > 1 else []
            if parts:
                is_more = sum(count for _, count in parts) > (first.total or 0)
                return is_more and any(
                    self._shows_more(query, part, -(-count // len(first.records))) for part, count in parts
                )
        return False

    def _shows_more(self, query: ListQuery, part: ListQuery, last: int) -> bool:
        """Whether the last page of a part has a record that no page of the list has."""
        cutter = self._shaping.cutter
        try:
            page = self._reader.read(self._reader.ask(part, last, "combined"), cutter).page
        except ResourceFailed:
            return False
        keys = [key for key in cutter.keys(page.records) if key]
        return not self._listed.has_shown(self._reader.attempt, query.name, keys)

    def _shown(self, role: str, list_name: str) -> set[str]:
        """The values that records of the list have in a role, and that a filter can ask for.

        Of a long list, it reads pages from all over it.
        """
        reader, found = self._reader, set[str]()
        of_list = (reader.attempt, list_name, "page")
        pages = [one for one in reader.landed if (one.attempt, one.list_name, one.role) == of_list]
        for one in pages[:: 1 + len(pages) // _PAGES]:
            records = reader.records(one, self._shaping.cutter)
            found.update(key[0] for key in self._cutter(role).keys(records) if key)
        return {value for value in found if why_unaskable(value) is None}

    def _counted(self, query: ListQuery, role: str, values: Sequence[str]) -> list[tuple[ListQuery, int]]:
        """The parts, each with its total; empty if the API answers none of them, or heeds no such filter."""
        counted = []
        for piece in self._pieces(query, role, values):
            part = query.narrowed((role, piece))
            try:
                page = self._reader.read(self._reader.ask(part, 1, "combined", limit=1), self._shaping.cutter).page
            except ResourceFailed:  # the list itself came whole, as far as anybody can tell
                return []
            if not all(key and key[0] in piece for key in self._cutter(role).keys(page.records)):
                return []
            counted.append((part, page.total or 0))
        return counted

    def _pieces(self, query: ListQuery, role: str, values: Sequence[str]) -> Iterator[Sequence[str]]:
        """At least two pieces, as large as addresses can take."""
        most, piece = -(-len(values) // 2), list[str]()
        for value in values:
            if piece and (len(piece) == most or not self._reader.fits(query.narrowed((role, [*piece, value])))):
                yield piece
                piece = []
            piece.append(value)
        yield piece

    def _cutter(self, role: str) -> Cutter:
        return Cutter(None, (self._shaping.paths(role),))
