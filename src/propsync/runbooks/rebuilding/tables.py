"""Makes tables and history in an empty database: carries over, replays every run, builds and checks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from propsync.documents.blobs import Blobs
from propsync.documents.verification import Verification
from propsync.errors import ResourceFailed, UsageError
from propsync.landing import Base, Manifest
from propsync.log import redact
from propsync.merge import (
    Carried,
    Witness,
    build_reference,
    finish_reference,
    is_compared_otherwise,
    lists_left_behind,
    read_history,
    rehash,
)
from propsync.merge.hiding import HiddenField
from propsync.progress import progress
from propsync.resources import Resource
from propsync.runbooks.check import check_marts, refuse_broken
from propsync.runbooks.dashboard import draw_dashboard
from propsync.runbooks.desk import build_desk
from propsync.runbooks.hiding import learn_from
from propsync.runbooks.known_api import rebuilt_of_other_api
from propsync.runbooks.landed_apis import take_landed_apis
from propsync.runbooks.last_time import last_time
from propsync.runbooks.rebuilding.losses import Loss, Losses, refuse
from propsync.runbooks.rebuilding.sources import Source
from propsync.runbooks.resource_sync import ResourceSync
from propsync.runbooks.workspace import WAREHOUSE, Workspace
from propsync.runs import Run, has_failed, mark_all, next_run, note_landed, time_of
from propsync.storage import PARTIAL, remove
from propsync.warehouse import Warehouse, resource_fragments, run_checks, statement, write_rows

_log = logging.getLogger("propsync.rebuild")
_NO_WITNESS = (
    "Neither the state database nor the published file could be read, so nothing shows whether landing still has "
    "everything that they had"
)

_FORGOTTEN = (
    "documents: the rows of those in archive/ are lost, because only the state and the published file had them. "
    "Restore published/ from a backup and rebuild again; until then, do not run `propsync archive verify "
    "--remove-orphans`"
)

_RESTORE_LANDING = (
    "Restore it from a backup, then run this again. Without a backup, run `propsync sync` with a new folder as "
    "PROPSYNC_HOME: history begins again there"
)


@dataclass
class RebuiltTables:
    """The tables and the history of one rebuild, in a new database."""

    workspace: Workspace
    base: Base | None
    source: Source
    witnesses: list[Witness]
    accepted: frozenset[str]
    now: datetime | None
    failed: dict[tuple[str, str], str] = field(default_factory=dict)
    """Why propsync could not merge a run's snapshot again, by run and resource."""
    losses: list[Loss] = field(default_factory=list)
    """The accepted losses."""

    lists: list[str] = field(default_factory=list)
    """A line for each of people's own lists with a mistake, and for each mart or part of the dashboard that failed.

    One more if the setting names another API.
    """
    pages: dict[str, bytes] = field(default_factory=dict)
    """The dashboard, to publish."""
    hidden_fields: frozenset[HiddenField] = frozenset()
    """Fields and types that a later run found to be hidden: they are hidden from the first run on."""
    has_learnt: bool = False
    """Whether landing showed more of these after the run log was carried over."""
    flow: str = "rebuild"
    settle: Callable[[Workspace], None] = lambda _: None
    """Adds what is left of erased versions."""

    @property
    def left_behind(self) -> list[str]:
        """A line for each loss, and for each snapshot passed over without one."""
        lost = {loss.run_id for loss in self.losses}
        passed = [
            f"{name.replace('_', ' ')} of run {run_id} could not be merged again: {why}"
            for (run_id, name), why in self.failed.items()
            if run_id not in lost
        ]
        return [f"lost, as accepted: {loss}" for loss in self.losses] + passed + self.lists

    @property
    def notes(self) -> list[str]:
        """Notes for people, although nothing went wrong."""
        idle = sorted(self.accepted - {loss.run_id for loss in self.losses})
        lines = [] if self.witnesses or self.flow != "rebuild" else [_NO_WITNESS]
        lines += self.source.unnamed
        return lines + ([f"Nothing of run {', '.join(idle)} is lost: there was nothing to accept"] if idle else [])

    @property
    def status(self) -> str:
        """As in `ops.runs`."""
        return "attention" if self.left_behind else "ok"

    def run(self) -> Run:
        """Carries over, replays, builds and checks."""
        workspace, landed = self.workspace, self._landed()
        self._hide_known()
        self.source.carried.write_into(workspace.warehouse, workspace.hiding)
        take_landed_apis(workspace, landed)
        run = self._begin(landed)
        self._merge(landed, run)
        self._build(landed, run)
        self._present(run)
        workspace.journal.end(run, self.status, redact("; ".join(self.left_behind)) or None)
        workspace.warehouse.checkpoint()
        return run

    def _hide_known(self) -> None:
        """Hides what earlier runs, the base and a first try of this rebuild know of `[privacy]`."""
        workspace, hiding = self.workspace, self.workspace.hiding
        if hiding is None:
            return
        hiding.add_fields(self.hidden_fields | self.source.carried.hidden_before(workspace.warehouse, hiding))
        if self.base is not None:
            files = workspace.bases.paths(self.base)
            Carried(files).write_shapes(workspace.warehouse)
            whole = {name.removeprefix("history."): path for name, path in files.items()}
            learn_from(workspace, hiding, whole)

    def _merge(self, landed: dict[str, list[str]], run: Run) -> None:
        """Makes the history."""
        workspace, hiding = self.workspace, self.workspace.hiding
        build_reference(workspace.warehouse, run.run_id, workspace.settings.reference)
        if self.base is not None:
            self._read_base(self.base, run)
        hidden_before = hiding.known_fields if hiding else frozenset()
        self._replay(landed)
        self.has_learnt = hiding is not None and hiding.known_fields != hidden_before
        self.settle(workspace)
        self._settle_losses()

    def _build(self, landed: dict[str, list[str]], run: Run) -> None:
        """Makes the tables of the last versions, and adds what only older databases have."""
        workspace, carried = self.workspace, self.source.carried
        for resource in workspace.catalogue.families:
            ResourceSync(workspace, run, resource).build()
        finish_reference(workspace.warehouse, run.run_id, workspace.settings.reference)
        self.lists = lists_left_behind(workspace.warehouse, run.run_id) + self._forgotten_documents()
        note_landed(workspace.journal, workspace.warehouse, self._manifests(landed))
        carried.write_late(workspace.warehouse, workspace.hiding)
        carried.settle_changes(workspace.warehouse, run.run_id, workspace.hiding)
        mark_all(workspace.warehouse, run)
        workspace.warehouse.empty_staging()

    def _present(self, run: Run) -> None:
        """Builds marts, runs the checks and draws the dashboard."""
        workspace = self.workspace
        self.lists += build_desk(workspace, run.run_id)
        findings = run_checks(workspace.warehouse, run.run_id, folder=workspace.settings.checks_folder)
        self.lists += rebuilt_of_other_api(workspace)
        self.lists += [*refuse_broken(workspace, findings), *findings.unusable]
        self.lists += check_marts(workspace, run).lines
        for warning in findings.warnings:
            _log.warning("%s", warning)
        self.pages, lines = draw_dashboard(workspace, run.run_id)
        self.lists += lines

    def _forgotten_documents(self) -> list[str]:
        """A line if documents are kept that no row names: landing never had their rows."""
        blobs = () if self.source.is_database else Blobs(self.workspace.storage).all()
        return [_FORGOTTEN] if Verification(self.workspace.warehouse).unnamed(blobs) else []

    def _landed(self) -> dict[str, list[str]]:
        """Resources by run, of the runs that the base does not hold."""
        after = self.base.run_id if self.base else ""
        landed = {run_id: names for run_id, names in self.workspace.manifests.all_runs().items() if run_id > after}
        if not landed and self.base is None:
            state = self.workspace.settings.state / WAREHOUSE
            step = "Run `propsync sync`"
            if self.source.is_published:  # a sync asks for a rebuild then
                step = _RESTORE_LANDING
            elif not self.source.is_database and state.exists():  # here too
                step = f"Move {state} out of the way, then run `propsync sync`"
            raise UsageError("landing", "it is empty, so there is nothing to rebuild from", step)
        return landed

    def _manifests(self, landed: dict[str, list[str]]) -> Iterator[Manifest]:
        for run_id, names in landed.items():
            for name in names:
                if (manifest := self.workspace.manifests.sound(name, run_id)) is not None:
                    yield manifest

    @property
    def _builds_each_run(self) -> bool:
        """Whether names and columns must be found again, run by run."""
        return not self.source.is_current or self.source.carried.hides_other(self.workspace.hiding)

    def _settle_losses(self) -> None:
        losses = Losses(self.workspace, self.base, self.failed).find(self.witnesses)
        refuse([loss for loss in losses if loss.run_id not in self.accepted], self.workspace.settings.landing)
        self.losses = losses

    def _begin(self, landed: dict[str, list[str]]) -> Run:
        kept = [*landed, *([self.base.run_id] if self.base else ())]
        run = next_run(self.flow, last_time(self.workspace, self.now, kept), self.now)
        self.workspace.journal.begin(run)
        return run

    def _read_base(self, base: Base, run: Run) -> None:
        """Puts history up to the base's run in place, compared by the present propsync.toml."""
        workspace = self.workspace
        files = workspace.bases.paths(base)
        if workspace.hiding is None:  # else the shapes are there already
            Carried(files).write_shapes(workspace.warehouse)
        for resource in (one for one in workspace.catalogue if f"history.{one.name}" in files):
            name = resource.name
            is_otherwise = is_compared_otherwise(base.forms.get(name, ()), workspace.shapes.decided(name))
            if workspace.hiding is not None:
                whole = self._compared(resource, files[f"history.{name}"]) if is_otherwise else files[f"history.{name}"]
                read_history(workspace.warehouse, name, whole, workspace.hiding, workspace.shapes.get(name))
                continue
            read_history(workspace.warehouse, name, files[f"history.{name}"])
            if is_otherwise:
                rehash(workspace.warehouse, resource, workspace.shapes.get(name))
        if self._builds_each_run:
            for resource in workspace.catalogue.families:
                ResourceSync(workspace, run, resource).build()

    def _compared(self, resource: Resource, file: Path) -> Path:
        """The same history compared by the present propsync.toml, made in a database that nobody publishes."""
        work, settings = self.workspace.work, self.workspace.settings
        again = work / f"again.{resource.name}.parquet{PARTIAL}"
        scratch = work / f"again.duckdb{PARTIAL}"
        remove(scratch)
        with Warehouse(
            scratch, memory_limit=settings.memory_limit, folder=work, catalogue=self.workspace.catalogue
        ) as warehouse:
            read_history(warehouse, resource.name, file)
            rehash(warehouse, resource, self.workspace.shapes.get(resource.name))
            history = resource_fragments(resource)["history"]
            write_rows(warehouse, statement("merge/hidden/all_of_history", history=history), again)
        return again

    def _replay(self, landed: dict[str, list[str]]) -> None:
        """Merges run after run. Names that no history has follow from each run's finds, so each run gives its own."""
        with progress("Merging", len(landed), "runs") as bar:
            for run_id, names in landed.items():
                for resource in self.workspace.catalogue.families:
                    if {resource.name, resource.types} & {*names}:
                        self._replay_one(Run(run_id, time_of(run_id), "rebuild"), resource.name)
                bar.advance()

    def _replay_one(self, run: Run, name: str) -> None:
        sync = ResourceSync(self.workspace, run, self.workspace.catalogue[name])
        try:
            sync.replay(run.run_id)
        except ResourceFailed as error:
            if not has_failed(
                self.workspace.warehouse, run.run_id, name
            ):  # else the run itself could not merge it either
                self.failed[run.run_id, name] = f"{error.where}: {error.what}"
            if not self.workspace.journal.is_merged(run.run_id, name):
                sync.failed(error)
        if self._builds_each_run:
            sync.build()
