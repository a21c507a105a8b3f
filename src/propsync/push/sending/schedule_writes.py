"""Creates, updates and deletes a schedule, if it still is as the plan knows it (API §4.10–4.12)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec.structs import replace

from propsync.api import Accept, Api, ScheduleChanges, Sent, page_request
from propsync.errors import NotFound, RequestRefused
from propsync.push.journals.erased import shown_members
from propsync.push.outcome import Outcome
from propsync.push.plan import CREATE, DELETE, Entry
from propsync.push.sending import verdicts
from propsync.push.sending.looks import Looks
from propsync.push.sending.shapes import ScheduleAnswers
from propsync.push.values.sameness import is_empty, is_stored
from propsync.push.values.schedule_values import MEMBERS, STATUS, changes_of, is_begun
from propsync.resources import SCHEDULES, ListQuery
from propsync.suppression import Suppression

_SEVERAL = 2  # a list of one schedule has one
Members = Mapping[str, Any]
Note = Callable[[Members], None]


class ScheduleWrites:
    """Reads schedules through one client and writes them through another, which may have another token.

    It compares what the tables show of them, and writes back other members as the API has them.
    """

    def __init__(self, answers: ScheduleAnswers, suppression: Suppression) -> None:
        self._answers = answers
        self._suppression = suppression

    def current(self, api: Api, key: tuple[str, ...]) -> Members | None:
        """The schedule's members as they are now, None if there is none. Raises ResourceFailed."""
        try:
            there = self._answers.members(api.schedule(key[0], key[1]), key)
        except (NotFound, RequestRefused) as error:
            if error.says_not_found:
                return None
            raise
        if there is None or not (lacking := self._answers.lacking(key, there)):
            return there
        return _merged(there, self._listed(api, key, there), lacking)

    def _listed(self, api: Api, key: tuple[str, ...], there: Members) -> Members:
        """The members that the list shows of a schedule: an API may show some only there; none if it refuses that."""
        status = [("status", str(there[STATUS]))] if there.get(STATUS) else []
        query = ListQuery("look-up", (("property", key[0]), ("type", key[1]), *status))
        request = page_request(SCHEDULES, query, _SEVERAL, accept=Accept.JSON_OR_NULL)
        try:
            found: Members = api.fetch(request, check=lambda answer: self._answers.listed(answer, key)).found
        except (NotFound, RequestRefused):
            return {}
        return found

    def kept(self, key: tuple[str, ...], there: Members) -> Members:
        """Members that a write should keep, as the tables show them."""
        return self._answers.kept(key, self._shown(there))

    def _shown(self, there: Members) -> Members:
        """Members as the tables show them."""
        return shown_members(there, self._suppression)

    def compared(self, entry: Entry, there: Members | None, sent: Sent) -> Outcome | None:
        """The outcome of an entry that needs no write, or must have none; None if propsync may send it."""
        there = None if there is None else self._shown(there)
        if entry.action == CREATE:
            return self._compared_new(entry, there, sent)
        if there is None:
            return verdicts.there_already(sent) if entry.action == DELETE else verdicts.gone(sent)
        if entry.action == DELETE:
            return verdicts.changed(_compared_part(entry, there), there, sent)
        return verdicts.compared(entry, there, sent) or self._compared_others(entry, there, sent)

    def _compared_others(self, entry: Entry, there: Members, sent: Sent) -> Outcome | None:
        """The outcome if the API does not show a member that the PUT should keep; None if it shows them all."""
        planned = {one.field for one in entry.changes}
        unshown = [name for name in self._answers.unshown(entry.key, there) if name not in planned]
        return verdicts.unshown(unshown, sent) if unshown else None

    def _compared_new(self, entry: Entry, there: Members | None, sent: Sent) -> Outcome | None:
        if there is None:
            return None
        planned = _planned(entry, {})
        if all(is_stored(planned.get(name), there.get(name)) for name in MEMBERS):
            return verdicts.there_already(sent)
        if sent is Sent.MAYBE:
            return verdicts.unsure(
                "the API gave no clear answer, and the schedule has other values", "Compare it with the plan"
            )
        return verdicts.exists()

    def write(self, reader: Api, writer: Api, entry: Entry, there: Members | None, sent: Sent, note: Note) -> Outcome:
        """Sends the entry; `there` are the present members, `sent` is what an earlier apply may have done.

        `note` gets those of each later look. Raises ResourceFailed and what ends the run.
        """
        return _Write(self, reader, writer, entry, there or {}, sent, note).outcome()


