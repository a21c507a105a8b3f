"""The journal of one plan: what was sent and what came of it, on the disk before and after each write.

Its first line has the plan itself, so that the journal is enough to resume it and to record it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal

import msgspec

from propsync.errors import StateUnusable
from propsync.push.journals.erased import shown_outcome
from propsync.push.outcome import Outcome
from propsync.push.plan import Plan
from propsync.records import encode
from propsync.storage import LineFile, LocalStorage
from propsync.storage.seals import sealed_line, unsealed_line
from propsync.suppression import Suppression

FOLDER = "state/push"
_STEP = "Restore it from a backup, or look at the records of the plan in the API before you plan again"
Pair = tuple[str, str]


class _Line(msgspec.Struct, frozen=True, omit_defaults=True):
    """`step` is begun, resumed, sending, left, done, compared or late; `entry` is a place among the plan's entries.

    `ids` are the assets that a list showed before a new one was created. `entries` are those of a read-back, which was
    late or has shown their other values.
    `held` are the fields that held a value right before the write, and that the plan does not name.
    """

    step: str
    plan: Plan | None = None
    entry: int | None = None
    ids: list[str] = []
    outcome: Outcome | None = None
    entries: list[int] = []
    held: list[str] = []


@dataclass
class Journalled:
    """What a journal says so far."""

    plan: Plan
    sent: set[int] = field(default_factory=set)
    """The entries that propsync has sent, or was about to send."""
    left: Counter[int] = field(default_factory=Counter)
    """How often an apply had to leave an entry to the next one, perhaps before it sent it."""
    in_flight: set[int] = field(default_factory=set)
    """The entries of which nothing is known since propsync was about to send them."""
    late: set[int] = field(default_factory=set)
    """The entries that a read-back showed as before."""
    seen: dict[Pair, set[str]] = field(default_factory=dict)
    """Assets of a property and type that existed before propsync created its own."""
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    held: dict[int, set[str]] = field(default_factory=dict)
    """Fields of an entry's record, not planned, that held a value at a look before a write."""
    compared: set[int] = field(default_factory=set)
    """The entries whose read-back has shown what became of these."""

    @property
    def is_blank(self) -> bool:
        """Whether no apply has sent, left or settled any entry."""
        return not (self.sent or self.left or self.outcomes)

    def tries(self, entry: int) -> int:
        """How often an apply has tried an entry without an outcome."""
        return max(self.left[entry], int(entry in self.sent))

    def take(self, line: _Line) -> None:
        """Adds one line."""
        (self.compared if line.step == "compared" else self.late).update(line.entries)
        if line.entry is not None:
            entry = self.plan.entries[line.entry]
            made = line.outcome.asset_id if line.outcome else None
            if ids := [*line.ids, *([made] if made else [])]:
                self.seen.setdefault((entry.property_id, entry.type_id), set()).update(ids)
            self.in_flight.discard(line.entry)
            if line.outcome is not None:
                self.outcomes[line.entry] = line.outcome
            elif line.step == "left":
                self.left[line.entry] += 1
            else:
                self.sent.add(line.entry)
                self.held.setdefault(line.entry, set()).update(line.held)
                self.in_flight.add(line.entry)


def journal_key(plan_id: str) -> str:
    """The key of a plan's journal."""
    return f"{FOLDER}/{plan_id}.jsonl"


def read_journal(storage: LocalStorage, plan_id: str) -> Journalled | None:
    """The journal of a plan, None if no apply of it is unfinished.

    A kill may cut off the last line of a process. Raises StateUnusable for any other damage.
    """
    key = journal_key(plan_id)
    try:
        written = [line for line in storage.get(key).split(b"\n") if line]
    except FileNotFoundError:
        return None
    lines = [_decoded(line) for line in written]
    for place, line in enumerate(lines):
        after = lines[place + 1 :]
        if line is None and after and (after[0] is None or after[0].step not in ("resumed", "begun")):
            raise StateUnusable(key, f"its line {place + 1} is damaged", _STEP)
    return _summed(key, plan_id, [line for line in lines if line is not None])


