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
    """The texts of each result, apart for those in a member called a label alone."""

    def __init__(self, recorded: Sequence[Entry]) -> None:
        self._said = [_apart(entry) for entry in recorded]
        self.plainly = {text for said, _ in self._said for text in said}
        """Every text outside what is called a label."""

    def beside(self, labels: Collection[str], ids: Collection[str]) -> float:
        """The share of the results with one of `labels` in a label that have one of `ids` elsewhere, 0 to 1."""
        showing = [said for said, shown in self._said if not shown.isdisjoint(labels) and said.isdisjoint(labels)]
        return sum(not said.isdisjoint(ids) for said in showing) / len(showing) if showing else 0.0


def _apart(entry: Entry) -> tuple[set[str], set[str]]:
    said = set(texts_of_result(_without_labels(entry.value))).difference(KINDS)  # definitions may say their kind again
    shown = set(texts_of_result(entry.value)) - said
    return said if entry.name is None else {*said, entry.name}, shown


def _without_labels(value: Any) -> Any:
    """A result without what is called a label in it, at any depth."""
    if isinstance(value, dict):
        return {name: _without_labels(held) for name, held in value.items() if plain(name) not in SURE_LABEL}
    return [_without_labels(held) for held in value] if isinstance(value, list) else value


def texts_of_result(result: Any) -> Iterator[str]:
    """The strings to which it may refer: its own number says nothing, and definitions and options have such numbers."""
    if isinstance(result, dict):
        result = {name: held for name, held in result.items() if plain(name) not in NUMBERS}
    yield from _all_texts(result)


def _all_texts(value: Any) -> Iterator[str]:
    """Every string anywhere in a value, any of which a result may refer to."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _all_texts(inner)
    elif text := text_of(value):
        yield text