class _Write:
    """One write of one schedule; each look brings the members that the plan does not name."""

    def __init__(
        self,
        writes: ScheduleWrites,
        reader: Api,
        writer: Api,
        entry: Entry,
        there: Members,
        sent: Sent,
        note: Note,
    ) -> None:
        self._writes, self._reader, self._writer = writes, reader, writer
        self._entry, self._there, self._note = entry, there, note
        self._looks = Looks(self._look, sent)
        self._leaving_out = False

    def outcome(self) -> Outcome:
        return self._looks.run(self._delete if self._entry.action == DELETE else self._put)

    @property
    def _before(self) -> Members:
        """The documented members of a schedule that the write deletes."""
        return {name: value for name, value in self._there.items() if name in (*MEMBERS, STATUS)}

    def _look(self, sent: Sent) -> Outcome | None:
        there = self._writes.current(self._reader, self._entry.key)
        found = self._writes.compared(self._entry, there, sent)
        if self._entry.action == DELETE and there is None and sent:
            return verdicts.applied(before=self._before)
        if found is None:
            self._there = there or {}
            self._note(self._there)
        return found

    def _delete(self) -> Outcome:
        property_id, type_id = self._entry.key
        try:
            self._writer.delete_schedule(property_id, type_id, self._looks.again)
        except (NotFound, RequestRefused) as error:
            if not error.says_not_found:
                raise
            may_be_ours = self._looks.sent is Sent.MAYBE  # then a look that shows it still may be late
            if not may_be_ours and self._writes.current(self._reader, self._entry.key) is not None:
                return verdicts.failed(error)
            return verdicts.there_already(self._looks.sent, before=self._before)
        return verdicts.applied(before=self._before)

    def _put(self) -> Outcome:
        """Puts all members that the API shows. Of others, null could remove the value.

        If the API refuses null, it leaves out those that are empty already.
        """
        try:
            self._send()
        except RequestRefused as error:
            self._looks.again_after(error)
            refused, self._leaving_out = self._members(), True
            if self._members() == refused:
                raise
            self._send()
        return verdicts.applied()

    def _send(self) -> None:
        property_id, type_id = self._entry.key
        self._writer.put_schedule(property_id, type_id, self._members(), self._again)

    def _again(self, sent: Sent) -> ScheduleChanges:
        self._looks.again(sent)
        return self._members()

    def _members(self) -> ScheduleChanges:
        planned = _planned(self._entry, self._there)
        is_empty = [name for name in MEMBERS if planned.get(name) is None and self._there.get(name) is None]
        return changes_of(planned, leaving_out=is_empty if self._leaving_out else ())


def _merged(there: Members, listed: Members, lacking: Collection[str]) -> Members:
    """The members by both answers, without one that is empty in the first and not in the list: one of them is wrong."""
    unsure = {name for name in lacking if name in there and not is_empty(listed.get(name))}
    return {name: value for name, value in {**listed, **there}.items() if name not in unsure}


def _compared_part(entry: Entry, there: Members) -> Entry:
    """A delete without the status, unless that says that somebody has begun."""
    changes = [one for one in entry.changes if one.field != STATUS or is_begun(one.old, there.get(STATUS))]
    return replace(entry, changes=changes)


def _planned(entry: Entry, there: Members) -> dict[str, Any]:
    """The members after the write; of a new schedule, all."""
    return {**(there or dict.fromkeys(MEMBERS)), **{one.field: one.new for one in entry.changes}}
