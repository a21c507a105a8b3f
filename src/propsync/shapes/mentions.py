"""The texts of field results, in members called a label and elsewhere: a result may have id and label of its field."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from propsync.records import text_of
from propsync.shapes.entries import Entry
from propsync.shapes.fields import KINDS, NUMBERS
from propsync.shapes.labels import SURE_LABEL
from propsync.shapes.members import plain


class Mentions:
    """The texts of each result outside members that are `left_out`, and those in a member called a label alone."""

    def __init__(self, recorded: Sequence[Entry], left_out: Collection[str] = SURE_LABEL) -> None:
        self._said = [_apart(entry, left_out) for entry in recorded]
        self.plainly = {text for said, _ in self._said for text in said}
        """Every text outside the members that are left out."""

    def beside(self, labels: Collection[str], ids: Collection[str]) -> float:
        """The share of the results with one of `labels` in a label that have one of `ids` elsewhere, 0 to 1."""
        showing = [said for said, shown in self._said if not shown.isdisjoint(labels) and said.isdisjoint(labels)]
        return sum(not said.isdisjoint(ids) for said in showing) / len(showing) if showing else 0.0


def _apart(entry: Entry, left_out: Collection[str]) -> tuple[set[str], set[str]]:
    said = _said(entry, left_out)
    shown = set(texts_of_result(entry.value)).difference(_said(entry, SURE_LABEL))
    return said if entry.name is None else {*said, entry.name}, shown


def _said(entry: Entry, left_out: Collection[str]) -> set[str]:
    """Its texts without these members and without its kind, which a definition may say under another name too."""
    return set(texts_of_result(_without(entry.value, left_out))).difference(KINDS)


def _without(value: Any, left_out: Collection[str]) -> Any:
    """A result without members of these names, at any depth."""
    if isinstance(value, dict):
        return {name: _without(held, left_out) for name, held in value.items() if plain(name) not in left_out}
    return [_without(held, left_out) for held in value] if isinstance(value, list) else value


def texts_of_result(result: Any) -> Iterator[str]:
    """The strings to which it may refer: its own number says nothing, and definitions and options have such numbers."""
    if isinstance(result, dict):
        result = {name: held for name, held in result.items() if plain(name) not in NUMBERS}
    yield from all_texts(result)


def all_texts(value: Any) -> Iterator[str]:
    """Every string anywhere in a value, any of which a result may refer to."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from all_texts(inner)
    elif text := text_of(value):
        yield text
