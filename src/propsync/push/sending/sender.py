"""Sends the records of a plan: each is looked at before, journalled before and after, and written once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby

from msgspec.structs import replace

from propsync.api import Api, Sent, TokenSource
from propsync.errors import (
    ApiFailing,
    ApiUnreachable,
    NotFound,
    RequestRefused,
    ResourceFailed,
    TokenRefused,
    UsageError,
    WriteForbidden,
    WriteUnsupported,
)
from propsync.progress import progress
from propsync.push.journals.journal import Pair, WriteJournal
from propsync.push.outcome import Outcome
from propsync.push.plan import CREATE, DELETE, Entry
from propsync.push.sending import verdicts
from propsync.push.sending.asset_updates import AssetUpdates
from propsync.push.sending.creations import Creations, KnownAssets, made_pairs
from propsync.push.sending.schedule_writes import Members, ScheduleWrites
from propsync.push.sending.shapes import Answers, AssetReading
from propsync.push.sending.unplanned import Unplanned
from propsync.resources import ASSETS
from propsync.suppression import Suppression

_log = logging.getLogger("propsync.push")
_MOST_FAILED = 5  # records in a row
_RECALLED = 8  # assets, of which some may not be written
_Lane = list[int]
"""Entries that must not be sent at the same time, by their places in the plan."""


@dataclass
class Clients:
    """The client that looks, and the one that writes."""

    reader: Api
    writer: Api


class _Streak:
    """Counts records in a row that the API failed; each has cost all its attempts, and the next would too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._length = 0

    def add(self, outcome: Outcome) -> None:
        """Counts one more. Raises ApiFailing if there are too many."""
        with self._lock:
            self._length += 1
            if self._length >= _MOST_FAILED:
                what = f"the API failed {self._length} records in a row, the last because {outcome.reason}"
                raise ApiFailing("push apply", what)

    def end(self) -> None:
        """A record has an outcome."""
        with self._lock:
            self._length = 0