def _summed(key: str, plan_id: str, lines: list[_Line]) -> Journalled | None:
    if not lines or lines[0].plan is None:
        if len(lines) > 1:
            raise StateUnusable(key, "its first line is damaged", _STEP)
        return None
    if lines[0].plan.plan_id != plan_id:
        raise StateUnusable(key, "it belongs to another plan", _STEP)
    found = Journalled(lines[0].plan)
    for line in lines[1:]:
        found.take(line)
    return found


def journals(storage: LocalStorage) -> list[str]:
    """The ids of all plans with a journal."""
    names = (key.rpartition("/")[2] for key in storage.list(FOLDER))
    return [name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl")]


class WriteJournal:
    """Adds to the journal of a plan, and knows what it says; threads may share it.

    A line is on the disk when its method returns: one fsync serves all lines that wait for it.
    """

    def __init__(self, storage: LocalStorage, plan: Plan, suppression: Suppression) -> None:
        """Begins the journal, or resumes it. Raises StateUnusable, DiskFull, HomeUnusable."""
        self._suppression = suppression
        known = read_journal(storage, plan.plan_id)
        self.so_far = known or Journalled(plan)
        self._storage = storage
        self._writing, self._settling = threading.Lock(), threading.Lock()
        self._written = self._settled = 0
        self._file: LineFile = storage.lines(journal_key(plan.plan_id))
        try:
            self._add(_Line("resumed") if known else _Line("begun", plan=plan))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def leave(self) -> None:
        """Closes the file, and deletes it if it says nothing yet: the plan is not unfinished then."""
        self.close()
        if self.so_far.is_blank:
            self._storage.delete(journal_key(self.so_far.plan.plan_id))

    def sending(self, entry: int, seen: Collection[str] = (), held: Sequence[str] = ()) -> None:
        """Notes that propsync is about to send an entry; `seen` are the assets that exist already.

        `held` are fields of the record with a value, which the plan does not name.
        """
        of = self.so_far.plan.entries[entry]
        known = self.so_far.seen.get((of.property_id, of.type_id), set())
        self._add(_Line("sending", entry=entry, ids=sorted(set(seen) - known), held=[*held]))

    def left(self, entry: int) -> None:
        """Notes that the next apply has to try an entry, after the others."""
        self._add(_Line("left", entry=entry))

    def late(self, entries: Collection[int]) -> None:
        """Notes that a read-back shows these entries as before: the next one decides."""
        self._add(_Line("late", entries=sorted(entries)))

    def compared(self, entries: Collection[int]) -> None:
        """Notes that a read-back has shown the other values of these entries' records."""
        self._add(_Line("compared", entries=sorted(entries)))

    def done(self, entry: int, outcome: Outcome) -> None:
        """Notes a final outcome, without what was erased."""
        self._add(_Line("done", entry=entry, outcome=shown_outcome(outcome, self._suppression)))

    def take_over(self, outcomes: Mapping[int, Outcome]) -> None:
        """Notes the final outcomes that earlier runs have recorded, all or none."""
        shown = {entry: shown_outcome(one, self._suppression) for entry, one in outcomes.items()}
        self._add(*(_Line("done", entry=entry, outcome=one) for entry, one in shown.items()))

    def finish(self) -> None:
        """Deletes the journal, after a run has recorded and published every outcome: `ops.writes` has them now."""
        self.close()
        self._storage.delete(journal_key(self.so_far.plan.plan_id))

    def _add(self, *lines: _Line) -> None:
        body = b"\n".join(sealed_line(encode(line)) for line in lines)
        with self._writing:
            self._file.add(body)
            for line in lines:
                self.so_far.take(line)
            self._written += 1
            own = self._written
        with self._settling:
            if self._settled < own:
                so_far = self._written  # whatever is written by now
                self._file.settle()
                self._settled = so_far


def now() -> str:
    """The present moment, for an outcome."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _decoded(line: bytes) -> _Line | None:
    try:
        return _DECODER.decode(unsealed_line(line))
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors, and SealBroken is too
        return None


_DECODER = msgspec.json.Decoder(_Line, float_hook=Decimal)
