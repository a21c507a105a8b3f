"""The canonical form of a record: two readings that share it are one version.

It sorts members, strings by code point and field results by field, takes numbers by value and users as a set. Other
arrays keep their order. The deprecated `asset` and volatile members are absent. Decoding, sorting and encoding run in
C.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import msgspec

from propsync.records.cutter import Path, PayloadUnreadable, first_text
from propsync.records.decoding import decoder

HASH_VERSION = 3
"""Part of every record hash. If the number differs, propsync reads and compares both records by today's rules."""

_LONGEST_PLAIN = 4_300  # digits, as msgspec reads whole numbers; with more, 1e999999999 would take a gigabyte


@dataclass(frozen=True)
class CanonicalForm:
    """The facts about a resource that bring its records into canonical form.

    `results` names the array of field results and `result_refs` the paths to a result's field id. `sets` are arrays
    without order; `dropped` are members that propsync never compares; `volatile` are leaf paths (see
    `shapes.volatile`).
    """

    results: str | None = None
    result_refs: tuple[Path, ...] = ()
    sets: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    volatile: frozenset[str] = field(default_factory=frozenset)


def canonical_hash(record: bytes | msgspec.Raw, form: CanonicalForm) -> str:
    """32 hex digits over the canonical form. Raises PayloadUnreadable if a record is not whole JSON text."""
    return hashlib.sha256(canonical_bytes(record, form)).hexdigest()[:32]


def canonical_bytes(record: bytes | msgspec.Raw, form: CanonicalForm) -> bytes:
    """The canonical form itself."""
    return _encode(_canonical(record, form))


def _canonical(record: bytes | msgspec.Raw, form: CanonicalForm) -> Any:
    try:
        value = _decode(record)
        if form.volatile:
            value = without(value, form.volatile)
    except (ValueError, RecursionError) as error:
        raise PayloadUnreadable(str(error)) from error
    if isinstance(value, dict):
        _arrange(value, form)
    return value


def _arrange(record: dict[str, Any], form: CanonicalForm) -> None:
    for name in form.dropped:
        record.pop(name, None)
    for name in form.sets:
        members = record.get(name)
        if isinstance(members, list):
            by_text = {_encode(member): member for member in members}
            record[name] = [by_text[text] for text in sorted(by_text)]
    results = record.get(form.results) if form.results else None
    if isinstance(results, list):
        results.sort(key=_plain_place(results, form.result_refs) or (lambda result: _place(result, form.result_refs)))


def _plain_place(results: list[Any], refs: tuple[Path, ...]) -> Callable[[Any], Any] | None:
    """By field without a search, if every result names its field by a plain string, as nearly all do."""
    if not refs or len(refs[0]) != 1:
        return None
    (name,) = refs[0]
    is_plain = all(type(result) is dict and type(result.get(name)) is str and result[name] for result in results)
    return itemgetter(name) if is_plain else None


def _place(result: Any, refs: tuple[Path, ...]) -> tuple[str, bytes]:
    """By field; of results of one field it keeps the first, so their order counts. The order of results without a field
    does not.
    """
    field_id = first_text(result, refs)
    return (field_id, b"") if field_id else ("", _encode(result))


def _number(literal: str) -> Any:
    """A number by value: 1.0 and 1e0 are 1; 12.50 is 125e-1."""
    written, _, power = literal.lower().partition("e")
    whole, _, fraction = written.partition(".")
    minus = "-" if whole.startswith("-") else ""
    digits = whole[len(minus) :] + fraction
    without_end = digits.rstrip("0")
    trimmed = without_end.lstrip("0")
    if not trimmed:
        return 0
    if len(power) > _LONGEST_PLAIN:  # an exponent beyond any number type
        return msgspec.Raw(literal.lower().replace("+", "").encode())
    exponent = int(power or 0) - len(fraction) + len(digits) - len(without_end)
    if exponent >= 0 and len(trimmed) + exponent <= _LONGEST_PLAIN:
        return msgspec.Raw((minus + trimmed + "0" * exponent).encode())
    return msgspec.Raw(f"{minus}{trimmed}e{exponent}".encode())


_decode = decoder(_number)
_encode = msgspec.json.Encoder(order="deterministic").encode


_RESULTS = "fields"  # a field result has one path whatever its field, also in an object keyed by field


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    """Every scalar with the path to it: members joined by dots, arrays as `[]`, a field result's array as `[kind]`."""
    if isinstance(value, dict) and path == _RESULTS:
        value = list(value.values())
    if isinstance(value, dict):
        return [leaf for name, inner in value.items() for leaf in leaves(inner, f"{path}.{name}" if path else name)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves(inner, f"{path}[{_kind(inner)}]")]
    return [(path, value)]


def without(value: Any, volatile: frozenset[str], path: str = "") -> Any:
    """`value` with each volatile leaf set to null, so that its presence still counts and its text does not."""
    if isinstance(value, dict) and path == _RESULTS:
        return {name: without(inner, volatile, f"{path}[{_kind(inner)}]") for name, inner in value.items()}
    if isinstance(value, dict):
        return {n: without(inner, volatile, f"{path}.{n}" if path else n) for n, inner in value.items()}
    if isinstance(value, list):
        return [without(inner, volatile, f"{path}[{_kind(inner)}]") for inner in value]
    return None if path in volatile else value


def _kind(member: Any) -> str:
    """Keeps a field result's discriminator (API §2.2) in the path: an image's link is not a text's value."""
    kind = member.get("type") if isinstance(member, dict) else None
    return kind if isinstance(kind, str) else ""
