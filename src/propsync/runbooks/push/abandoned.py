"""Records what an apply wrote before it was killed, if nobody has applied its plan again yet."""

from __future__ import annotations

import logging
from collections.abc import Collection
from contextlib import suppress

from propsync.errors import Busy, StateUnusable
from propsync.push.journals.erased import names_erased
from propsync.push.journals.journal import journal_key, journals, read_journal
from propsync.push.journals.records import record_writes, shown_writes, writes_of
from propsync.push.outcome import PARKED
from propsync.push.sending.in_flight import with_in_flight
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run, RunLock
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import Suppression
from propsync.warehouse import statement

PUSH_LOCK = "push.lock"
_log = logging.getLogger("propsync.push")


def record_abandoned(workspace: Workspace, run: Run) -> None:
    """Puts writes into `ops.writes` that only a journal has, as applied; an apply at work records its own."""
    if RunLock(workspace.settings.state / PUSH_LOCK).is_held():
        return
    remove_erased_journals(workspace.settings, Suppression.of(workspace.storage))
    for plan_id in journals(workspace.storage):
        try:
            found = read_journal(workspace.storage, plan_id)
        except StateUnusable as error:
            _log.error("%s", error)
            continue
        hidden = hidden_names(workspace, found.plan.resource) if found else ()
        writes = shown_writes(writes_of(found.plan, with_in_flight(found)), hidden) if found else []
        ((known, parked),) = workspace.warehouse.rows(statement("push/count_writes"), {"plan_id": plan_id})
        is_settled = sum(one.state == PARKED for one in writes) < parked and len(writes) == known
        if found and (len(writes) > known or is_settled):
            _log.warning("plan %s is unfinished: propsync records what it wrote; apply it again", plan_id)
            record_writes(workspace.warehouse, run.run_id, found.plan, writes, hidden)


def hidden_names(workspace: Workspace, resource: str) -> Collection[str]:
    """The hidden fields and types that `ops.writes` leaves out."""
    return workspace.hiding.hidden_names(resource) if workspace.hiding else ()


def forget_last_apply(settings: Settings) -> None:
    """Takes the note of the last apply out of its lock: its error may name what has to go. One at work has none yet."""
    lock = settings.state / PUSH_LOCK
    if lock.exists():
        with suppress(Busy), RunLock(lock).held("propsync erase", 0, is_erasing=True):
            _log.debug("the note of the last apply is gone")


def remove_erased_journals(settings: Settings, suppression: Suppression) -> None:
    """Removes journals that name what was erased: they came back with a backup, or another machine erased it."""
    if not suppression or RunLock(settings.state / PUSH_LOCK).is_held():
        return
    storage = LocalStorage(settings.home)
    for plan_id in journals(storage):
        try:
            found = read_journal(storage, plan_id)
        except StateUnusable:  # record_abandoned tells of it
            continue
        if found and names_erased(found.plan, suppression):
            _log.warning("the journal of plan %s names what was erased; propsync removed it", plan_id)
            storage.delete(journal_key(plan_id))
