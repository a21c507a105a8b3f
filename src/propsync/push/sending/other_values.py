"""Looks after the values of an asset that a plan does not write: the API's document does not say that they stay."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress

from propsync.errors import OtherValuesLost, ResourceFailed
from propsync.push.plan import Entry
from propsync.push.sending.evidence import changed_labels
from propsync.push.sending.shapes import AssetAnswers, AssetReading
from propsync.push.values.sameness import is_empty

_TELLING = 2  # values that go at once: a colleague may remove one in the same moment
Look = Callable[[], AssetReading | None]


class OtherValues:
    """Lets one write go first, and the rest only once the API has kept the other values of an asset."""

    def __init__(self, answers: AssetAnswers) -> None:
        self._answers = answers
        self._first = threading.Lock()
        self._are_kept = False
        self._lost: OtherValuesLost | None = None

    @contextmanager
    def turn(self, entry: Entry, before: AssetReading | None) -> Iterator[bool]:
        """The time in which an asset may be written: until the API is known to keep other values, one goes alone.

        It says whether the caller had to wait, so that `before` is old by now. Raises OtherValuesLost.
        """
        if self._are_kept or len(self._others(entry, before)) < _TELLING:
            yield False
            return
        has_waited = not self._first.acquire(blocking=False)
        if has_waited:
            self._first.acquire()
        try:
            self.check()
            yield has_waited
        finally:
            self._first.release()

    def compare(self, entry: Entry, before: AssetReading | None, look: Look) -> None:
        """Looks at an asset right after its write, in its turn, until the API is known to keep other values."""
        others = set() if self._are_kept else self._others(entry, before)
        if len(others) >= _TELLING:
            with suppress(ResourceFailed):  # the write is done all the same; the next one is compared
                self._compare(entry, others, look())

    def recall(self, entry: Entry, held: Collection[str], after: AssetReading | None) -> bool:
        """Compares an asset that an earlier apply has sent, and says whether that tells; `held` had values before it.

        Raises OtherValuesLost if all of them are gone.
        """
        others = self._writable(entry.type_id, held)
        if len(others) >= _TELLING:
            self._compare(entry, others, after)
        self.check()
        return self._are_kept

    def check(self) -> None:
        """Raises OtherValuesLost if a write of this plan has removed other values."""
        if self._lost is not None:
            raise self._lost

    def _others(self, entry: Entry, before: AssetReading | None) -> set[str]:
        """The fields with a value that a write might have had, and does not have."""
        if before is None:
            return set()
        planned = {change.field for change in entry.changes}
        held = {field for field, value in before.values.items() if not is_empty(value)}
        return self._writable(before.type_id, held - planned)

    def _writable(self, type_id: str, fields: Collection[str]) -> set[str]:
        return {field for field in fields if self._answers.may_write(type_id, field)}

    def _compare(self, entry: Entry, others: Collection[str], after: AssetReading | None) -> None:
        if after is None or not changed_labels(entry, after.values):
            return  # the look is older than the write
        self._are_kept = any(not is_empty(after.values.get(field)) for field in others)
        if not self._are_kept:
            what = (
                f"after a write, all {len(others)} values of asset {entry.key[0]} that the plan does not name are gone"
            )
            self._lost = OtherValuesLost("push apply", what)
