"""The ladder: from a plain sweep to a certificate, or to an honest failure (docs/completeness.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

from propsync.api import Api
from propsync.landing import Certificate, Landed, Manifest, PageStore
from propsync.resources import Resource
from propsync.runs import Verdict
from propsync.shapes import Shape
from propsync.sweep.attempt import Attempt, Attempts
from propsync.sweep.page_reader import PageReader
from propsync.sweep.partition.known_ids import KnownIds
from propsync.sweep.replay import Replay
from propsync.sweep.scope import SweepScope
from propsync.sweep.shaping import Known, Shaping
from propsync.sweep.staged_keys import StagedKeys
from propsync.warehouse import Warehouse

SWEEP, AGAIN, PARTITION, AGREED, GIVEN_UP = range(5)
_SWEEPS = 4  # one, and up to three more
_PARTITIONS = 3
_ALIKE = 3  # attempts that must agree for propsync to believe a wrong total


@dataclass(frozen=True)
class Swept:
    """The result of a resource's sweep: how complete it is, on which rung, and the source of further answers."""

    verdict: Verdict
    rung: int
    reader: PageReader
    shaping: Shaping
    listed: StagedKeys
    certificates: list[Certificate]
    landed: list[Landed]
    repeats: str | None = None
    """The run that got the same answers, byte for byte; then propsync stages nothing."""


class Sweeper:
    """Reads a resource's lists through `api`, stores every answer in `pages` and stages the answers that count in
    `listed`.
    """

    def __init__(self, api: Api, pages: PageStore, warehouse: Warehouse, limit: int) -> None:
        self._api = api
        self._pages = pages
        self._warehouse = warehouse
        self._limit = limit

    def sweep(
        self,
        resource: Resource,
        shape: Shape,
        wanted: SweepScope,
        known: Known,
        listed: StagedKeys,
        *,
        start: int | None,
        was_exceeded: bool,
        before: Manifest | None = None,
    ) -> Swept:
        """Sweeps all lists of one resource, climbing from the rung `start` until they are certified. Raises
        ResourceFailed.

        `start` is the rung of the last complete read, None if there was none; `was_exceeded` says that more records
        came than its totals. `listed` is empty and receives the keys that count. `before` is a snapshot whose evidence
        still holds for the answers that are the same again.
        """
        ahead = Replay(self._api, self._pages)
        reader = PageReader(ahead, self._pages, resource, shape, self._limit)
        shaping = Shaping(resource, shape, known)
        if before is not None and (landed := _answered_the_same(ahead, reader, shaping, resource, before)):
            return Swept(
                Verdict.CERTIFIED, SWEEP, reader, shaping, listed, before.certificates, landed, repeats=before.run_id
            )
        attempts = Attempts(reader, listed, resource, wanted, shaping, was_exceeded=was_exceeded)

        def places() -> KnownIds:
            type_ids = known()["assessment_type_ids"] if resource.types != "asset_types" else ()
            found = KnownIds(self._warehouse, self._pages, resource, shape, type_ids)
            found.observe_landed(reader.landed, shaping.cutter)
            return found

        def settle() -> None:
            _add_the_rest(reader, shaping, listed)

        ladder = _Ladder(attempts, places, settle, start or SWEEP, is_parted=resource.is_parted)
        counted = ladder.climb()
        return _swept(counted, ladder, reader, shaping, listed)


def unswept(api: Api, pages: PageStore, resource: Resource, shape: Shape, listed: StagedKeys, limit: int) -> Swept:
    """The ground for look-ups without a sweep: nothing is listed, and the shape is the known one."""
    reader = PageReader(Replay(api, pages), pages, resource, shape, limit)
    return Swept(Verdict.CERTIFIED, SWEEP, reader, Shaping(resource, shape, dict), listed, [], [])


def _answered_the_same(
    ahead: Replay, reader: PageReader, shaping: Shaping, resource: Resource, before: Manifest
) -> list[Landed] | None:
    lists = resource.lists(before.settings["statuses"], by_status=shaping.is_status_absent())
    asked = {str(reader.ask(query, 1).request) for query in lists}
    if not asked <= {one.request for one in before.landed}:  # an earlier version sent other requests
        return None
    return ahead.asked_again(resource.words, before.landed)


