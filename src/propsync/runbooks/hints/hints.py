"""Reads what hints name and publishes it, in runs of flow `hints`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from functools import partial

from propsync.api import RetryPolicy
from propsync.publish import WAREHOUSE
from propsync.runbooks.hints.looks import Looks
from propsync.runbooks.notice import noticed
from propsync.runbooks.rebuilding.catching_up import caught_up
from propsync.runbooks.report import Report, joined
from propsync.runbooks.run_frame import Call, framed_run, plainly
from propsync.runbooks.workplace import make_home
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.webhook.due import why_none_is_due
from propsync.webhook.items import ASSESSMENT, PROPERTY, SCHEDULE, Subject
from propsync.webhook.next_look import NextLook, Spent
from propsync.webhook.rows import Hints

_log = logging.getLogger("propsync.hints")

_REQUESTS = {PROPERTY: 12, ASSESSMENT: 4, SCHEDULE: 2}
"""About as many as a look takes if it names one of these alone; propsync plans a day's budget with it.

A look at many takes far fewer each, so propsync plans again after each run, with what is left.
"""
_LEAST_LEFT = 10
"""A part of the day's budget: with less left than this part, another run would look at few, and publish for them."""
_COUNTS = ("fetched", "inserted", "updated", "deleted", "rejected")
_MOST_SUBJECTS = 10_000
"""Of those that are due, as many as one run takes into its memory."""
_MOST_PLACES = 1_000
_MOST_REFUSED = 3
"""Properties refused one after the other until propsync believes that the API refuses all; then the others wait too."""


@noticed("hints", is_frequent=True)
def read_hints(
    settings: Settings, *, call: Call = plainly, policy: RetryPolicy | None = None, now: datetime | None = None
) -> Report:
    """Reads the records that are due and publishes; without any, it does nothing and takes no lock.

    `now` replaces the clock. Raises StopRun (exit 1), SettingsError (exit 2) and Busy (exit 4). Hints that it could not
    read still wait.
    """
    settings.require_api()
    make_home(settings)
    if why := _why_not(settings, now or datetime.now(UTC)):
        return Report("", "ok", 0.0, {}, notes=[why])
    reports: list[Report] = []
    course = _Course(call, NextLook(LocalStorage(settings.home)))
    run = partial(framed_run, settings, "hints", call=call, policy=policy, now=now, then=course.note_next)
    while not course.is_over:
        reports.append(caught_up(settings, partial(run, lambda _: course.work)))
    report = joined(reports)
    _log_outcome(report, course.seen, course.postponed + course.rest)
    return report


def _log_outcome(report: Report, seen: int, postponed: int) -> None:
    """Logs one line about a read."""
    total = {name: sum(counts[name] for counts in report.resources.values()) for name in _COUNTS}
    changed = total["inserted"] + total["updated"] + total["deleted"]
    _log.info(
        "run %s, flow hints, %s: looked at %d, put off %d; records: %d read, %d changed, %d rejected; %.1f s",
        *(report.run_id, report.status, seen, postponed, total["fetched"], changed, total["rejected"], report.seconds),
    )


def next_look(settings: Settings) -> datetime | None:
    """When a look at a waiting hint is due; None if no hint waits."""
    return NextLook(LocalStorage(settings.home)).at(datetime.now(UTC), settings.webhook_requests)


def _why_not(settings: Settings, now: datetime) -> str | None:
    """The reason why nothing is to be done now; None if there is something."""
    if not (settings.published / WAREHOUSE).is_file():
        return "nothing is published yet, so hints wait. Run `propsync sync` first"
    return why_none_is_due(LocalStorage(settings.home), now, settings.webhook_requests)


