"""Asks for known keys, and records the answer for each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from propsync.api import why_unaskable
from propsync.errors import ApiUnreachable, ResourceFailed
from propsync.landing import Landed
from propsync.resources import ListQuery, Resource
from propsync.runs import Verdict
from propsync.sweep.ladder import Swept
from propsync.sweep.page_reader import Reading, RefusedPage
from propsync.sweep.scope import Filters

Key = tuple[str, ...]
Known = Callable[[int], list[Key]]
"""At most that many of the records that propsync knows."""

_CONTROLS = 3  # one may be gone by now
_DRAWN = 20  # some have keys that no request can name
_MOST_FAILURES = 30  # to find one id of 1,000 takes ten
_MOST_ALONE = 3  # ids
_BLIND = "look-ups show nothing, not even known records"


@dataclass
class Answers:
    """The results of look-ups: keys found (with their records staged), gone, hidden, or unknown with a reason.

    `failure` says how the API failed, or that it ignores the ids, if that kept any key unknown.
    """

    found: set[Key] = field(default_factory=set)
    gone: dict[Key, str] = field(default_factory=dict)
    hidden: dict[Key, str] = field(default_factory=dict)
    unknown: dict[Key, str] = field(default_factory=dict)
    landed: list[Landed] = field(default_factory=list)
    failure: str = ""

    def is_open(self, key: Key) -> bool:
        """Whether a key has no conclusion yet."""
        return not any(key in group for group in (self.found, self.gone, self.hidden, self.unknown))


@dataclass(frozen=True)
class Batch:
    """The content of one request: keys, by values that the API narrows its list to."""

    keys: tuple[Key, ...]
    values: tuple[str, ...]

    @classmethod
    def of(cls, keys: Sequence[Key]) -> Batch:
        """By the first part of each key: an id, or a schedule's property."""
        return cls(tuple(keys), tuple(dict.fromkeys(key[0] for key in keys)))

    def halves(self) -> list[Batch]:
        """Two smaller batches; none if the batch has one value only."""
        middle = len(self.values) // 2
        pieces = (set(self.values[:middle]), set(self.values[middle:])) if middle else ()
        return [Batch.of([key for key in self.keys if key[0] in piece]) for piece in pieces]


@dataclass
class Failing:
    """The failures after which look-ups continue, each with smaller batches: one id may make every request for it fail.

    They end soon, as an API that fails for good must not cost one wait an id.
    """

    _failures: int = 0
    _alone: int = 0

    @property
    def has_any(self) -> bool:
        """Whether any request failed. From then on propsync retries only those for one id."""
        return self._failures > 0

    def may_continue(self, failed: Batch) -> bool:
        """Counts a failure, and returns whether to ask for the other keys."""
        self._failures += 1
        self._alone += len(failed.values) == 1
        return self._failures <= _MOST_FAILURES and self._alone <= _MOST_ALONE


