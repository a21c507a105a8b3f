"""The rows of `ops.hints`: put there from the inbox, looked at when they are due, settled by what a look shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from propsync.records import record_id
from propsync.storage import LocalStorage
from propsync.suppression import Suppression
from propsync.warehouse import Warehouse, statement
from propsync.webhook.inbox import Inbox, Post, name_of
from propsync.webhook.items import Content, Subject, content_of
from propsync.webhook.next_look import NextLook

WAITING, CHANGED, UNCHANGED, MISSING = "waiting", "changed", "unchanged", "missing"
IGNORED, UNKNOWN = "ignored", "unknown"

LOOKS_AGAIN = (timedelta(minutes=1), timedelta(minutes=4), timedelta(minutes=25))
"""Pauses after a look that showed no change: 1, 5 and 30 minutes after the first look."""
AFTER_FAILURE = timedelta(minutes=5)
_LOOKS_DONE = timedelta(minutes=35)
"""After this time the last look is over, unless it failed."""
_MOST_DAYS = 36_500  # a century; a setting may name more days than a calendar has before today
_BATCH = 4_000_000  # bytes of bodies


def take_in(warehouse: Warehouse, storage: LocalStorage, now: datetime, *, with_payloads: bool = True) -> None:
    """Puts every post of the inbox into `ops.hints`, without anything that was erased, then removes its file.

    A file that a killed run put there already adds nothing. A post from a clock that was ahead counts as one of `now`:
    it would wait for that time. Without payloads an unknown shape is counted alone: nobody
    knows what of it is hidden. Raises StateUnusable if the files of erasures are damaged.
    """
    inbox, suppression = Inbox(storage), Suppression.of(storage)
    for taken in _batches(inbox):
        rows: list[tuple[Any, ...]] = []
        for key, posts in taken.items():
            at = min([now, *(post.received_at for post in posts)])
            rows += _rows(name_of(key), posts, at, with_payloads=with_payloads)
        if suppression:
            rows = [_without_erased(row, suppression) for row in rows]
        _add(warehouse, rows)
        NextLook(storage).note(_next_look(warehouse))
        for key in taken:
            inbox.remove(key)


def _batches(inbox: Inbox) -> Iterator[dict[str, list[Post]]]:
    """The posts by their file, some megabytes at a time: a receiver may have collected them for days."""
    taken: dict[str, list[Post]] = {}
    size = 0
    for key in inbox.files():
        if (posts := inbox.read(key)) is not None:
            taken[key] = posts
            size += sum(len(post.body) for post in posts)
        if size >= _BATCH:
            yield taken
            taken, size = {}, 0
    if taken:
        yield taken


def _add(warehouse: Warehouse, rows: Sequence[tuple[Any, ...]]) -> None:
    with warehouse.transaction():
        known = {one for (one,) in warehouse.rows(statement("hints/known"), {"hint_ids": [row[0] for row in rows]})}
        warehouse.add("ops.hints", [row for row in rows if row[0] not in known])


def _rows(name: str, posts: Sequence[Post], at: datetime, *, with_payloads: bool) -> Iterator[tuple[Any, ...]]:
    """One row for each subject and each ignored type of the file, and for each unknown shape."""
    summed = _summed(posts)
    number = 0
    for subject, items in sorted(summed.subjects.items()):
        number += 1
        of_subject = (None, record_id(subject.key), *_keys(subject))
        yield _row(f"{name}/{number}", at, subject.type, items, WAITING, at, *of_subject)
    for kind, items in sorted(summed.ignored.items()):
        number += 1
        yield _row(f"{name}/{number}", at, kind, items, IGNORED)
    for payload in summed.unknown:
        number += 1
        yield _row(f"{name}/{number}", at, None, 1, UNKNOWN, payload=payload if with_payloads else None)


def _row(
    hint_id: str,
    received_at: datetime,
    kind: str | None,
    items: int,
    state: str,
    next_look_at: datetime | None = None,
    payload: str | None = None,
    record: str | None = None,
    key_1: str | None = None,
    key_2: str | None = None,
) -> tuple[Any, ...]:
    looks = (0, None, next_look_at, None)  # number, last, next, run
    return (hint_id, received_at, kind, record, items, state, *looks, payload, key_1, key_2)


def _without_erased(row: tuple[Any, ...], suppression: Suppression) -> tuple[Any, ...]:
    """A hint whose ids have anything that was erased is ignored, and names them no more."""
    hint_id, at, kind, record, items, state, *looks, payload, key_1, key_2 = row
    kept_kind = suppression.text(kind) if kind else kind
    if suppression.cuts(record, key_1, key_2):
        return (hint_id, at, kept_kind, None, items, IGNORED, 0, None, None, None, None, None, None)
    kept = suppression.document(payload) if payload else payload
    return (hint_id, at, kept_kind, record, items, state, *looks, kept, key_1, key_2)


def _summed(posts: Sequence[Post]) -> Content:
    found = Content()
    for post in posts:
        one = content_of(post.body)
        found.subjects += one.subjects
        found.ignored += one.ignored
        found.unknown += one.unknown
    return found


class Hints:
    """The waiting hints, for one run that looks at some of them at `now`.

    `seen` are the subjects that a look showed in this run, `postponed` those that have to wait.
    """

    def __init__(self, warehouse: Warehouse, now: datetime, run_id: str) -> None:
        self._warehouse, self._now, self._run_id = warehouse, now, run_id
        self.seen: set[Subject] = set()
        self.postponed: set[Subject] = set()

    def due(self, most: int) -> tuple[list[Subject], int]:
        """Some of the subjects to look at now, the longest waiting first, and how many there are in all."""
        rows = _looks(self._warehouse, most, self._now)
        due = [_subject(kind, first, second) for kind, first, second, look_at, _ in rows if look_at <= self._now]
        return due, rows[0][-1] if rows else 0

    def next_look(self) -> datetime | None:
        """When the next look is due; None if no hint waits."""
        return _next_look(self._warehouse)

    def settle(self, outcomes: Mapping[Subject, str]) -> None:
        """Notes what a look showed. One change settles the oldest hint about its subject: others may be of a change
        that the API does not show yet.
        """
        self.seen.update(outcomes)
        looks_again = [self._now + pause for pause in LOOKS_AGAIN]
        of_look = {"now": self._now, "run_id": self._run_id, "next_looks": looks_again}
        values = _columns(outcomes) | {"outcomes": [*outcomes.values()]} | of_look
        self._warehouse.execute(statement("hints/settle"), values)

    def put_off(self, subjects: Collection[Subject], until: datetime) -> None:
        """Lets these subjects wait without a look, because the API failed."""
        self.postponed.update(subjects)
        self._warehouse.execute(statement("hints/put_off"), _columns(subjects) | {"until": until})

    def leave_to_night(self, kinds: Collection[str]) -> None:
        """Settles hints of these types that have waited long enough: a complete read has just seen their records."""
        values = {"kinds": sorted(kinds), "before": self._now - _LOOKS_DONE, "run_id": self._run_id}
        self._warehouse.execute(statement("hints/leave_to_night"), values)

    def forget(self, days: int) -> None:
        """Removes settled rows that are older."""
        before = self._now - timedelta(days=min(days, _MOST_DAYS))
        self._warehouse.execute(statement("hints/forget"), {"before": before})

    def requests_since(self, moment: datetime) -> int:
        """The requests that hints have cost since a moment."""
        return int(self._warehouse.value(statement("hints/count_requests"), {"since": moment}))


def _looks(warehouse: Warehouse, most: int, now: datetime | None = None) -> list[tuple[Any, ...]]:
    """Some of the subjects that wait, the first one first; when propsync may look at each, and how many are due."""
    rows = warehouse.rows(statement("hints/due"), {"now": now, "most": most})
    return [(*key, look_at.astimezone(UTC), number_due) for *key, look_at, number_due in rows]


def _next_look(warehouse: Warehouse) -> datetime | None:
    return next((look_at for *_, look_at, _ in _looks(warehouse, 1)), None)


def _subject(kind: str, first: str, second: str) -> Subject:
    return Subject(kind, (first, second) if second else (first,))


def _columns(subjects: Iterable[Subject]) -> dict[str, list[Any]]:
    """The columns of `ops.hints` that name these subjects."""
    rows = [(one.type, *_keys(one)) for one in subjects]
    names = ("types", "first_keys", "second_keys")
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _keys(subject: Subject) -> tuple[str, str]:
    first, second = (*subject.key, "")[:2]
    return first, second