class Sender:
    """Sends what the journal shows as open. `left` are outcomes that are not final, `said` the words of refusals."""

    def __init__(
        self,
        api: Api,
        token: TokenSource | None,
        answers: Answers,
        journal: WriteJournal,
        suppression: Suppression,
        known: KnownAssets,
    ) -> None:
        """`token` is the one for writes, if they have their own."""
        self._api = api
        self._token = token
        self._journal = journal
        self._plan = journal.so_far.plan
        updates = AssetUpdates(answers.assets)
        self._updates, self._creations = updates, Creations(updates, journal, known)
        self._schedules = ScheduleWrites(answers.schedules, suppression)
        self._streak = _Streak()
        self.left: dict[int, Outcome] = {}
        self.said: dict[int, str] = {}
        self.unplanned = Unplanned(self._plan.resource, answers.assets.may_write)

    def send(self) -> None:
        """Sends side by side. Raises StopRun and ApiUnreachable; the journal has everything done until then."""
        lanes = self._lanes()
        if lanes and self._plan.resource == ASSETS.name:
            self._recall()
        with progress("Sending", sum(map(len, lanes)), "records") as bar:
            for _, some in groupby(lanes, self._tries):
                for _ in self._api.each(some, lambda api, lane: self._send_lane(api, lane, bar.advance)):
                    pass
        if self._plan.resource == ASSETS.name:
            for _ in self._api.each(made_pairs(self._journal), self._look_for_twins):
                pass

    def _recall(self) -> None:
        """Looks at what earlier applies have written or sent. Raises OtherValuesLost if its other values are gone."""
        so_far = self._journal.so_far
        held = {number: names for number, names in so_far.held.items() if names}  # updates alone
        for number in sorted(held, key=so_far.outcomes.__contains__, reverse=True)[:_RECALLED]:
            entry = self._plan.entries[number]
            with suppress(ResourceFailed, UsageError):  # the next write is compared
                if self._updates.others.recall(entry, held[number], self._updates.current(self._api, entry.key[0])):
                    return

    def look_back(self) -> None:
        """Settles entries that earlier applies may have sent, as far as a look at their records can; it sends nothing.

        Raises StopRun.
        """
        sent = self._journal.so_far.sent
        lanes = [lane for lane in self._lanes() if not sent.isdisjoint(lane)]
        with suppress(ApiUnreachable, TokenRefused):  # a plan is given up all the same
            for _ in self._api.each(lanes, self._look_back_lane):
                pass

    def _look_back_lane(self, api: Api, lane: _Lane) -> None:
        so_far = self._journal.so_far
        for number in so_far.sent.intersection(lane):
            try:
                outcome = self._found(api, number, self._plan.entries[number])
            except ApiUnreachable:
                raise
            except (ResourceFailed, UsageError) as error:
                _log.warning("propsync cannot look at a record of the plan: %s", error)
                continue
            if outcome is None and number not in so_far.in_flight:  # after a kill, a write may still be on its way
                outcome = verdicts.given_up(was_sent=True)
            if outcome is not None:
                self._journal.done(number, outcome)

    def _found(self, api: Api, number: int, entry: Entry) -> Outcome | None:
        """The outcome of an earlier write by a look at its record; None if that is as before."""
        if self._plan.resource != ASSETS.name:
            return self._schedules.compared(entry, self._schedules.current(api, entry.key), Sent.MAYBE)
        if entry.action == CREATE:
            return self._creations.found(api, number, entry)
        return self._updates.compared(entry, self._updates.current(api, entry.key[0]), Sent.MAYBE)

    def _look_for_twins(self, api: Api, pair: Pair) -> None:
        try:
            self._creations.look_for_twins(api, pair)
        except ApiUnreachable:
            raise
        except ResourceFailed as error:  # the writes are done all the same
            _log.warning("propsync cannot see whether the API made new assets of property %s once: %s", pair[0], error)

    def _lanes(self) -> list[_Lane]:
        """New assets of one property and type share a lane, and so do entries of one record.

        Those that earlier applies tried most often come last, once all others have ended. The API may fail them each
        time, and the rest would have no turn.
        """
        lanes: dict[tuple[str, ...], _Lane] = {}
        for number, entry in enumerate(self._plan.entries):
            if number not in self._journal.so_far.outcomes:
                is_new = self._plan.resource == ASSETS.name and entry.action == CREATE
                lane = ("new", entry.property_id, entry.type_id) if is_new else entry.key
                lanes.setdefault(lane, []).append(number)
        return sorted(lanes.values(), key=self._tries)

    def _tries(self, lane: _Lane) -> int:
        return max(map(self._journal.so_far.tries, lane))

    def _send_lane(self, api: Api, lane: _Lane, advance: Callable[[], None]) -> None:
        writer = api.with_token(self._token) if self._token else api
        for number in lane:
            try:
                outcome = self._sent(Clients(api, writer), number, self._plan.entries[number])
            except (WriteForbidden, WriteUnsupported):
                self._journal.left(number)  # it may be this record alone
                raise
            except TokenRefused:
                if number in self._journal.so_far.in_flight:
                    self._journal.left(number)  # the API has answered
                raise
            if not outcome.is_final:
                self._journal.left(number)
                # the next list of assets would show one that this entry may have created
                self.left.update(dict.fromkeys(lane[lane.index(number) :], outcome))
                self._streak.add(outcome)
                return
            if outcome.said:
                self.said[number] = outcome.said
            self._journal.done(number, replace(outcome, said=None))
            self._streak.end()
            self._updates.others.check()
            advance()

    def _sent(self, clients: Clients, number: int, entry: Entry) -> Outcome:
        """The outcome of one record. Raises StopRun and ApiUnreachable."""
        try:
            if self._plan.resource != ASSETS.name:
                return self._send_schedule(clients, number, entry)
            if entry.action == CREATE:
                return self._creations.create(clients.reader, clients.writer, number, entry)
            return self._send_update(clients, number, entry)
        except ApiUnreachable:
            raise
        except WriteUnsupported as error:
            if not self._accepts(entry):
                raise
            return verdicts.refused_alone(error)
        except (RequestRefused, NotFound) as error:  # of a look: a refused write has its outcome
            return verdicts.unseen(error) if number in self._journal.so_far.sent else verdicts.failed(error)
        except (ResourceFailed, UsageError) as error:
            return verdicts.failed(error)

    def _accepts(self, entry: Entry) -> bool:
        """Whether the API has accepted such a write of the plan: PATCH or POST, PUT or DELETE."""
        done = self._journal.so_far.outcomes.copy()
        kinds = {self._method(self._plan.entries[number]) for number, one in done.items() if one.is_written and one.at}
        return self._method(entry) in kinds

    def _method(self, entry: Entry) -> bool:
        return entry.action == (CREATE if self._plan.resource == ASSETS.name else DELETE)

    def _send_update(self, clients: Clients, number: int, entry: Entry) -> Outcome:
        sent = self._earlier(number)

        def note(there: AssetReading | None) -> list[str]:
            return self.unplanned.note(number, entry, there.values if there else {})

        def look() -> tuple[AssetReading | None, Outcome | None]:
            there = self._updates.current(clients.reader, entry.key[0])
            return there, self._updates.compared(entry, there, sent)

        there, found = look()
        if found is not None:
            return found
        with self._updates.others.turn(entry, there) as has_waited:
            if has_waited:
                there, found = look()
            if found is not None:
                return found
            self._journal.sending(number, held=note(there))
            return self._updates.write(clients.reader, clients.writer, entry, there, sent, note)

    def _send_schedule(self, clients: Clients, number: int, entry: Entry) -> Outcome:
        sent = self._earlier(number)
        there = self._schedules.current(clients.reader, entry.key)
        found = self._schedules.compared(entry, there, sent)
        if found is not None:
            return found

        def note(members: Members) -> None:
            self.unplanned.note(number, entry, self._schedules.kept(entry.key, members))

        held = self.unplanned.note(number, entry, self._schedules.kept(entry.key, there or {}))
        self._journal.sending(number, held=held)
        return self._schedules.write(clients.reader, clients.writer, entry, there, sent, note)

    def _earlier(self, number: int) -> Sent:
        """The possible effect of an earlier apply of the plan."""
        return Sent.MAYBE if number in self._journal.so_far.sent else Sent.NOTHING
