"""The looks of one run after hints: at records by their keys, at everything of some properties."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from propsync.errors import ApiUnreachable, ResourceFailed
from propsync.resources import ASSESSMENTS, SCHEDULES, Resource
from propsync.runbooks.backfill import Scope
from propsync.runbooks.hints.hinted import Hinted
from propsync.runbooks.hints.places import Place, Places, changed_keys
from propsync.runbooks.nightly import sync_all
from propsync.runbooks.run_frame import Call
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run, Verdict
from propsync.sweep import Answers, Key
from propsync.webhook.items import ASSESSMENT, PROPERTY, SCHEDULE, Subject
from propsync.webhook.rows import AFTER_FAILURE, CHANGED, MISSING, UNCHANGED, Hints

RESOURCES = {ASSESSMENT: ASSESSMENTS, SCHEDULE: SCHEDULES}


class Looks:
    """One run that looks at subjects, and settles the hints about them."""

    def __init__(self, workspace: Workspace, run: Run, hints: Hints, call: Call) -> None:
        self._workspace, self._run, self._hints, self._call = workspace, run, hints, call
        self._is_unreachable = False
        self.failures: list[str] = []
        """A line for each resource with look-ups that failed."""

    @property
    def has_failed(self) -> bool:
        """Whether a resource failed in this run."""
        return Verdict.FAILED in self._workspace.journal.verdicts(self._run.run_id).values()

    def at_records(self, subjects: Sequence[Subject]) -> None:
        """Looks up assessments and schedules."""
        for kind, resource in RESOURCES.items():
            if named := {one.key: one for one in subjects if one.type == kind}:
                self._at_records_of(self._workspace.catalogue[resource.name], named)

    def _at_records_of(self, resource: Resource, named: Mapping[Key, Subject]) -> None:
        answers = None if self._is_unreachable else self._looked_up(resource, named)
        if answers is None:
            self._hints.put_off(named.values(), self._run.time + AFTER_FAILURE)
            return
        self._hints.put_off([named[key] for key in answers.unknown], self._run.time + AFTER_FAILURE)
        if answers.failure and answers.unknown:
            self.failures.append(
                f"{resource.name}: propsync could not look up all that hints name, so "
                f"{len(answers.unknown):,} of {len(named):,} records wait: {answers.failure}"
            )
        changed, shown = changed_keys(self._workspace, self._run.run_id, resource), answers.found | {*answers.hidden}
        seen = {key: one for key, one in named.items() if key not in answers.unknown}
        self._hints.settle({one: _outcome(key, changed, shown) for key, one in seen.items()})

    def _looked_up(self, resource: Resource, named: Mapping[Key, Subject]) -> Answers | None:
        """The answers; None if the resource failed."""
        sync = Hinted(self._workspace, self._run, resource)
        came: list[Answers] = []

        def look() -> str | None:
            try:
                came.append(sync.look(named.keys()))
            except ResourceFailed as error:
                self._is_unreachable = isinstance(error, ApiUnreachable)
                return sync.failed(error)
            return None

        self._call(resource.name, look)
        return came[0] if came else None

    def at_places(self, property_ids: Sequence[str]) -> tuple[int, bool]:
        """Reads everything of as many properties as one address can name; returns how many.

        Also returns whether the API refused them, or as unknown. About several that says nothing of any one of them:
        then it settles nothing. One alone waits, unless it is unknown. If another list failed, all wait.
        """
        chunk = Scope(properties=tuple(property_ids)).chunks(self._workspace.catalogue)[0]
        ((_, asked),) = next(iter(chunk.values()))
        resources = [self._workspace.catalogue[name] for name in chunk]
        places = Places(self._workspace, resources, asked)
        syncs = [Place(self._workspace, self._run, one, filters=chunk[one.name]) for one in resources]
        sync_all(syncs, self._call)
        is_refused = any(sync.is_refused for sync in syncs)
        if len(asked) > 1 and is_refused and not self.has_failed:
            return len(asked), True
        subjects = {one: Subject(PROPERTY, (one,)) for one in asked}
        if self.has_failed:
            self._hints.put_off(subjects.values(), self._run.time + AFTER_FAILURE)
        else:
            changed, known = places.changed(self._run.run_id), places.known()
            self._hints.settle({subject: _outcome(one, changed, known) for one, subject in subjects.items()})
        return len(asked), is_refused


def _outcome(key: object, changed: Collection[object], shown: Collection[object]) -> str:
    if key in changed:
        return CHANGED
    return UNCHANGED if key in shown else MISSING
