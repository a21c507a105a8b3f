"""Cuts what was erased out of JSON, before propsync keeps it anywhere."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from propsync.records import decode, decode_shallow, first_text, mended, shallow, without_repeats
from propsync.storage import LocalStorage
from propsync.suppression.erasures import Erasure, Erasures, Path
from propsync.suppression.marks import ID, REPLACEMENT, SHORTEST_ID, Mark, Marker

_MEMBERS: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])
_encode = msgspec.json.Encoder().encode
_FIELDS = "fields"
_NULL, _WORDS = b"null", (b"n", b"t", b"f")
"""A number that has an erased text goes: a text in its place would change the type of its column."""


class Suppression:
    """Keeps what was erased from coming back: `json` and `text` give back the same object if it has nothing of it."""

    def __init__(self, marker: Marker | None, erasures: Sequence[Erasure]) -> None:
        self.erasures = tuple(erasures)
        self._marker = marker
        self._marks = [mark for one in erasures for mark in one.marks]
        self._short = [one for one in self._marks if one.form == ID and one.length < SHORTEST_ID]
        self._names = [one.name for one in erasures if one.name is not None]
        self._replacements = [found for one in erasures for found in _replacements(one)]

    @classmethod
    def of(cls, storage: LocalStorage) -> Suppression:
        """That of a home. Raises StateUnusable if its files are damaged."""
        erasures = Erasures(storage)
        active = erasures.active()
        return cls(erasures.marker() if active else None, active)

    def __bool__(self) -> bool:
        """Whether anything is erased."""
        return bool(self.erasures)

    def sees(self, text: str, *, is_json: bool = False) -> bool:
        """Whether a text has anything that was erased, or the id of a record with an erased field."""
        return self._marker is not None and self._marker.sees(text, self._marks, is_json=is_json)

    def sees_all(self, text: str) -> bool:
        """Whether a text has every id and text that was erased: of a field of one record, both ids."""
        return self._marker is not None and all(self._marker.sees(text, [mark]) for mark in self._marks)

    def sees_name(self, text: str) -> bool:
        """Whether names of tables or columns in a text were made of anything that was erased."""
        return self._marker is not None and self._marker.sees(text.replace("_", " "), self._names)

    def text(self, text: str) -> str:
        """A text that is not JSON."""
        if self._marker is None:
            return text
        for mark, replacement in self._replacements:
            text = self._marker.replaced(text, mark, replacement)
        return text

    def cuts(self, *texts: str | None) -> bool:
        """Whether any of these texts would change."""
        return any(self.text(one) is not one for one in texts if one is not None)

    def json(self, body: bytes) -> bytes:
        """A page, a record or any other JSON. An erased record becomes its pseudonym, so that a page has as many."""
        if not self.erasures or not self.sees(_text_of(body), is_json=True):
            return body
        try:
            return self._whole(body)
        except RecursionError:
            return self._whole(shallow(body))

    def document(self, text: str) -> str:
        """A text that may be JSON."""
        if not self.sees(text):
            return text
        if text.lstrip()[:1] in ("{", "[", '"'):
            try:
                return self._whole(text.encode()).decode()
            except (ValueError, RecursionError):
                return self.text(text)
        return self.text(text)

    def erased_key(self, key: str, resource: str) -> Erasure | None:
        """The erasure of the record with this key, None if it was not erased."""
        for one in self.erasures:
            if one.resource == resource and one.record and self._marker and self._marker.is_marked(key, one.record):
                return one
        return None

    def erases_record(self, key: str | None) -> bool:
        """Whether an id is that of an erased record, of any resource."""
        return any(self._is(key, one.record) for one in self.erasures if one.resource)

    def erases_field(self, field_id: str | None, record_id: str | None) -> bool:
        """Whether the values of a field were erased, in all records or in this one."""
        return any(
            self._is(field_id, one.field) and (one.record is None or self._is(record_id, one.record))
            for one in self.erasures
            if one.field is not None
        )

    def _is(self, text: str | None, mark: Mark | None) -> bool:
        return mark is not None and self._marker is not None and self._marker.is_marked(text, mark)

    def _whole(self, body: bytes) -> bytes:
        try:
            return self._once(body)
        except msgspec.DecodeError:
            whole = mended(body)
            if whole is body:
                raise
            return self._once(whole)

    def _once(self, body: bytes) -> bytes:
        """With each member once, the last, which counts: nothing looks into the others."""
        return self._value(without_repeats([body])[0], (), is_element=True)

    def _value(self, raw: bytes, within: Sequence[Erasure], *, is_element: bool = False) -> bytes:
        """`within` are the erasures of a field of the record around; `is_element` says that it may be a record."""
        if not within and not self.sees(_text_of(raw), is_json=True):
            return raw
        start = raw.lstrip()[:1]
        if start == b"{":
            return self._object(raw, within, is_element=is_element)
        if start == b"[":
            return self._array(raw, within)
        if start == b'"':
            text = decode(raw)
            after = self.text(text)
            return raw if after is text else _encode(after)
        return _NULL if start not in _WORDS and self._erases_number(raw.decode()) else raw

    def _erases_number(self, number: str) -> bool:
        """A short number that looks like an id may be a count: of these, only the record with that id goes."""
        return self.text(number) != number and not any(self._is(number, one) for one in self._short)

    def _object(self, raw: bytes, within: Sequence[Erasure], *, is_element: bool) -> bytes:
        members = _MEMBERS.decode(raw)
        if is_element:
            record = decode_shallow(raw)
            for one in self.erasures:
                if one.record is not None and self._is(first_text(record, one.record_paths), one.record):
                    if one.field is None:
                        return _stub(one)
                    within = [*within, one]
        changed: dict[str, bytes] = {}
        for name, value in members.items():
            if name == _FIELDS:
                after = self._results(bytes(value), within)
            else:
                after = self._value(bytes(value), within if bytes(value)[:1] in (b"{", b"[") else ())
            plain = self.text(name)
            if after != bytes(value) or plain is not name:
                changed[name] = _encode(plain) + b":" + after
        if not changed:
            return raw
        parts = (changed.get(name) or _encode(name) + b":" + bytes(value) for name, value in members.items())
        return b"{" + b",".join(parts) + b"}"

    def _array(self, raw: bytes, within: Sequence[Erasure]) -> bytes:
        before = [bytes(one) for one in _ARRAY.decode(raw)]
        after = [self._value(one, within, is_element=True) for one in before]
        return raw if after == before else b"[" + b",".join(after) + b"]"

    def _results(self, raw: bytes, within: Sequence[Erasure]) -> bytes:
        """Field results, or definitions of fields, without erased ones."""
        start = raw[:1]
        wanted = [one for one in self.erasures if one.field is not None and (one.record is None or one in within)]
        if start == b"[" and wanted:
            before = [bytes(one) for one in _ARRAY.decode(raw)]
            stay = [one for one in before if not self._is_erased(one, None, wanted)]
            raw = raw if len(stay) == len(before) else b"[" + b",".join(stay) + b"]"
        elif start == b"{" and wanted:
            named = {name: bytes(one) for name, one in _MEMBERS.decode(raw).items()}
            left = {name: one for name, one in named.items() if not self._is_erased(one, name, wanted)}
            if len(left) < len(named):
                raw = b"{" + b",".join(_encode(name) + b":" + one for name, one in left.items()) + b"}"
        return self._value(raw, ())

    def _is_erased(self, raw: bytes, name: str | None, wanted: Sequence[Erasure]) -> bool:
        value = decode_shallow(raw)
        return any(
            self._is(name, one.field)
            or any(self._is(first_text(value, [path]), one.field) for path in one.field_paths if path)
            for one in wanted
        )


def _replacements(erasure: Erasure) -> list[tuple[Mark, str]]:
    if erasure.text is not None:
        return [(erasure.text, REPLACEMENT)]
    if erasure.pseudonym is None:  # the field of one record: both ids stay
        return []
    named = erasure.record or erasure.field
    return [(named, erasure.pseudonym)] if named else []


def _stub(erasure: Erasure) -> bytes:
    """An erased record: its pseudonym where its id was."""
    paths: Sequence[Path] = erasure.record_paths or (("id",),)
    stub: object = erasure.pseudonym
    for name in reversed(paths[0]):
        stub = {name: stub}
    return _encode(stub)


def _text_of(body: bytes) -> str:
    return body.decode("utf-8", "replace")
