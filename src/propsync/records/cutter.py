"""Cuts a page into records without turning them into Python objects.

`msgspec.Raw` walks the whole page once, checks that it is JSON, and keeps each record's bytes as they came. It decodes
only the members of the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
import xxhash

from propsync.records.decoding import decode
from propsync.records.depth import shallow
from propsync.records.surrogates import mended

Path = tuple[str, ...]
"""Member names from the record (or page) down to a value."""

_ABSENT = msgspec.Raw()
_RAW_ARRAY: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])
_RAW_MEMBERS: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])


_TYPES = "types"
"""The member that every page of assets repeats beside its records (API §4.2)."""


class PayloadUnreadable(ValueError):
    """A page, or a record in it, that is JSON of the wrong kind."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page, cut: each record's bytes and those of `types`. `total` is the page's own, None if the page has none
    or it is no count.
    """

    total: int | None
    records: list[msgspec.Raw]
    types: msgspec.Raw | None = None


@dataclass(frozen=True, slots=True)
class Cutter:
    """Knows where a page keeps its records and a record keeps its key.

    `list_path` leads to the array of records, `()` for a bare array; None until a page has records. `key_paths` has,
    for each part of the key, the paths to try in order. With `is_one` a body is one record itself, such as a schedule
    that propsync requests by its key (API §4.10).
    """

    list_path: Path | None
    key_paths: tuple[tuple[Path, ...], ...] = ()
    is_one: bool = False

    def cut(self, body: bytes) -> Page:
        """Cuts the decompressed `body` of one answer. Raises PayloadUnreadable if the array has moved.

        If a body is nested too deep for the decoder, `cut` leaves the deepest parts out of the records.
        """
        try:
            return self._cut_whole(body)
        except RecursionError:
            return self._cut_whole(shallow(body))

    def _cut_whole(self, body: bytes) -> Page:
        try:
            return self._cut(body)
        except PayloadUnreadable:
            whole = mended(body)
            if whole is body:
                raise
            return self._cut(whole)

    def _cut(self, body: bytes) -> Page:
        if self.is_one:
            return Page(None, [msgspec.Raw(body)])
        return self._cut_at_once(body) or self._cut_step_by_step(body)

    def _cut_at_once(self, body: bytes) -> Page | None:
        """Cuts an ordinary page, which nearly all are: an object with `total` and the array, in one walk."""
        if self.list_path is None or len(self.list_path) != 1:
            return None
        try:
            page = _page_decoder(self.list_path[0]).decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        total = None if page.total is _ABSENT else _total(page.total)
        return Page(total, page.records, None if page.types is _ABSENT else page.types)

    def _cut_step_by_step(self, body: bytes) -> Page:
        if body.lstrip()[:1] == b"[":
            if self.list_path:
                raise PayloadUnreadable("the page is a bare array")
            return Page(None, _array(msgspec.Raw(body)))
        members = _members(msgspec.Raw(body))
        total = _total(members.get("total"))
        return Page(total, self._records(members, total), members.get(_TYPES))

    def _records(self, members: dict[str, msgspec.Raw], total: int | None) -> list[msgspec.Raw]:
        if self.list_path is None:
            return []
        if not self.list_path:
            raise PayloadUnreadable("the page is not a bare array")
        *outer, last = self.list_path
        for name in outer:
            members = _members(members.get(name, msgspec.Raw(b"{}")))
        array = members.get(last)
        if array is None:
            if total == 0:  # an empty list may leave its array out
                return []
            raise PayloadUnreadable(f"no member {'.'.join(self.list_path)!r} in the page")
        return [] if bytes(array) == b"null" else _array(array)

    def key(self, record: msgspec.Raw) -> tuple[str, ...] | None:
        """The record's key as text, a part for each of `key_paths`; None when a part is missing or unusable."""
        names, decoder = _decoder(self.key_paths)
        try:
            members = dict(zip(names, decoder.decode(record), strict=True))
        except RecursionError:
            less = shallow(bytes(record))
            return None if less == bytes(record) else self.key(msgspec.Raw(less))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        parts = tuple(first_text(members, paths) for paths in self.key_paths)
        return None if None in parts else parts  # type: ignore[return-value]  # no None is left in it

    def keys(self, records: Iterable[msgspec.Raw]) -> list[tuple[str, ...] | None]:
        """The keys of many records. Nearly all are plain strings under their first path, which need no search."""
        if not all(self.key_paths):
            return [self.key(record) for record in records]
        names, decoder = _decoder(self.key_paths)
        fields = [f"m{names.index(paths[0][0])}" for paths in self.key_paths]
        return [_plain_key(decoder, record, fields) or self.key(record) for record in records]


