"""Cuts members and entries out of records, and leaves every other value's bytes as they came."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from propsync.records.cutter import Path, follow, text_of
from propsync.records.decoding import decode

_MEMBERS: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])
_encode = msgspec.json.Encoder().encode
_FIELDS = "fields"
_Tree = dict[str, "_Tree | None"]


class Shears:
    """Cuts the members at `paths`, and the entries of `fields` that refer to one of `ids`.

    A path goes through arrays. `references` lead from an entry to the id that it refers to; `()` is the name of the
    entry itself, if `fields` is an object. Without references nobody can tell the entries apart, so all of `fields`
    goes.
    """

    def __init__(self, paths: Iterable[Path], ids: Collection[str] = (), references: Collection[Path] = ()) -> None:
        self._ids = frozenset(ids)
        self._references = tuple(references)
        self._tree = _tree(paths, is_fieldless=bool(self._ids) and not self._references)
        self._quick = _QuickEntries.of(self._ids, self._references) if self._ids else None
        self.met: set[Path] = set()
        """The paths at which a record had anything."""

    def cut(self, record: bytes) -> bytes:
        """The record without what is hidden; the same object if it has nothing of it. `null` if it is no object."""
        try:
            hidden = self._quick.hidden(record) if self._quick else None
            if not self._tree and hidden is not None and not any(hidden):
                return record
            return self._object(record, self._tree, is_record=True, hidden=hidden)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return b"null"

    def _object(
        self, text: bytes, tree: _Tree, path: Path = (), *, is_record: bool = False, hidden: list[bool] | None = None
    ) -> bytes:
        members = _MEMBERS.decode(text)
        changed: dict[str, bytes | msgspec.Raw | None] = {}
        for name, inner in tree.items():
            if name in members:
                after = None if inner is None else self._value(members[name], inner, (*path, name))
                if after is None:
                    self.met.add((*path, name))
                changed |= {name: after} if after is None or after is not members[name] else {}
        if is_record and self._references and self._ids and _FIELDS in members and _FIELDS not in changed:
            after = self._entries(members[_FIELDS], hidden)
            changed |= {_FIELDS: after} if after is not None else {}
        if not changed:
            return text
        return _object({name: changed.get(name, value) for name, value in members.items()})

    def _value(self, value: msgspec.Raw, tree: _Tree, path: Path) -> bytes | msgspec.Raw:
        """The same object if nothing below is hidden."""
        start = bytes(value)[:1]
        if start == b"{":
            text = bytes(value)
            after = self._object(text, tree, path)
            return value if after is text else after
        if start == b"[":
            before = _ARRAY.decode(value)
            cut = [self._value(one, tree, path) for one in before]
            is_same = all(one is other for one, other in zip(before, cut, strict=True))
            return value if is_same else b"[" + b",".join(map(bytes, cut)) + b"]"
        return value

    def _entries(self, value: msgspec.Raw, hidden: list[bool] | None) -> bytes | None:
        """The entries that stay; None if all do. `hidden` says of each whether it is hidden, if that is known."""
        start = bytes(value)[:1]
        if start == b"{":
            named = _MEMBERS.decode(value)
            stay = {name: one for name, one in named.items() if not self._is_hidden(name, one)}
            return None if len(stay) == len(named) else _object(stay)
        if start != b"[":
            return None
        listed = _ARRAY.decode(value)
        if hidden is None:
            hidden = [self._is_hidden(None, one) for one in listed]
        if not any(hidden):
            return None
        return (
            b"[" + b",".join(bytes(one) for one, is_hidden in zip(listed, hidden, strict=True) if not is_hidden) + b"]"
        )

    def _is_hidden(self, name: str | None, value: msgspec.Raw) -> bool:
        decoded = decode(value)
        named = (name if path == () else text_of(follow(decoded, path)) for path in self._references)
        found = next(filter(None, named), name)
        return found in self._ids


class _QuickEntries:
    """Reads one member of all entries of a record at once, if the reference is such a member."""

    def __init__(self, member: str, ids: frozenset[str]) -> None:
        entry = msgspec.defstruct("Entry", [("member", str | None, None)], rename={"member": member})
        record = msgspec.defstruct("Record", [(_FIELDS, list[entry], [])])  # type: ignore[valid-type]
        self._decoder = msgspec.json.Decoder(record)
        self._ids = ids

    @classmethod
    def of(cls, ids: frozenset[str], references: tuple[Path, ...]) -> _QuickEntries | None:
        if len(references) != 1 or len(references[0]) != 1:
            return None
        return cls(references[0][0], ids)

    def hidden(self, record: bytes) -> list[bool] | None:
        """Which entries are hidden; None if the record or an entry is of another form."""
        try:
            found: Any = self._decoder.decode(record)
        except msgspec.ValidationError:
            return None
        return [one.member in self._ids for one in found.fields]


def _tree(paths: Iterable[Path], *, is_fieldless: bool) -> _Tree:
    found: _Tree = {_FIELDS: None} if is_fieldless else {}
    for path in sorted(paths, key=len):
        inner: _Tree | None = found
        for name in path[:-1]:
            inner = inner.setdefault(name, {}) if inner is not None else None
        if inner is not None:
            inner[path[-1]] = None
    return found


def _object(members: Mapping[str, bytes | msgspec.Raw | None]) -> bytes:
    return b"{" + b",".join(_encode(name) + b":" + value for name, value in members.items() if value is not None) + b"}"
