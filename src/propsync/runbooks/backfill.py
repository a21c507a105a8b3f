"""Re-reads a part of the API and merges it, in chunks that each take the lock and free it again."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from itertools import product, zip_longest
from typing import Annotated

import msgspec

from propsync.api import RetryPolicy, why_unaskable
from propsync.errors import Busy, StopRun, UsageError
from propsync.progress import progress
from propsync.resources import Catalogue, Resource
from propsync.runbooks.nightly import sync_all
from propsync.runbooks.notice import noticed
from propsync.runbooks.report import Report, in_one_line, joined
from propsync.runbooks.resource_sync import ResourceSync
from propsync.runbooks.run_frame import Call, framed_run, plainly
from propsync.runbooks.unknown_ids import unknown_ids
from propsync.runbooks.workplace import make_home
from propsync.runbooks.workspace import Workspace, configured_catalogue
from propsync.runs import Run
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.storage.seals import sealed, unsealed
from propsync.suppression import Suppression

_ROOM = 2_000  # characters of an address for ids; the rest is for statuses and the other parameters
_STALE = timedelta(days=1)  # after which a backfill starts from its first chunk
_log = logging.getLogger("propsync.backfill")

Filters = tuple[tuple[str, tuple[str, ...]], ...]
Chunk = dict[str, Filters]
"""The part that one run re-reads: filters by resource."""


@dataclass(frozen=True)
class Scope:
    """The ids to re-read. It leaves out resources that a filter does not apply to, unless only properties are given."""

    properties: tuple[str, ...] = ()
    asset_types: tuple[str, ...] = ()
    assessment_types: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()
    assessments: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises UsageError for an empty scope, and for ids that no filter can carry."""
        ids = [one for field in fields(self) for one in getattr(self, field.name)]
        if not ids:
            raise UsageError("backfill", "no filter was given", "Say what to read again, such as --property ID")
        wrong = [(one, why) for one in ids if (why := why_unaskable(one.strip()))]
        if wrong:
            what = f"{wrong[0][0][:40]!r} cannot be an id: {wrong[0][1]}"
            raise UsageError("backfill", what, "Give ids as the API spells them")

    def filters(self, catalogue: Catalogue) -> dict[str, dict[str, tuple[str, ...]]]:
        """The API's parameters for each resource to re-read."""
        given = {kind: ids for kind, ids in self.kinds().items() if ids}
        narrow = given.keys() - {"property"}
        found = {}
        for one in catalogue.synced:
            asked = {parameter: given[kind] for kind, parameter in one.scope.items() if kind in given}
            is_named = bool(narrow & one.scope.keys()) if narrow else bool(asked)
            if is_named and not any(_is_beyond(one, kind, catalogue) for kind in narrow):
                found[one.name] = asked
        return found

    def kinds(self) -> dict[str, tuple[str, ...]]:
        """The ids by the kinds that `resources.Resource.scope` names."""
        return {
            "property": self.properties,
            "asset_type": self.asset_types,
            "assessment_type": self.assessment_types,
            "asset": self.assets,
            "assessment": self.assessments,
        }

    def chunks(self, catalogue: Catalogue) -> list[Chunk]:
        """Parts whose addresses stay short, one run each."""
        by_resource = {name: list(_chunks(one)) for name, one in self.filters(catalogue).items()}
        rows = zip_longest(*by_resource.values())
        return [{name: part for name, part in zip(by_resource, row, strict=True) if part is not None} for row in rows]


def _is_beyond(resource: Resource, kind: str, catalogue: Catalogue) -> bool:
    """Whether a related resource has a filter by this kind of id and this one has none: schedules by assessments."""
    related = [one for one in catalogue if (one.scope.keys() & resource.scope.keys()) - {"property"}]
    return kind not in resource.scope and any(kind in one.scope for one in related)