def is_nothing(body: bytes) -> bool:
    """Whether an answer holds no record at all: null or an empty object."""
    return re.fullmatch(rb"\s*(null|\{\s*\})\s*", body) is not None


def first_text(record: object, paths: Sequence[Path]) -> str | None:
    """The first usable scalar that one of `paths` leads to, as text."""
    for path in paths:
        text = text_of(follow(record, path))
        if text:
            return text
    return None


def follow(record: object, path: Iterable[str]) -> Any:
    """The value that `path` leads to, or None if the path breaks off."""
    found: Any = record
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def text_of(scalar: object) -> str | None:
    """An identifier as text: strings as they are, whole numbers in digits, None for anything else."""
    if isinstance(scalar, str):
        return scalar
    return str(scalar) if isinstance(scalar, int) and not isinstance(scalar, bool) else None


def bytes_hash(record: bytes | msgspec.Raw) -> str:
    """32 hex digits over a record's bytes as received: XXH3 of 128 bits, to compare, never to prove."""
    return xxhash.xxh3_128_hexdigest(record)


def _plain_key(
    decoder: msgspec.json.Decoder[Any], record: msgspec.Raw, fields: Sequence[str]
) -> tuple[str, ...] | None:
    """The key of an ordinary record, None if it needs a closer look."""
    try:
        members = decoder.decode(record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    parts = []
    for name in fields:
        part = getattr(members, name)
        if type(part) is not str or not part:
            return None
        parts.append(part)
    return tuple(parts)


@cache
def _decoder(key_paths: tuple[tuple[Path, ...], ...]) -> tuple[list[str], msgspec.json.Decoder[Any]]:
    """Decodes only the members that the key needs; msgspec skips the others without building them."""
    names = sorted({path[0] for paths in key_paths for path in paths})
    fields = [(f"m{place}", Any, msgspec.field(default=None, name=name)) for place, name in enumerate(names)]

    def values(self: Any) -> Iterator[Any]:
        return (getattr(self, field) for field in self.__struct_fields__)

    return names, msgspec.json.Decoder(
        msgspec.defstruct("Key", fields, namespace={"__iter__": values}), float_hook=_no_identifier
    )


def _no_identifier(_literal: str) -> None:
    """Returns no number: only whole numbers identify a record, and others need not fit a float."""


@cache
def _page_decoder(array: str) -> msgspec.json.Decoder[Any]:
    members: list[Any] = [
        ("total", msgspec.Raw, msgspec.field(default=_ABSENT)),
        ("records", list[msgspec.Raw], msgspec.field(name=array)),
    ]
    if array != _TYPES:
        members.append(("types", msgspec.Raw, msgspec.field(default=_ABSENT)))
    return msgspec.json.Decoder(msgspec.defstruct("CutPage", members, kw_only=True, namespace={"types": _ABSENT}))


def _array(raw: msgspec.Raw) -> list[msgspec.Raw]:
    try:
        return _RAW_ARRAY.decode(raw)
    except msgspec.DecodeError as error:
        raise PayloadUnreadable(f"no array of records: {error}") from error


def _members(raw: msgspec.Raw) -> dict[str, msgspec.Raw]:
    try:
        return _RAW_MEMBERS.decode(raw)
    except msgspec.DecodeError as error:
        raise PayloadUnreadable(f"no object: {error}") from error


def count_of(claimed: object) -> int | None:
    """A count of records: a whole number from 0, written 5 or 5.0; None for anything else."""
    if isinstance(claimed, float) and claimed.is_integer():
        claimed = int(claimed)
    is_count = isinstance(claimed, int) and not isinstance(claimed, bool) and claimed >= 0
    return claimed if is_count else None  # type: ignore[return-value]  # an integer by now


def _total(raw: msgspec.Raw | None) -> int | None:
    """`total` is an integer in the API's document (API §4.2, 4.5, 4.9)."""
    return None if raw is None else count_of(decode(raw))
