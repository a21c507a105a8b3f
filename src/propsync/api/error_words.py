"""The words of an error body beside its code, for the person who has sent the values; API §7 does not show them."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

import msgspec

from propsync import log

_TEXTS = ("message", "msg", "detail", "reason", "description", "error", "title")
_PLACES = ("field", "path", "loc", "pointer", "property", "propertyPath", "source", "name", "param", "target")
_LISTS = ("errors", "error", "details", "detail", "violations", "messages", "fieldErrors", "issues", "fields", "values")
_DEEPEST = 6
_LONGEST = 300
_Said = tuple[str, str]
"""A place, maybe empty, and a text about it."""


def error_words(body: bytes) -> str | None:
    """The words of an error body, with the fields that it names; None if it has none. Redacted and bounded.

    Servers echo values, so this is for the screen of that person alone.
    """
    try:
        answer = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    said = list(dict.fromkeys(_of_object(answer, "", _DEEPEST))) if isinstance(answer, dict) else []
    said = [one for one in said if one[0]] or said  # "The given data was invalid" adds nothing
    text = "; ".join(f"{place}: {words}" if place else words for place, words in said)
    clean = log.redact("".join(one if one.isprintable() else " " for one in text))
    return (clean if len(clean) <= _LONGEST else f"{clean[: _LONGEST - 1]}…") or None


def _said(node: Any, place: str, depth: int) -> Iterator[_Said]:
    if isinstance(node, str) and node.strip():
        yield place, _plain(node)
    elif depth and isinstance(node, list):
        for one in node:
            yield from _said(one, place, depth - 1)
    elif depth and isinstance(node, dict):
        is_keyed = yield from _of_object(node, place, depth - 1)
        for name, one in node.items() if is_keyed else ():
            if _are_texts(one):
                yield from _said(one, name, depth - 1)


def _of_object(node: dict[str, Any], place: str, depth: int) -> Generator[_Said, None, bool]:
    """An object with a text is one error, and its lists have more. Returns whether it has neither: fields, maybe."""
    own = next((found for name in _PLACES if (found := _place(node.get(name)))), place)
    text = next((node[name] for name in _TEXTS if isinstance(node.get(name), str) and node[name].strip()), None)
    lists = {name: node[name] for name in _LISTS if isinstance(node.get(name), list | dict)}
    if text is not None:
        yield own, _plain(text)
    for one in lists.values():
        yield from _said(one, own, depth)
    return text is None and not lists


def _plain(text: str) -> str:
    return text.strip().removesuffix(".")


def _are_texts(node: Any) -> bool:
    parts = node if isinstance(node, list) else [node]
    return all(isinstance(one, str) or (isinstance(one, dict) and not one.keys().isdisjoint(_TEXTS)) for one in parts)


def _place(node: Any) -> str:
    """A field, as `a`, `values.a`, `["values", "a"]` or `{"pointer": "/values/a"}`; of an array the last part."""
    if isinstance(node, dict):
        return _place(next((node[name] for name in _PLACES if name in node), None))
    if isinstance(node, Sequence) and not isinstance(node, str):
        named = [one for one in node if isinstance(one, str)]
        return named[-1] if named else ""
    return node if isinstance(node, str) else ""
