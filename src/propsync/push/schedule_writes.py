"""Creates, updates and deletes a schedule, if it still is as the plan knows it (API §4.10–4.12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from propsync.api import Api
from propsync.errors import NotFound, RequestRefused, UnexpectedAnswer
from propsync.push import verdicts
from propsync.push.erased import shown_members
from propsync.push.outcome import Outcome
from propsync.push.plan import CREATE, DELETE, Entry
from propsync.push.sameness import is_same
from propsync.push.schedule_values import MEMBERS, changes_of, schedule_values
from propsync.suppression import Suppression

Members = Mapping[str, Any]


class ScheduleWrites:
    """Reads schedules through one client and writes them through another, which may have another token.

    It compares what the tables show of them, and writes back other members as the API has them.
    """

    def __init__(self, suppression: Suppression) -> None:
        self._suppression = suppression

    def current(self, api: Api, key: tuple[str, ...]) -> Members | None:
        """The schedule's members as they are now, None if there is none. Raises ResourceFailed."""
        try:
            return schedule_values(api.schedule(key[0], key[1]).body)
        except (NotFound, RequestRefused) as error:
            if error.says_not_found:
                return None
            raise

    def compared(self, entry: Entry, there: Members | None, *, was_sent: bool) -> Outcome | None:
        """The outcome of an entry that needs no write, or must have none; None if propsync may send it."""
        there = None if there is None else shown_members(there, self._suppression)
        if entry.action == CREATE:
            return self._compared_new(entry, there, was_sent=was_sent)
        if there is None:
            return verdicts.applied() if entry.action == DELETE else verdicts.gone()
        if entry.action == DELETE:
            return verdicts.changed(entry, there, was_sent=was_sent)
        return verdicts.compared(entry, there, was_sent=was_sent)

    def _compared_new(self, entry: Entry, there: Members | None, *, was_sent: bool) -> Outcome | None:
        if there is None:
            return None
        planned = _planned(entry, {})
        if all(is_same(planned.get(name), there.get(name)) for name in MEMBERS):
            return verdicts.applied()
        if was_sent:
            return verdicts.unsure("the answer was lost, and the schedule has other values. Compare it with the plan")
        return verdicts.exists()

    def write(self, reader: Api, writer: Api, entry: Entry, there: Members | None) -> Outcome:
        """Sends the entry; `there` are the present members. Raises ResourceFailed and what ends the run."""
        try:
            if entry.action == DELETE:
                return self._delete(writer, entry, there or {})
            self._put(writer, entry, there or {})
        except UnexpectedAnswer as error:
            outcome = self.compared(entry, self.current(reader, entry.key), was_sent=True)
            return outcome or verdicts.failed(RequestRefused(error.where, error.what, status=error.status))
        return verdicts.applied()

    def _delete(self, api: Api, entry: Entry, there: Members) -> Outcome:
        property_id, type_id = entry.key
        try:
            api.delete_schedule(property_id, type_id)
        except (NotFound, RequestRefused) as error:
            if not error.says_not_found:
                raise
            # an answer was lost, and the repeat found nothing to delete
        return verdicts.applied(before=there)

    def _put(self, api: Api, entry: Entry, there: Members) -> None:
        """Puts all four members. If the API refuses null, those that are empty already are left out."""
        property_id, type_id = entry.key
        members = changes_of(_planned(entry, there))
        try:
            api.put_schedule(property_id, type_id, members)
        except RequestRefused:
            planned = _planned(entry, there)
            empty = {name for name in MEMBERS if planned.get(name) is None and there.get(name) is None}
            fewer = changes_of(planned, leaving_out=empty)
            if len(fewer) == len(members):
                raise
            api.put_schedule(property_id, type_id, fewer)


def _planned(entry: Entry, there: Members) -> dict[str, Any]:
    """The members after the write."""
    return {**there, **{one.field: one.new for one in entry.changes}}
