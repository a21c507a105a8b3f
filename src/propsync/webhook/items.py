"""The content of an accepted post: the records that it names, the types without a record, and unknown shapes."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from propsync.api import why_no_segment, why_unaskable
from propsync.records import TEXT, decode

PROPERTY, ASSESSMENT, SCHEDULE = "property", "assessment", "assessmentschedule"
READABLE = (PROPERTY, ASSESSMENT, SCHEDULE)
"""The types of item that name something to read; the service has others, such as `task`."""

MOST_ITEMS = 1_000
_LONGEST_PAYLOAD = 10_000  # characters
_MOST_BRACKETS = 64  # a text with more may be nested deeper than readers of JSON like
_LONGEST_TYPE = 100
_TOKENS = re.compile(TEXT + rb"|[\[{\]},]", re.DOTALL)
_STEPS = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


@dataclass(frozen=True, order=True)
class Subject:
    """The object of a look: a property, an assessment, or a schedule by its property and type."""

    type: str
    key: tuple[str, ...]


@dataclass
class Content:
    """The content of one post or of several: how often each subject and each other type came, and unknown shapes."""

    subjects: Counter[Subject] = field(default_factory=Counter)
    ignored: Counter[str] = field(default_factory=Counter)
    unknown: list[str] = field(default_factory=list)
    """JSON texts, shortened."""


def count_items(body: bytes) -> int:
    """How many items a body has; 1 for a body that is no array."""
    return sum(1 for _ in _items(body))


def content_of(body: bytes) -> Content:
    """Sorts the items of a body; of an unknown shape it keeps at most some thousand characters."""
    found = Content()
    for one in _items(body):
        _sort(found, one)
    return found


def _items(body: bytes) -> Iterator[bytes]:
    body = body.removeprefix(codecs.BOM_UTF8)
    try:
        yield from map(bytes, msgspec.json.decode(body, type=list[msgspec.Raw]))
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        yield from _pieces(body.strip())


def _pieces(body: bytes) -> Iterator[bytes]:
    """The items of an array that is no JSON as a whole, so that one of them does not cost the others."""
    if not body.startswith(b"["):
        yield body
        return
    depth = start = 0
    for token in _TOKENS.finditer(body):
        depth += _STEPS.get(token[0], 0)
        is_end = depth == 0
        if is_end or (depth == 1 and token[0] == b","):
            yield body[start + 1 : token.start()]
            start = token.start()
        if is_end:
            break
    rest = body[start + 1 :].strip()
    if rest or depth:  # something follows the array, or it breaks off
        yield rest


def _sort(found: Content, written: bytes) -> None:
    item = _members(written)
    kind = item.get("type")
    if not isinstance(kind, str) or not kind:
        found.unknown.append(_shortened(written))
    elif kind.casefold() not in READABLE:
        found.ignored[_cleaned(kind)[:_LONGEST_TYPE]] += 1
    elif subject := _subject(kind.casefold(), item):
        found.subjects[subject] += 1
    else:
        found.unknown.append(_shortened(written))


def _why_no_look_up(text: str) -> str | None:
    """The reason why propsync can never find out about a record with this id; None if it can."""
    return why_unaskable(text) or why_no_segment(text)


def _members(written: bytes) -> Mapping[str, Any]:
    """The members of an object; a number too big or half a letter in one of them does not cost the others."""
    try:
        item = decode(written)
    except (ValueError, RecursionError):
        return {}
    return item if isinstance(item, dict) else {}


def _subject(kind: str, item: Mapping[str, Any]) -> Subject | None:
    members = ("propertyId", "typeId") if kind == SCHEDULE else ("id",)
    key = tuple(item.get(name) for name in members)
    why_not = why_unaskable if kind == PROPERTY else _why_no_look_up
    texts = tuple(one for one in key if isinstance(one, str) and one.strip() == one and why_not(one) is None)
    return Subject(kind, texts) if len(texts) == len(members) else None


def _decoded(written: bytes) -> Any:
    try:
        return msgspec.json.decode(written)
    except (ValueError, RecursionError):
        return None


def _shortened(written: bytes) -> str:
    """JSON as it came if it is short and flat, else its beginning as one JSON text."""
    words = _cleaned(written.decode(errors="replace"))
    is_plain = len(words) <= _LONGEST_PAYLOAD and sum(map(words.count, "[{")) <= _MOST_BRACKETS
    if is_plain and (_decoded(written) is not None or words.strip() == "null"):
        return words
    return msgspec.json.encode(words[:_LONGEST_PAYLOAD]).decode()


def _cleaned(words: str) -> str:
    """Without half characters, which no table can hold."""
    return words.encode(errors="replace").decode()
