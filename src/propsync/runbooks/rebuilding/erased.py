"""Erasures in a rebuild: nothing that was erased comes back, and what is left of it stays."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex

from propsync.erasing.files import OtherFiles
from propsync.erasing.landed import ErasedLanding
from propsync.errors import BaseLost
from propsync.merge import Carried, ErasedRows, Witness, keep_erased, same_versions
from propsync.runbooks.archiving.lock import without_partials
from propsync.runbooks.erasure.lost import erasures_in, find_lost, refuse, refuse_revived
from propsync.runbooks.push.abandoned import forget_last_apply, remove_erased_journals
from propsync.runbooks.rebuilding.losses import read_witnesses
from propsync.runbooks.workplace import blobs_of
from propsync.runbooks.workspace import Workspace
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import BEGUN, Erasure, Erasures, Suppression
from propsync.warehouse import Warehouse, statement

_log = logging.getLogger("propsync.rebuild")


@dataclass(frozen=True)
class ErasedSince:
    """The erasures of a home, and the databases that are older than any of them."""

    erasures: tuple[Erasure, ...]
    suppression: Suppression
    outdated: frozenset[str]

    @classmethod
    def of(cls, settings: Settings, work: Path, databases: Mapping[str, Path]) -> ErasedSince:
        """Raises StateUnusable if files of erasures are damaged or lost, or from before their end."""
        named = {name: erasures_in(settings, work, path) for name, path in databases.items()}
        refuse(find_lost(settings, named.values()))
        refuse_revived(settings, named.values())
        storage = LocalStorage(settings.home)
        erasures = Erasures(storage).all()
        outdated = {name for name, database in named.items() if database.lacks(erasures)}
        return cls(tuple(erasures), Suppression.of(storage), frozenset(outdated))

    def current(self, databases: Mapping[str, Path]) -> dict[str, Path]:
        """The databases that can show what a rebuild would lose: not those that have what was erased since."""
        return {name: path for name, path in databases.items() if name not in self.outdated}

    def clean(self, settings: Settings, work: Path) -> None:
        """Takes what was erased out of files that came back with a backup, or from before another machine erased."""
        if not self.suppression:
            return
        storage = LocalStorage(settings.home)
        landing = ErasedLanding(storage, self.suppression)
        if landing.rewrite_restored():
            _log.warning("landing was older than an erasure; propsync took what was erased out of it again")
        landing.rewrite_base(work, ErasedRows(self.suppression), f"{self.erasures[-1].erasure_id}-{token_hex(4)}")
        OtherFiles(storage, self.suppression).remove_restored()
        remove_erased_journals(settings, self.suppression)
        forget_last_apply(settings)
        with without_partials(settings, "propsync rebuild") as is_clear:
            _log.debug("unfinished documents of killed runs are gone: %s", is_clear)

    def remove_documents(self, settings: Settings, warehouse: Warehouse) -> None:
        """Removes files of erased documents that came back with a backup."""
        erased = {sha256 for one in self.suppression.erasures for sha256 in one.documents}
        if erased:
            named = {path for (path,) in warehouse.rows(statement("documents/paths"))}
            with closing(blobs_of(settings)) as blobs:
                blobs.remove_by_hash(erased, but=named)

    def rewrite(self, carried: Carried) -> None:
        """Takes what was erased out of the rows to carry over."""
        if self.suppression:
            carried.erase(ErasedRows(self.suppression).rewrite)

    def settle(self, workspace: Workspace, databases: Mapping[str, Path]) -> None:
        """Adds what is left of the erasures to the new history. The first rebuild after an erasure finds it."""
        found = [self._with_same(workspace, one, databases) if one.state == BEGUN else one for one in self.erasures]
        if found:
            keep_erased(workspace.warehouse, found, hides=workspace.hiding is not None)

    def _with_same(self, workspace: Workspace, erasure: Erasure, databases: Mapping[str, Path]) -> Erasure:
        """Compares the new history with the present state. Raises BaseLost if it lacks anything else."""
        if "state" not in self.outdated:
            return erasure
        of_state = {"state": databases["state"]}
        witnesses: list[Witness] = read_witnesses(workspace.settings, workspace.work, of_state, workspace.catalogue)
        for witness in witnesses:
            same, others = same_versions(witness, workspace.warehouse, self.suppression)
            if others:
                what = f"propsync cannot make {others:,} versions from it again that the tables have"
                raise BaseLost(str(workspace.settings.landing), what, "Restore landing from a backup, then run again")
            erasure = replace(erasure, same=tuple(same))
            Erasures(workspace.storage).put(erasure)
        return erasure
