"""Makes tables and history anew from landing, beside what is there, which stays until the new ones are whole."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from propsync.documents.ledger import Choice, Ledger
from propsync.errors import BaseLost, ManifestUnreadable, ResourceFailed, StateUnusable, UsageError
from propsync.landing import Base, Bases, Manifest
from propsync.log import redact
from propsync.merge import Carried, build_reference, is_compared_otherwise, read_history, rehash
from propsync.progress import progress
from propsync.publish import WAREHOUSE as PUBLISHED
from propsync.resources import RESOURCES, SYNCED
from propsync.runbooks.family import Family
from propsync.runbooks.notice import noticed
from propsync.runbooks.report import Report
from propsync.runbooks.retention import collect
from propsync.runbooks.site import WAREHOUSE, Site, workplace
from propsync.runs import Run, changed_by_runs, has_failed, mark_all, next_run, note_landed, time_of
from propsync.settings import Settings
from propsync.storage import PARTIAL, LocalStorage, remove, remove_partials, replace
from propsync.warehouse import run_checks, settle_file

_log = logging.getLogger("propsync.rebuild")


@noticed("rebuild")
def rebuild(settings: Settings, *, now: datetime | None = None) -> Report:
    """Rebuilds the state database from landing and publishes it; the API is asked nothing.

    Raises UsageError where nothing is landed, Busy, BaseLost and CheckFailed; nothing is changed then.
    """
    began = time.monotonic()
    with workplace(settings, "propsync rebuild") as work:
        fresh = work / f"rebuild.duckdb{PARTIAL}"
        try:
            base = Bases(LocalStorage(settings.home)).newest()
            source = _find_source(settings, work, base)
            with Site.offline(settings, work, fresh) as site:
                rebuilt = _Rebuild(site, base, source, now)
                run = rebuilt.run()
                counts = _counts(site)
            _install(fresh, settings.state / WAREHOUSE)
        finally:
            remove_partials(work)
        with Site.offline(settings, work, settings.state / WAREHOUSE) as site:
            site.publisher.publish(site.warehouse, run.run_id)
            collect(site)
    seconds = time.monotonic() - began
    return Report(run.run_id, rebuilt.status, seconds, counts, rebuilt.lost, str(settings.published))


@dataclass(frozen=True)
class _Source:
    """What is carried over; `is_current` when it knows the names that all landed runs were given."""

    carried: Carried
    is_current: bool


def _find_source(settings: Settings, work: Path, base: Base | None) -> _Source:
    """From the old state database; where it cannot be read from what is published, else from the base."""
    for path in (settings.state / WAREHOUSE, settings.published / PUBLISHED):
        if not path.exists():
            continue
        try:
            carried = Carried.from_database(path, memory_limit=settings.memory_limit, folder=work)
        except StateUnusable as error:
            _log.warning("%s cannot be read, so nothing is carried over from it: %s", path, error.what)
            continue
        if carried.has_runs:
            return _Source(carried, is_current=carried.has_names)
    if base is not None:
        return _Source(Carried(Bases(LocalStorage(settings.home)).paths(base)), is_current=False)
    return _Source(Carried({}), is_current=False)


@dataclass
class _Rebuild:
    """One rebuild, in a new database."""

    site: Site
    base: Base | None
    source: _Source
    now: datetime | None
    lost: list[str] = field(default_factory=list)
    """A line for each snapshot that could not be merged again."""

    @property
    def status(self) -> str:
        """As in `ops.runs`."""
        return "attention" if self.lost else "ok"

    def run(self) -> Run:
        """Carries over, replays, builds and checks."""
        site = self.site
        landed = self._landed()
        self.source.carried.write_into(site.warehouse)
        self._refuse_gaps(landed)
        run = self._begin(landed)
        build_reference(site.warehouse, run.run_id, site.settings.reference)
        if self.base is not None:
            self._read_base(self.base, run)
        self._replay(landed)
        for resource in SYNCED:
            Family(site, run, resource).build()
        note_landed(site.journal, site.warehouse, self._manifests(landed))
        self.source.carried.settle_changes(site.warehouse, run.run_id)
        if kinds := site.settings.archive_kinds:
            Ledger(site.warehouse).cover(Choice(kinds, site.settings.archive_statuses), run.run_id)
        mark_all(site.warehouse, run)
        for warning in run_checks(site.warehouse, run.run_id):
            _log.warning("%s", warning)
        site.journal.end(run, self.status, redact("; ".join(self.lost)) or None)
        site.warehouse.checkpoint()
        return run

    def _landed(self) -> dict[str, list[str]]:
        """Resources by run, of the runs that the base does not hold."""
        after = self.base.run_id if self.base else ""
        landed = {run_id: names for run_id, names in self.site.manifests.all_runs().items() if run_id > after}
        if not landed and self.base is None:
            raise UsageError("landing", "it is empty, so there is nothing to rebuild from", "Run `propsync sync`")
        return landed

    def _manifests(self, landed: dict[str, list[str]]) -> Iterator[Manifest]:
        for run_id, names in landed.items():
            for name in names:
                with suppress(ManifestUnreadable):  # told already
                    yield from filter(None, [self.site.manifests.get(name, run_id)])

    def _refuse_gaps(self, landed: dict[str, list[str]]) -> None:
        """Changes of a run whose snapshot is not there any more would be lost."""
        after = self.base.run_id if self.base else ""
        gone = [
            run_id
            for run_id, name in changed_by_runs(self.site.warehouse)
            if run_id > after and name not in landed.get(run_id, ())
        ]
        if gone:
            what = f"the snapshots of {len(set(gone))} runs are not there, the first of them {min(gone)}"
            step = (
                "Restore landing/ from a backup. To go without those runs, move state/ and published/ away, and run "
                "`propsync rebuild` again"
            )
            raise BaseLost(str(self.site.settings.landing), what, step)

    def _begin(self, landed: dict[str, list[str]]) -> Run:
        times = [time_of(run_id) for run_id in (*landed, *([self.base.run_id] if self.base else ()))]
        known = self.site.journal.last_time()
        run = next_run("rebuild", max([*times, *([known] if known else [])]), self.now)
        self.site.journal.begin(run)
        return run

    def _read_base(self, base: Base, run: Run) -> None:
        """Puts history up to the base's run in place, compared as propsync.toml says now."""
        site = self.site
        files = site.bases.paths(base)
        Carried(files).write_shapes(site.warehouse)
        for name, resource in RESOURCES.items():
            read_history(site.warehouse, name, files[f"history.{name}"])
            if is_compared_otherwise(base.forms.get(name, ()), site.shapes.decided(name)):
                rehash(site.warehouse, resource, site.shapes.get(name))
        if not self.source.is_current:
            for resource in SYNCED:
                Family(site, run, resource).build()

    def _replay(self, landed: dict[str, list[str]]) -> None:
        """Merges run after run. Names that nothing told follow from what each run found, so they are given then."""
        with progress("Merging", len(landed), "runs") as bar:
            for run_id, names in landed.items():
                for resource in SYNCED:
                    if {resource.name, resource.types} & {*names}:
                        self._replay_one(Run(run_id, time_of(run_id), "rebuild"), resource.name)
                bar.advance()

    def _replay_one(self, run: Run, name: str) -> None:
        family = Family(self.site, run, RESOURCES[name])
        try:
            family.replay(run.run_id)
        except ResourceFailed as error:
            if not has_failed(self.site.warehouse, run.run_id, name):  # else the run itself could not merge it either
                self.lost.append(f"{name.replace('_', ' ')} of run {run.run_id} could not be merged again: {error}")
            if not self.site.journal.is_merged(run.run_id, name):
                family.failed(error)
        if not self.source.is_current:
            family.build()


def _install(fresh: Path, state: Path) -> None:
    """Puts the new database in the place of the old one in one step; the old one is whole until then."""
    wal = state.with_name(f"{state.name}.wal")
    if wal.exists() and state.exists():
        settle_file(state)
    remove(wal)  # of a database that cannot be opened: the new one must not take it for its own
    replace(fresh, state)


def _counts(site: Site) -> dict[str, dict[str, int]]:
    query = "select count(*) filter (valid_to is null and change <> 'delete'), count(*) from history.{}"
    rows = {name: site.warehouse.rows(query.format(name))[0] for name in RESOURCES}
    return {name: {"records": records, "versions": versions} for name, (records, versions) in rows.items()}
