"""The documents that the sandbox served, from its log: the record that it showed decides the bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from propsync_sandbox import Entry, Record

from ..papers import NAMES, sha256
from ..watch import Window

Pair = tuple[str, str]
"""An assessment and a kind of document."""
_KINDS = {name: kind for kind, name in NAMES.items()}


class Served:
    """Grows run by run. `whole` has the last run in which each came to its end, `records` what each was made from."""

    def __init__(self) -> None:
        self.whole: dict[tuple[Pair, str], datetime] = {}
        self.not_found: set[Pair] = set()
        self.records: dict[str, Record] = {}

    def add(self, window: Window) -> None:
        """The answers of one more run."""
        for pair, entry in asked(window):
            if entry.status == 404:
                self.not_found.add(pair)
            elif is_good(entry):
                (record,) = entry.records
                digest = sha256(pair[1], record)
                self.whole[pair, digest] = window.time
                self.records[digest] = record


def asked(window: Window) -> Iterator[tuple[Pair, Entry]]:
    """Every request for a document."""
    for entry in window.entries:
        folder, _, name = entry.path.rpartition("/")
        if name in _KINDS:
            yield (folder.rpartition("/")[2], _KINDS[name]), entry


def is_good(entry: Entry) -> bool:
    """Whether a document came to its end; what began elsewhere and ends with a part is whole too."""
    return entry.status in (200, 206) and entry.delivered and bool(entry.records)


def came(window: Window) -> Counter[Pair]:
    """How often each document came in one answer and for no look-up: those ask for what no list shows."""
    return Counter(
        pair
        for pair, entry in asked(window)
        if is_good(entry)
        and entry.status == 200
        and entry.fault is None
        and not window.was_gone("assessments", pair[0])
        and not window.was_hidden("assessments", pair[0])
    )