class Batches:
    """Sends look-ups of one resource. `statuses` are all that propsync may ask for, `fewer` those that it swept."""

    def __init__(
        self, resource: Resource, swept: Swept, statuses: Sequence[str], fewer: Sequence[str], known: Known
    ) -> None:
        self.resource = resource
        self.reader = swept.reader
        self.cutter = swept.shaping.cutter
        self._shaping = swept.shaping
        self.answers = Answers()
        self._listed = swept.listed
        self._statuses = tuple(statuses)
        self._fewer = tuple(fewer)
        self._known = known
        self.is_proved = False
        """Whether a look-up has shown a record: those that show nothing prove something only then."""
        self.is_blind = False
        """Whether no look-up shows anything, not even known records."""
        self.foreign: set[Key] = set()
        """Keys that no look-up can show to be gone: its answers are errors, have other records, or a wrong total."""
        self._is_by_status = self._shaping.is_by_status()
        self.is_doubtful = self._shaping.heeds_one_status or swept.verdict is not Verdict.CERTIFIED
        """Whether to ask each list by itself instead of several at once, because totals or filters were wrong."""

    def everything(self, values: Sequence[str]) -> ListQuery:
        """The query for these ids or properties in any status, performed by anybody."""
        if self.resource.has_statuses:
            query = replace(self.resource.combined(self._statuses), performed="" if self.resource.performed else None)
        else:
            query = self.resource.lists(())[0]
        return replace(query, name="look-up").narrowed((self.resource.id_filter or "property", values))

    def memberships(self, values: Sequence[str]) -> list[ListQuery]:
        """The lists that a record may be on, each narrowed the same way; none if lists give no facts about records."""
        if not self.resource.performed:
            return []
        lists = self.resource.lists(self._statuses, by_status=self._is_by_status)
        return [query.narrowed((str(self.resource.id_filter), values)) for query in lists]

    def forgo_statuses(self, refused: RefusedPage) -> bool:
        """Asks only for the swept statuses from now on; returns whether the refused request had asked for more."""
        asked = dict(refused.asked.request.query).get("status")
        self._statuses = self._fewer
        return asked is not None and asked != ",".join(self._fewer)

    def batches(self, keys: Sequence[Key]) -> Iterator[Batch]:
        """Batches with as many keys as a page and an address can take."""
        chunk: list[Key] = []
        for key in keys:
            more = Batch.of([*chunk, key])
            is_full = len(more.values) > self.reader.limit or not self.reader.fits(self.everything(more.values))
            if chunk and is_full:
                yield Batch.of(chunk)
                chunk = []
            chunk.append(key)
        if chunk:
            yield Batch.of(chunk)

    def ask(
        self, batches: Sequence[Batch], query: Callable[[Sequence[str]], ListQuery], failing: Failing | None = None
    ) -> Iterator[tuple[Batch, Reading | RefusedPage]]:
        """The answers to batches; if the API fails, notes the other keys as unknown.

        With `failing`, it first looks for the keys that make requests fail, and asks for the others without them.
        """
        is_careful = failing is not None and failing.has_any
        asks = {}
        for batch in batches:
            asked = self.reader.ask(query(batch.values), 1, "look-up", once=is_careful and len(batch.values) > 1)
            asks[asked.sequence] = (asked, batch)
        try:
            for answer in self.reader.read_all([asked for asked, _ in asks.values()], self.cutter):
                sequence = answer.asked.sequence if isinstance(answer, RefusedPage) else answer.landed.sequence
                yield asks.pop(sequence)[1], answer
        except ResourceFailed as error:
            if isinstance(error, ApiUnreachable) and not is_careful:
                raise
            failed = next((batch for asked, batch in asks.values() if str(asked.request) == error.where), None)
            others = [batch for _, batch in asks.values() if batch is not failed]
            if failing is not None and failed is not None and failing.may_continue(failed):
                if len(failed.values) == 1:
                    self.answers.failure = error.what
                    self.note_unprovable(failed.keys[0], f"its look-up failed: {error.what}")
                yield from self.ask([*failed.halves(), *others], query, failing)
                return
            self.answers.failure = error.what
            for _, batch in asks.values():
                self.note_unknown(batch, f"its look-up failed: {error.what}")

    def refuse_if_blind(self, keys: Sequence[Key], why_not_shown: Callable[[Key], str | None]) -> None:
        """Withdraws the conclusion that keys are gone if no look-up shows anything, not even known records."""
        gone = [key for key in keys if key in self.answers.gone]
        if not gone or self.is_proved:
            return
        said = ""
        for key in self._controls(gone):
            what = why_not_shown(key)
            if what is None:
                self.is_proved = True
                return
            said = what
        if said:
            self.is_blind = True
            self.answers.failure = self.answers.failure or _BLIND
            for key in gone:
                del self.answers.gone[key]
                self.answers.unknown[key] = f"{_BLIND} ({said})"

    def _controls(self, gone: Sequence[Key]) -> list[Key]:
        """A few records that a list of this run shows or, without lists, that propsync knows."""
        found = self._listed.some(_DRAWN) or self._known(_DRAWN + len(gone))
        askable = (key for key in found if key not in gone and not any(map(why_unaskable, key)))
        return list(islice(askable, _CONTROLS))

    def note_unknown(self, batch: Batch, why: str) -> None:
        """Notes a batch's keys as unknown."""
        self.answers.unknown.update(dict.fromkeys(batch.keys, why))

    def note_unprovable(self, key: Key, why: str) -> None:
        """Notes a key as unknown, and that the API may answer so each time: then only a person can decide about it."""
        self.answers.unknown[key] = why
        self.foreign.add(key)

    def is_whole(self, answer: Reading) -> bool:
        """Whether an answer holds everything that it counts, each record once."""
        shown = self.cutter.keys(answer.page.records)
        total = answer.page.total
        if total is None and shown and not self.resource.is_paged:
            total = len(shown)  # a list that comes whole may have no total
        return total == len(shown) == len(set(shown))

    def stage(self, answer: Reading) -> None:
        """Stages an answer, which is newer than the lists' answers before; `null` shows nothing."""
        if answer.page.total is None and not answer.page.records:
            return
        self._listed.add(answer.landed, answer.page.records, self.cutter)
        self.answers.landed.append(answer.landed)

    def found_on(self, statuses: Sequence[str], filters: Filters) -> set[Key]:
        """The records found that lists of these statuses and filters should show; some may have moved away."""
        wanted = {role: {*values} for role, values in filters if role != self.resource.id_filter}
        if self.resource.has_statuses:
            wanted["status"] = {status.casefold() for status in statuses}
        if not wanted:
            return set(self.answers.found)
        return {key for key in self._shown_at(wanted) if key in self.answers.found}

    def _shown_at(self, wanted: Mapping[str, Collection[str]]) -> Iterator[Key]:
        """The records that answers show with one of these values in each role."""
        for landed in self.answers.landed:
            cutter = replace(self.cutter, is_one=landed.role == "one")
            records = self.reader.records(landed, cutter)
            columns = (self._shaping.values(role, records) for role in wanted)
            for key, *values in zip(cutter.keys(records), *columns, strict=True):
                if key and all(value in shown for value, shown in zip(values, wanted.values(), strict=True)):
                    yield key

    def flush(self) -> None:
        """Makes the staged answers visible to other readers."""
        self._listed.flush()
