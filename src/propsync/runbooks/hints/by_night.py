"""A nightly run and the hints: what it has read completely, no hint need show any more."""

from __future__ import annotations

from propsync.resources import ASSESSMENTS, SCHEDULES
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run
from propsync.webhook.items import ASSESSMENT, PROPERTY, SCHEDULE
from propsync.webhook.next_look import NextLook
from propsync.webhook.rows import Hints


def settle_by_night(workspace: Workspace, run: Run) -> None:
    """Settles hints about resources that the run has read completely, and forgets old ones."""
    verdicts = workspace.journal.verdicts(run.run_id)
    complete = {name for name, verdict in verdicts.items() if verdict.is_complete}
    needed = {ASSESSMENT: {ASSESSMENTS.name}, SCHEDULE: {SCHEDULES.name}}
    needed[PROPERTY] = {one.name for one in workspace.catalogue.synced if "property" in one.scope}
    hints = Hints(workspace.warehouse, run.time, run.run_id)
    hints.leave_to_night([kind for kind, names in needed.items() if names <= complete])
    hints.forget(workspace.settings.landing_keep_days)
    NextLook(workspace.storage).note(hints.next_look())
