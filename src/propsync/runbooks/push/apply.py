"""Applies a plan: sends it, reads back what was written, records it and publishes; also after a kill at any moment."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace

from propsync.api import Api, RetryPolicy, TokenSource
from propsync.errors import (
    ApiUnreachable,
    Busy,
    MergeFailed,
    NamesChanged,
    PlanUnfinished,
    PropsyncError,
    ResourceFailed,
    StopRun,
    TokenRefused,
)
from propsync.push.journals.journal import WriteJournal, journal_key
from propsync.push.journals.recorded import RecordedWrite, recorded_outcomes, written_elsewhere
from propsync.push.journals.records import Places, Shown, Write, is_as_before, record_writes, verified, writes_of
from propsync.push.outcome import APPLIED, Outcome
from propsync.push.plan import DELETE, Plan
from propsync.push.planning.row_checks import first_of
from propsync.push.review.changes import counted
from propsync.push.sending.creations import KnownAssets
from propsync.push.sending.giving_up import give_up
from propsync.push.sending.in_flight import with_in_flight
from propsync.push.sending.sender import Sender
from propsync.push.sending.shapes import Answers
from propsync.push.sending.unplanned import Unplanned
from propsync.push.values.written_values import Key, places, shown_values
from propsync.resources import ASSETS
from propsync.runbooks.notice import noticed
from propsync.runbooks.push.abandoned import PUSH_LOCK, hidden_names
from propsync.runbooks.push.bucket import announce, copied_journal, end_announcement
from propsync.runbooks.push.checks import check_consent, check_erased, checked
from propsync.runbooks.push.hidden import hidden_members
from propsync.runbooks.push.report import PushReport, WriteState, first_lines, lines_of
from propsync.runbooks.push.tables import open_tables
from propsync.runbooks.read_back import ReadBack
from propsync.runbooks.report import Report
from propsync.runbooks.run_frame import Call, framed_run, plainly
from propsync.runbooks.usable_state import refuse_unusable, refuse_unwritable
from propsync.runbooks.workplace import make_home, refuse_elsewhere, refuse_half_erased
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run, RunLock
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import Suppression
from propsync.warehouse import quoted, statement

_SYNC_AND_END = "Run `propsync sync`, then apply it with --give-up, which sends nothing more, and plan again"
_COMPARE = "The plan was given up: compare the record with it"
_LATE = "the API does not show the write yet. Run the same command again"


@noticed("push")
def apply(
    settings: Settings,
    plan: Plan,
    allow_large: str | None = None,
    *,
    gives_up: bool = False,
    call: Call = plainly,
    policy: RetryPolicy | None = None,
) -> PushReport:
    """Sends what the plan says, once, and resumes an unfinished `apply` of it; or gives it up, and sends nothing more.

    Raises UsageError (exit 2), StopRun and ApiUnreachable (exit 1; it has recorded what it wrote). Before it sends
    anything, it raises ErasureUnfinished, what `refuse_unusable` raises, and Busy (exit 4). If no run can record
    afterwards what it has sent, it raises PlanUnfinished (exit 1).
    """
    if not gives_up:
        check_consent(plan, allow_large)
    if not plan.entries:
        return PushReport(plan, "", [])
    make_home(settings)
    with RunLock(settings.state / PUSH_LOCK).held("propsync push apply", 0):
        refuse_elsewhere(settings)
        refuse_half_erased(settings)
        refuse_unusable(settings)
        refuse_unwritable(settings)
        suppression = Suppression.of(LocalStorage(settings.home))
        check_erased(plan, suppression)
        with open_tables(settings) as reader:
            recorded, known = checked(settings, reader, plan, gives_up=gives_up)
            hidden = hidden_members(settings, plan.resource)
            answers = Answers.published(reader, settings.shapes, suppression, plan, hidden)
        with _journal(settings, plan, suppression, recorded) as journal:
            if journal is None:
                return _repeated(plan, recorded)
            return _Apply(settings, plan, journal, suppression, call, policy, known, gives_up=gives_up).run(answers)


@contextmanager
def _journal(
    settings: Settings, plan: Plan, suppression: Suppression, writes: list[RecordedWrite]
) -> Iterator[WriteJournal | None]:
    """The journal; None if earlier runs recorded every entry of the plan, and nothing of it is unfinished.

    If it is lost, it takes over what they recorded: its state or its machine was lost in the middle of an apply. If it
    came back with its machine, it takes over the writes of another machine.
    """
    storage, recorded = LocalStorage(settings.home), recorded_outcomes(plan, writes)
    is_done = len(recorded) == len(plan.entries)
    if is_done and not storage.exists(journal_key(plan.plan_id)):
        yield None
        return
    journal = WriteJournal(storage, plan, suppression)
    try:
        if recorded and not is_done and journal.so_far.is_blank:
            journal.take_over({number: one for number, one in recorded.items() if one})
        elif elsewhere := {} if journal.so_far.is_blank else written_elsewhere(journal.so_far, writes):
            journal.take_over(elsewhere)
        yield None if is_done and journal.so_far.is_blank else journal
    finally:
        journal.leave()


def _repeated(plan: Plan, recorded: list[RecordedWrite]) -> PushReport:
    runs = [one.run_id for one in recorded]
    labels = {change.field: change.label for entry in plan.entries for change in entry.changes}
    states = [WriteState.recorded(one, labels) for one in recorded]
    return PushReport(plan, max(runs, default=""), states, is_repeat=True)


class _Apply:
    """One `apply` of one plan."""

    def __init__(
        self,
        settings: Settings,
        plan: Plan,
        journal: WriteJournal,
        suppression: Suppression,
        call: Call,
        policy: RetryPolicy | None,
        known: KnownAssets,
        *,
        gives_up: bool,
    ) -> None:
        self._gives_up = gives_up
        self._settings, self._plan, self._journal, self._suppression = settings, plan, journal, suppression
        self._call, self._policy, self._known = call, policy, known
        self._left: dict[int, Outcome] = {}
        self._said: dict[int, str] = {}
        self._unplanned: Unplanned
        self._stopped: PropsyncError | None = None
        self._writes: list[Write] = []
        self._unread: dict[Key, str] = {}
        self._late: set[int] = set()
        self._answers: Answers

    def run(self, answers: Answers) -> PushReport:
        """Sends, then reads back, records and publishes in a run of its own."""
        self._answers = answers
        announce(self._settings, self._plan.plan_id)
        with copied_journal(self._settings, self._plan.plan_id):
            self._call("send", lambda: self._send(answers))
        if self._stopped and not self._journal.so_far.outcomes:
            if self._journal.so_far.is_blank:
                end_announcement(self._settings, self._plan.plan_id)
            raise self._stopped
        report = self._recorded()
        end_announcement(self._settings, self._plan.plan_id)
        if self._stopped:
            raise self._stopped
        states = [WriteState.of(one, self._said.get(one.number)) for one in self._writes]
        own = PushReport(self._plan, report.run_id, states)
        others = [line for line in report.left_behind if line not in own.left_behind]
        is_unread = self._unread and not self._gives_up
        if report.published and not self._left and not is_unread and not self._late:
            self._journal.finish()
        return replace(own, others=others)

    def _recorded(self) -> Report:
        """The run that reads back, records and publishes. Raises PlanUnfinished if it cannot, and something is sent."""
        try:
            return framed_run(self._settings, "push", lambda _: self._work, call=self._call, policy=self._policy)
        except Busy as error:
            raise self._stopped or self._unfinished("another run is at work") from error
        except (StopRun, MergeFailed) as error:
            if not self._journal.so_far.sent:
                raise
            raise self._unfinished(f"{error.where}: {error.what}", error.next_step) from error

    def _unfinished(self, why: str, next_step: str | None = None) -> PlanUnfinished:
        count = counted(len(self._journal.so_far.sent), "record")
        what = f"propsync has tried to write {count}, and could not read back what the API has, because {why}"
        if self._stopped:  # of the two, the more important to know
            what = f"{self._stopped.what}. {what}"
        return PlanUnfinished(f"plan {self._plan.plan_id}", what, next_step)

    def _send(self, answers: Answers) -> str | None:
        look, write = self._settings.require_api(), self._settings.require_push()
        own = TokenSource.of(write) if write.variable != look.variable else None
        most = self._settings.max_concurrency
        with Api(look.base_url, TokenSource.of(look), max_concurrency=most, policy=self._policy) as api:
            sender = Sender(api, own, answers, self._journal, self._suppression, self._known)
            try:
                if self._gives_up:
                    sender.look_back()
                    give_up(self._journal)
                self._check_live_names(api, answers)
                sender.send()
            except (StopRun, ApiUnreachable) as error:
                self._stopped = error
            self._left, self._said, self._unplanned = sender.left, sender.said, sender.unplanned
        return str(self._stopped) if self._stopped else None

    def _check_live_names(self, api: Api, answers: Answers) -> None:
        """Raises NamesChanged if the API has other names for what a person has reviewed by those of the tables."""
        so_far, is_new = self._journal.so_far, self._journal.so_far.is_blank
        unsent = [one for number, one in enumerate(self._plan.entries) if number not in so_far.outcomes]
        if self._plan.resource == ASSETS.name and (places := answers.assets.names.renamed(api, unsent)):
            what = f"since the last sync, the API has changed names in it: {first_of(places)}"
            raise NamesChanged(f"plan {self._plan.plan_id}", what, None if is_new else _SYNC_AND_END)

    def _work(self, workspace: Workspace, run: Run) -> list[str]:
        self._writes = writes_of(self._plan, with_in_flight(self._journal.so_far, self._left))
        self._call("read back", lambda: self._read_back(workspace, run))
        self._call("record", lambda: self._record(workspace, run))
        return first_lines(lines_of(map(WriteState.of, self._writes)), self._plan.plan_id)

    def _read_back(self, workspace: Workspace, run: Run) -> str | None:
        """Reads back, lands and merges; what cannot be read back stays applied until the next `apply`."""
        written = [one for one in self._writes if one.state == APPLIED and one.key]
        keys = {one.key for one in written if one.key}
        deleted = {one.key for one in written if one.key and one.entry.action == DELETE}
        if not keys:
            return None
        try:
            answers = ReadBack(workspace, run, workspace.catalogue[self._plan.resource]).read(keys, deleted)
        except (TokenRefused, ResourceFailed) as error:
            self._stopped = self._stopped or (error if isinstance(error, TokenRefused) else None)
            self._unread = dict.fromkeys(keys, error.what)
            return str(error)
        self._unread = {key: answers.unknown.get(key, "") for key in keys - answers.found - answers.gone.keys()}
        rows, found = workspace.warehouse.rows, answers.found & keys
        shown, at = shown_values(rows, self._plan.resource, found), places(rows, self._plan.resource, found)
        labels = {field_id: label for _, field_id, label, *_ in rows(statement("push/fields"))}
        hidden = hidden_names(workspace, self._plan.resource)
        self._unplanned.compare(self._journal, shown, self._with_hidden(workspace, found), hidden, labels)
        self._writes = writes_of(self._plan, with_in_flight(self._journal.so_far, self._left))
        self._writes = [self._verified(one, shown, at) for one in self._writes]
        if self._late:
            self._journal.late(self._late)
        self._journal.compared({one.number for one in self._writes if one.key in found} - self._late)
        return None

    def _with_hidden(self, workspace: Workspace, keys: Collection[Key]) -> Shown:
        """The values of read-back records with those that `[privacy]` hides; none if it hides nothing."""
        if workspace.hiding is None:
            return {}
        resource = workspace.catalogue[self._plan.resource]
        history = workspace.hiding.whole_history(resource)
        columns, first = ", ".join(map(quoted, resource.key_columns)), quoted(resource.key_columns[0])
        query = statement("push/whole_records", key_columns=columns, first=first, history=history)
        rows = workspace.warehouse.rows(query, {"ids": sorted({key[0] for key in keys})})
        types = {one.key: one.entry.type_id for one in self._writes if one.key in keys}
        whole = ((row[:-1], row[-1].encode()) for row in rows if row[:-1] in types)
        return {key: self._answers.values_of(resource.name, body, types[key]) for key, body in whole}

    def _verified(self, write: Write, shown: Shown, at: Places) -> Write:
        if write.key in self._unread:
            step = _COMPARE if self._gives_up else "Run the same command again"
            return replace(write, message=f"propsync could not read it back ({self._unread[write.key]}). {step}")
        found = verified(write, shown, at)
        is_first = write.number not in self._journal.so_far.late  # a second read-back has waited long enough
        if found.state == APPLIED and is_first and is_as_before(write, shown):
            self._late.add(write.number)
            return replace(write, message=_LATE)
        return found

    def _record(self, workspace: Workspace, run: Run) -> None:
        hidden = hidden_names(workspace, self._plan.resource)
        record_writes(workspace.warehouse, run.run_id, self._plan, self._writes, hidden)