class _Course:
    """The runs of one call: the first look at records, the others at properties, as many as an address can name.

    `seen` counts the looks of all runs, `postponed` those that wait because the API failed, and `rest` those that
    the day's budget does not allow.
    """

    def __init__(self, call: Call, following: NextLook) -> None:
        self._call, self._following = call, following
        self._most_places = _MOST_PLACES
        self._refused = 0
        self.is_over = False
        self.seen = self.postponed = self.rest = 0
        self._next_look: datetime | None = None
        self._spent: Spent | None = None

    def work(self, workspace: Workspace, run: Run) -> list[str]:
        """The work of one run."""
        hints = Hints(workspace.warehouse, run.time, run.run_id)
        subjects, self.rest, has_more = _affordable(workspace, hints, run)
        looks = Looks(workspace, run, hints, self._call)
        records = [one for one in subjects if one.type != PROPERTY]
        places: Sequence[str] = [one.key[0] for one in subjects if one.type == PROPERTY]
        if records:
            looks.at_records(records)
        elif places:
            places = self._look_at_places(looks, places)
        is_left = bool(places) or has_more or (self.rest > 0 and _affords_more(workspace, hints, run))
        self.is_over = not is_left or (looks.has_failed and not 0 < self._refused < _MOST_REFUSED)
        self.seen += len(hints.seen)
        self.postponed += len(hints.postponed)
        self._next_look = hints.next_look()
        if not (self.rest and self.is_over):
            return looks.failures
        self._spent = _spent(workspace.settings, run)
        return [*looks.failures, _budget_in_words(workspace, hints, run, self.rest)]

    def note_next(self) -> None:
        """Notes when the next look is due. Not before: a run that dies before it has published must come again.

        And not later: without the lock, it could replace the earlier time of a run that has begun meanwhile.
        """
        self._following.note(self._next_look, self._spent)

    def _look_at_places(self, looks: Looks, places: Sequence[str]) -> Sequence[str]:
        """Looks at some; returns those that are left. If the API refuses several at once, fewer come next."""
        count, is_refused = looks.at_places(places[: self._most_places])
        if is_refused and count > 1:
            self._most_places = count // 2
            return places
        self._most_places = min(2 * count, _MOST_PLACES)  # the one that was refused is out of the way
        self._refused = self._refused + 1 if is_refused and looks.has_failed else 0
        return places[count:]


def _affordable(workspace: Workspace, hints: Hints, run: Run) -> tuple[list[Subject], int, bool]:
    """Subjects that are due and that the day's budget allows; how many it does not allow; whether it allows more."""
    left = workspace.settings.webhook_requests - _used(workspace, hints, run)
    (due, number_due), chosen = hints.due(_MOST_SUBJECTS), list[Subject]()
    for one in due:
        left -= _REQUESTS[one.type]
        if left < 0:
            return chosen, number_due - len(chosen), False
        chosen.append(one)
    return chosen, 0, len(due) < number_due


def _affords_more(workspace: Workspace, hints: Hints, run: Run) -> bool:
    """Whether the looks of this run left so much of the day's budget that another run is worth it."""
    chosen, rest, _ = _affordable(workspace, hints, run)
    most = workspace.settings.webhook_requests
    return bool(chosen) and (not rest or most - _used(workspace, hints, run) >= most / _LEAST_LEFT)


def _used(workspace: Workspace, hints: Hints, run: Run) -> int:
    """The requests that hints have cost today."""
    return hints.requests_since(_midnight(workspace.settings, run.time) - timedelta(days=1))


def _spent(settings: Settings, run: Run) -> Spent:
    return Spent(_midnight(settings, run.time).astimezone(UTC), settings.webhook_requests)


def _budget_in_words(workspace: Workspace, hints: Hints, run: Run, rest: int) -> str:
    used, most = _used(workspace, hints, run), workspace.settings.webhook_requests
    words = f"hints have used {used:,} of {most:,} requests today (PROPSYNC_WEBHOOK_REQUESTS)"
    dearest = max(_REQUESTS.values())
    if most < dearest:
        return f"{words}: {rest:,} must wait for the night. Set at least {dearest}, which a look at a property takes"
    return f"{words}: {rest:,} must wait for tomorrow"


def _midnight(settings: Settings, now: datetime) -> datetime:
    """The end of the day in PROPSYNC_TIME_ZONE."""
    tomorrow = now.astimezone(settings.zone).date() + timedelta(days=1)
    return datetime.combine(tomorrow, time(), settings.zone)
