"""Asks for known keys, and keeps what the answers tell of each (correctness.md §2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from propsync.errors import ApiUnreachable, ResourceFailed
from propsync.landing import Landed
from propsync.resources import ListQuery, Resource
from propsync.runs import Verdict
from propsync.sweep.ladder import Swept
from propsync.sweep.page_reader import Reading, RefusedPage

Key = tuple[str, ...]


@dataclass
class Answers:
    """What look-ups told: keys found (their records are staged), gone, hidden, or why it is not known."""

    found: set[Key] = field(default_factory=set)
    gone: dict[Key, str] = field(default_factory=dict)
    hidden: dict[Key, str] = field(default_factory=dict)
    unknown: dict[Key, str] = field(default_factory=dict)
    landed: list[Landed] = field(default_factory=list)

    def is_open(self, key: Key) -> bool:
        """Whether nothing is concluded of a key yet."""
        return not any(key in told for told in (self.found, self.gone, self.hidden, self.unknown))


@dataclass(frozen=True)
class Batch:
    """What one request asks for: keys, by values that the API narrows its list to."""

    keys: tuple[Key, ...]
    values: tuple[str, ...]

    @classmethod
    def of(cls, keys: Sequence[Key]) -> Batch:
        """By the first part of each key: an id, or a schedule's property."""
        return cls(tuple(keys), tuple(dict.fromkeys(key[0] for key in keys)))

    def halves(self) -> list[Batch]:
        """Two smaller ones; none where there is only one value."""
        middle = len(self.values) // 2
        pieces = (set(self.values[:middle]), set(self.values[middle:])) if middle else ()
        return [Batch.of([key for key in self.keys if key[0] in piece]) for piece in pieces]


class Batches:
    """Sends look-ups of one resource. `statuses` are all that may be asked for, `fewer` those that were swept."""

    def __init__(self, resource: Resource, swept: Swept, statuses: Sequence[str], fewer: Sequence[str]) -> None:
        self.resource = resource
        self.reader = swept.reader
        self.cutter = swept.shaping.cutter
        self.answers = Answers()
        self._listed = swept.listed
        self._statuses = tuple(statuses)
        self._fewer = tuple(fewer)
        self._is_by_status = swept.shaping.is_by_status()
        self.is_doubtful = swept.shaping.heeds_one_status or swept.verdict is not Verdict.CERTIFIED
        """Whether what is asked of several lists at once is to be asked of each: totals or filters were wrong."""

    def everything(self, values: Sequence[str]) -> ListQuery:
        """What is known by these ids, or of these properties, whatever its status and whoever did it."""
        if self.resource.has_statuses:
            query = replace(self.resource.combined(self._statuses), performed="" if self.resource.performed else None)
        else:
            query = self.resource.lists(())[0]
        return replace(query, name="look-up").narrowed((self.resource.id_filter or "property", values))

    def memberships(self, values: Sequence[str]) -> list[ListQuery]:
        """The lists that a record may be on, each narrowed the same way; none where lists tell nothing of records."""
        if not self.resource.performed:
            return []
        lists = self.resource.lists(self._statuses, by_status=self._is_by_status)
        return [query.narrowed((str(self.resource.id_filter), values)) for query in lists]

    def forgo_statuses(self, refused: RefusedPage) -> bool:
        """Asks only for the statuses that were swept from now on; whether what was refused had asked for more."""
        asked = dict(refused.asked.request.query).get("status")
        self._statuses = self._fewer
        return asked is not None and asked != ",".join(self._fewer)

    def batches(self, keys: Sequence[Key]) -> Iterator[Batch]:
        """As many keys a request as the page and the address take."""
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
        self, batches: Sequence[Batch], query: Callable[[Sequence[str]], ListQuery]
    ) -> Iterator[tuple[Batch, Reading | RefusedPage]]:
        """The answers to batches; where the API fails, the keys left are noted as unknown."""
        asks = [(self.reader.ask(query(batch.values), 1, "look-up"), batch) for batch in batches]
        waiting = {ask.sequence: batch for ask, batch in asks}
        try:
            for answer in self.reader.read_all((ask for ask, _ in asks), self.cutter):
                sequence = answer.asked.sequence if isinstance(answer, RefusedPage) else answer.landed.sequence
                yield waiting.pop(sequence), answer
        except ApiUnreachable:
            raise
        except ResourceFailed as error:
            for batch in waiting.values():
                self.is_unknown(batch, f"its look-up failed: {error.what}")

    def is_unknown(self, batch: Batch, why: str) -> None:
        """Nothing can be concluded of a batch's keys."""
        self.answers.unknown.update(dict.fromkeys(batch.keys, why))

    def is_whole(self, answer: Reading) -> bool:
        """Whether everything that an answer counts came with it, each record once."""
        shown = self.cutter.keys(answer.page.records)
        return answer.page.total == len(shown) == len(set(shown))

    def stage(self, answer: Reading) -> None:
        """Takes in what an answer showed, which is newer than what lists showed before; `null` shows nothing."""
        if answer.page.total is None and not answer.page.records:
            return
        self._listed.add(answer.landed, answer.page.records, self.cutter)
        self.answers.landed.append(answer.landed)

    def flush(self) -> None:
        """Lets others read what was taken in."""
        self._listed.flush()
