"""The past and the world through a veil: without the thing that was erased, as the tables must show them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any, cast

from propsync_sandbox import Entry, Key, Record, World
from propsync_sandbox.jsontext import decode_exactly, encode

from ..watch import Window, resource_of

_RESOURCE = {"asset": "assets", "assessment": "assessments"}
_REPLACEMENT = "[erased]"


@dataclass(frozen=True)
class Target:
    """One thing to erase: an id, or a text. A field of one asset has that asset's id too."""

    kind: str
    words: str
    asset: str = ""

    @property
    def resource(self) -> str | None:
        """The resource of an erased record."""
        return _RESOURCE.get(self.kind)

    def is_record(self, resource: str | None, key: Key) -> bool:
        """Whether this record is erased as a whole."""
        return self.resource is not None and self.resource == resource and key == self.words

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds it in a text."""
        parts = self.words.split() if self.kind == "text" else [self.words]
        return re.compile(r"\s+".join(map(re.escape, parts)), re.IGNORECASE if self.kind == "text" else 0)

    def options(self) -> dict[str, str]:
        """As the command line names it."""
        if self.kind == "asset field":
            return {"field": self.words, "asset": self.asset}
        return {self.kind: self.words}


@dataclass
class Veil:
    """`pseudonym` is in the place of an erased id. `same` has versions that are now equal to the one before."""

    target: Target
    pseudonym: str | None
    same: set[tuple[str, Key, datetime]] = field(default_factory=set)
    intervals: set[tuple[datetime, datetime | None, str]] = field(default_factory=set)
    """Those of the erased record's versions."""
    _records: dict[tuple[str | None, Key, int], Record] = field(default_factory=dict)
    _windows: dict[int, tuple[Window, Window]] = field(default_factory=dict)

    def window(self, window: Window) -> Window:
        """A run as propsync may remember it; documents are the files that the server sent."""
        if id(window) not in self._windows:
            veiled = replace(window, entries=[self._entry(one) for one in window.entries])
            self._windows[id(window)] = window, veiled
        return self._windows[id(window)][1]

    def world(self, world: World) -> World:
        """The world without it."""
        return cast(World, _VeiledWorld(world, self))

    def record(self, resource: str | None, record: Record) -> Record:
        """An erased record leaves its pseudonym, so that an answer has as many."""
        place = (resource, record.key, record.version)
        if place not in self._records:
            self._records[place] = self._record(resource, record)
        return self._records[place]

    def payload(self, resource: str, key: Key, payload: str) -> Any:
        """A payload of history as values."""
        return self._value(resource, key, json.loads(payload, parse_float=Decimal))

    def _record(self, resource: str | None, record: Record) -> Record:
        if self.target.is_record(resource, record.key):
            assert self.pseudonym is not None
            return replace(record, key=self.pseudonym, body=encode({"id": self.pseudonym, "fields": []}), flags=b"")
        flags = record.flags and self._bytes(resource, record.key, record.flags)
        return replace(record, body=self._bytes(resource, record.key, record.body), flags=flags)

    def _entry(self, entry: Entry) -> Entry:
        resource = resource_of(entry)
        if resource is None and not entry.types:
            return entry
        records = tuple(self.record(resource, one) for one in entry.records)
        return replace(entry, records=records, types=entry.types and self.types(entry.types))

    def types(self, body: bytes) -> bytes:
        """A list of types."""
        return self._bytes(None, "", body)

    def _bytes(self, resource: str | None, key: Key, body: bytes) -> bytes:
        value = decode_exactly(body)
        after = self._value(resource, key, value)
        return body if after == value else encode(after)

    def _value(self, resource: str | None, key: Key, value: Any) -> Any:
        kind = self.target.kind
        if kind == "field" or (kind == "asset field" and resource == "assets" and key == self.target.asset):
            value = _without_field(value, self.target.words)
        if kind == "asset field":
            return value
        put = _REPLACEMENT if kind == "text" else str(self.pseudonym)
        return _walked(value, lambda text: self.target.pattern.sub(put, text))


@dataclass(frozen=True)
class _VeiledBook:
    types: Callable[[bytes], bytes]
    book: Any

    def truth(self) -> Any:
        return json.loads(self.types(self.book.listed_json()))


@dataclass(frozen=True)
class _VeiledShelf:
    kept: list[Record]

    def records(self) -> list[Record]:
        return self.kept


class _VeiledWorld:
    def __init__(self, world: World, veil: Veil) -> None:
        self.resources = world.resources
        self.asset_types = _VeiledBook(veil.types, world.asset_types)
        self.assessment_types = _VeiledBook(veil.types, world.assessment_types)
        self._world, self._veil = world, veil

    def shelf(self, resource: str) -> _VeiledShelf:
        target, records = self._veil.target, self._world.shelf(resource).records()
        kept = [one for one in records if not target.is_record(resource, one.key)]
        return _VeiledShelf([self._veil.record(resource, one) for one in kept])


def _without_field(value: Any, field_id: str) -> Any:
    if isinstance(value, list):
        return [_without_field(one, field_id) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {name: _without_field(one, field_id) for name, one in value.items()}
    if isinstance(kept.get("fields"), list):
        kept["fields"] = [one for one in kept["fields"] if field_id not in (one.get("field"), one.get("id"))]
    return kept


def _walked(value: Any, words: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return words(value)
    if isinstance(value, list):
        return [_walked(one, words) for one in value]
    return {words(name): _walked(one, words) for name, one in value.items()} if isinstance(value, dict) else value