class _Ladder:
    """One climb. `settle` takes in the answers that nobody has read yet."""

    def __init__(
        self,
        attempts: Attempts,
        places: Callable[[], KnownIds],
        settle: Callable[[], None],
        start: int,
        *,
        is_parted: bool,
    ) -> None:
        self._attempts = attempts
        self._places = places
        self._settle = settle
        self._start = start
        self._is_parted = is_parted
        self._exceeded: Counter[tuple[str, int | None]] = Counter()
        self.made: list[Attempt] = []

    def climb(self) -> Attempt | None:
        """The attempt that counts: certified, or agreed; None to give up."""
        steps = [self._sweeps, self._partitions] if self._is_parted else [self._sweeps]
        if self._start == PARTITION:
            steps.reverse()
        for step in steps:
            if found := step():
                return found
            if self._start == AGREED and (agreed := self.agreed()):
                return agreed
        self._settle()  # a cancelled attempt may contradict those that agree
        return self.agreed()

    def agreed(self) -> Attempt | None:
        """The last of three attempts that showed identical keys under the same totals, which do not add up."""
        steady = [one for one in self.made if one.rung in (SWEEP, AGAIN) and one.is_steady]
        last = steady[-_ALIKE:]
        if len(last) < _ALIKE or len({one.signature for one in last}) > 1:
            return None
        return None if self._attempts.is_outdone(last[-1]) else last[-1]

    def _sweeps(self) -> Attempt | None:
        for number in range(_SWEEPS):
            attempt = self._note(self._attempts.sweep(AGAIN if number else SWEEP))
            if attempt.is_certified:
                return attempt
            attempt.fingerprint = self._attempts.fingerprint(attempt)
            if attempt.is_refused or self.agreed():  # a further attempt would only show the same
                return None
        return None

    def _partitions(self) -> Attempt | None:
        avoid = None
        for _ in range(1 if self.agreed() else _PARTITIONS):
            attempt = self._note(self._attempts.partition(PARTITION, self._places, avoid))
            if attempt.is_certified:
                return attempt
            avoid = attempt.dimension if attempt.dimension != avoid else None
        return None

    def _note(self, attempt: Attempt) -> Attempt:
        """Notes that a total that two attempts, or parts, exceeded is wrong: parts of that sum certify nothing."""
        self._exceeded.update((one.list_name, one.total_first) for one in attempt.certificates if one.is_exceeded)
        self._exceeded.update(dict.fromkeys(attempt.capped, 2))
        is_wrong = any(self._exceeded[one.list_name, one.total_first] > 1 for one in attempt.certificates)
        if attempt.rung == PARTITION and is_wrong:
            attempt.doubt()
        self.made.append(attempt)
        return attempt


def _swept(counted: Attempt | None, ladder: _Ladder, reader: PageReader, shaping: Shaping, listed: StagedKeys) -> Swept:
    """The result of a climb: the answers of the attempt that counts, or every answer if none counts."""
    certificates = [one for attempt in ladder.made for one in attempt.certificates]
    if counted is None:
        verdict, rung = Verdict.INCOMPLETE, GIVEN_UP
        landed = [*reader.landed]  # without what propsync asks for after the climb, unless that counts too
        certificates += _verdicts(ladder.made[-1:], rung, "incomplete")
    else:
        landed = _counted(counted, ladder, reader, listed)
        verdict, rung = Verdict.CERTIFIED, counted.rung
        if not counted.is_certified:
            verdict, rung = Verdict.AGREED, AGREED
            certificates += _verdicts([counted], rung, "agreed")
    listed.flush()
    return Swept(verdict, rung, reader, shaping, listed, certificates, landed)


def _counted(counted: Attempt, ladder: _Ladder, reader: PageReader, listed: StagedKeys) -> list[Landed]:
    """The answers of the attempt that counts; deletes the other staged answers."""
    dropped: set[int] = set()
    if len(ladder.made) > 1 or counted.rung == PARTITION:
        before = listed.sequences()
        listed.keep(counted.number, counted.lists)
        dropped = before - listed.sequences()
    kept = listed.taken - dropped
    of_attempt = [one for one in reader.landed if one.attempt == counted.number]
    return [one for one in of_attempt if one.role == "combined" or one.sequence in kept]


def _add_the_rest(reader: PageReader, shaping: Shaping, listed: StagedKeys) -> None:
    """Adds answers that came while propsync was cancelling an attempt."""
    for one in reader.landed:
        if one.role != "combined" and one.sequence not in listed.taken:
            listed.add(one, reader.records(one, shaping.cutter), shaping.cutter)


def _verdicts(attempts: Collection[Attempt], rung: int, verdict: str) -> Iterable[Certificate]:
    return [replace(one, rung=rung, verdict=verdict) for attempt in attempts for one in attempt.certificates]