def _chunks(filters: dict[str, tuple[str, ...]]) -> Iterator[Filters]:
    given = {name: ids for name, ids in filters.items() if ids}
    cut = [list(_cut(ids, _ROOM // len(given))) for ids in given.values()]
    for pieces in product(*cut):
        yield tuple(zip(given, pieces, strict=True))


def _cut(ids: Sequence[str], room: int) -> Iterator[tuple[str, ...]]:
    chunk: list[str] = []
    used = 0
    for one in dict.fromkeys(ids):
        size = 3 * len(one.encode()) - 2 * sum(map(str.isalnum, one)) + 1  # others take three characters each
        if chunk and used + size > room:
            yield tuple(chunk)
            chunk, used = [], 0
        chunk.append(one)
        used += size
    yield tuple(chunk)


@noticed("backfill")
def backfill(settings: Settings, scope: Scope, *, call: Call = plainly, policy: RetryPolicy | None = None) -> Report:
    """Re-reads the scope and publishes after each chunk; it resumes an interrupted backfill.

    It never concludes that a record outside the scope is gone. Raises UsageError (exit 2), and StopRun (exit 1) or Busy
    (exit 4) if no chunk is published yet; afterwards the report says what ended it.
    """
    scope.check()
    make_home(settings)
    _refuse_erased(settings, scope)
    catalogue = configured_catalogue(settings)
    chunks = scope.chunks(catalogue)
    reached = _Reached(settings, chunks)
    done, reports = reached.found()
    if done:
        _log.info("resuming after chunk %d of %d, where an earlier backfill stopped", done, len(chunks))
    with progress("Backfilling", len(chunks), "chunks") as bar:
        bar.advance(done)
        for number, chunk in enumerate(chunks[done:], done + 1):
            _log.info("chunk %d of %d", number, len(chunks))
            try:
                reports += _run(settings, chunk, call, policy)
            except (StopRun, Busy) as error:
                if not reports:
                    raise
                return _stopped(reports, number, len(chunks), in_one_line(error))
            if reports[-1].status == "failed":
                return _stopped(reports, number, len(chunks))
            if number < len(chunks):
                reached.note(number, joined(reports))
            bar.advance()
    report = joined([*reports, *reached.clear(reports[-1])])
    # a part that was not read says nothing of an id
    note = unknown_ids(settings, scope.kinds()) if report.status == "ok" else None
    if note is None:
        return report
    _log.warning(note)
    return replace(report, notes=[*report.notes, note])


def _stopped(reports: Sequence[Report], number: int, of: int, why: str | None = None) -> Report:
    """The report of a backfill that a chunk ended, counted from 1: what chunks before it published counts."""
    report = joined(reports)
    if report.status == "failed":
        return report
    line = f"nothing is read from chunk {number} of {of} on. The same command continues there"
    lines = [*report.left_behind, *([why] if why else []), line]
    return replace(report, status="attention", left_behind=lines)


def _run(settings: Settings, chunk: Chunk, call: Call, policy: RetryPolicy | None) -> list[Report]:
    """Runs one chunk. "Not found" for several ids is no evidence about any one of them: then it makes two chunks."""
    syncs: list[ResourceSync] = []

    def work(workspace: Workspace, run: Run) -> None:
        chosen = [one for one in workspace.catalogue.synced if one.name in chunk]
        syncs.extend(ResourceSync(workspace, run, one, filters=chunk[one.name]) for one in chosen)
        sync_all(syncs, call)

    report = framed_run(settings, "backfill", lambda _: work, call=call, policy=policy)
    halves = _halves(chunk) if any(sync.is_not_found for sync in syncs) else []
    return [report for half in halves for report in _run(settings, half, call, policy)] or [report]


def _halves(chunk: Chunk) -> list[Chunk]:
    """Two chunks with the same ids together; none if each filter has one value only."""
    first: Chunk = {}
    second: Chunk = {}
    for name, filters in chunk.items():
        longest = max(range(len(filters)), key=lambda place: len(filters[place][1]))
        parameter, ids = filters[longest]
        middle = (len(ids) + 1) // 2
        first[name] = (*filters[:longest], (parameter, ids[:middle]), *filters[longest + 1 :])
        if len(ids) > 1:
            second[name] = (*filters[:longest], (parameter, ids[middle:]), *filters[longest + 1 :])
    return [first, second] if second else []


def _refuse_erased(settings: Settings, scope: Scope) -> None:
    """Raises UsageError for an erased record: landing would name it again, in the request."""
    suppression = Suppression.of(LocalStorage(settings.home))
    if any(suppression.erases_record(one.strip()) for one in (*scope.assets, *scope.assessments)):
        step = "Leave it out, or let it come back with `propsync erase --forget` and its id"
        raise UsageError("backfill", "a record that it names was erased", step)


class _Note(msgspec.Struct):
    """The chunks that are done, and their report: a resumed backfill reports what they left behind too."""

    done: int
    at: Annotated[datetime, msgspec.Meta(tz=True)]
    report: Report


class _Reached:
    """How many of these chunks are done, on disk until all are.

    A further list or another status in the settings makes other chunks of the same scope, of which none is done.
    """

    def __init__(self, settings: Settings, chunks: Sequence[Chunk]) -> None:
        encoded = msgspec.json.encode((chunks, settings.assessment_statuses, settings.schedule_statuses))
        self._storage = LocalStorage(settings.home)
        self._key = f"state/backfill/{hashlib.sha256(encoded).hexdigest()[:16]}.json"
        self._most = len(chunks) - 1

    def found(self) -> tuple[int, list[Report]]:
        """The number of finished chunks, and their report.

        There are none if the last one is so old that its records may have changed since.
        """
        try:
            note = msgspec.json.decode(unsealed(self._storage.get(self._key)), type=_Note)
        except (OSError, ValueError, RecursionError):  # msgspec's errors are ValueErrors, and SealBroken is too
            return 0, []
        is_recent = timedelta(0) <= datetime.now(UTC) - note.at <= _STALE  # less than nothing: a clock was ahead
        return (note.done, [note.report]) if is_recent and 0 < note.done <= self._most else (0, [])

    def note(self, done: int, report: Report) -> None:
        """Keeps how many are done. A disk that refuses it must not hide that these are published."""
        try:
            self._storage.put(self._key, sealed(msgspec.json.encode(_Note(done, datetime.now(UTC), report))))
        except StopRun as error:
            _log.warning("%s. If this backfill stops, the same command reads finished chunks again", error)

    def clear(self, last: Report) -> list[Report]:
        """All are done. Returns a further report if the note stays: the same command would then skip chunks."""
        try:
            self._storage.delete(self._key)
        except StopRun as error:
            line = f"{error.where}: {error.what}. Remove this file before you run the same backfill again"
            return [replace(last, status="attention", seconds=0, resources={}, left_behind=[line], notes=[])]
        return []
