"""The texts of field results, in members called a label and elsewhere: a result may have id and label of its field."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

from propsync.records import text_of
from propsync.shapes.entries import Entry, names
from propsync.shapes.fields import KINDS, NUMBERS
from propsync.shapes.labels import SURE_LABEL
from propsync.shapes.members import plain


class Mentions:
    """The texts of each result outside members that are `left_out`, and those in a member called a label alone.

    Both are looked for when they are needed: of most services, only the first.
    """

    def __init__(self, recorded: Sequence[Entry], left_out: Collection[str] = SURE_LABEL) -> None:
        self._recorded = recorded
        self._left_out = left_out

    @cached_property
    def plainly(self) -> set[str]:
        """Every text outside the members that are left out."""
        said = {text for entry in self._recorded for text in texts_of_result(entry.value, self._left_out)}
        return said.difference(KINDS).union(names(self._recorded))

    def beside(self, labels: Collection[str], ids: Collection[str]) -> float:
        """The share of the results with one of `labels` in a label that have one of `ids` elsewhere, 0 to 1."""
        showing = [said for said, shown in self._apart if not shown.isdisjoint(labels) and said.isdisjoint(labels)]
        return sum(not said.isdisjoint(ids) for said in showing) / len(showing) if showing else 0.0

    @cached_property
    def _apart(self) -> list[tuple[set[str], set[str]]]:
        return [(self._said(one), set(texts_of_result(one.value)) - _plainly(one)) for one in self._recorded]

    def _said(self, entry: Entry) -> set[str]:
        said = _plainly(entry, self._left_out)
        return said if entry.name is None else {*said, entry.name}


def _plainly(entry: Entry, left_out: Collection[str] = SURE_LABEL) -> set[str]:
    """Its texts without these members and without its kind, which a definition may say under another name too."""
    return set(texts_of_result(entry.value, left_out)).difference(KINDS)


def texts_of_result(result: Any, left_out: Collection[str] = ()) -> Iterator[str]:
    """The strings to which it may refer, without members of these names at any depth.

    Its own number says nothing, and definitions and options have such numbers.
    """
    if isinstance(result, dict):
        result = {name: held for name, held in result.items() if plain(name) not in NUMBERS}
    yield from all_texts(result, left_out)


def all_texts(value: Any, left_out: Collection[str] = ()) -> Iterator[str]:
    """Every string anywhere in a value, any of which a result may refer to."""
    if isinstance(value, dict):
        value = [held for name, held in value.items() if not left_out or plain(name) not in left_out]
    if isinstance(value, list):
        for inner in value:
            yield from all_texts(inner, left_out)
    elif text := text_of(value):
        yield text
