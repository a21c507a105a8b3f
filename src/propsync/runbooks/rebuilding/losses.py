"""The losses of a rebuild: versions that the state database or the published file has, and the new tables lack."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from propsync.errors import BaseLost, StateUnusable, UsageError
from propsync.landing import Base
from propsync.merge import Witness, form_of, is_compared_otherwise
from propsync.resources import Catalogue
from propsync.runbooks.workspace import Workspace
from propsync.runs import is_run_id
from propsync.settings import Settings

_log = logging.getLogger("propsync.rebuild")
_MOST_NAMED = 8


@dataclass(frozen=True)
class Loss:
    """Versions of a resource that one run opened, and why the new tables lack them."""

    run_id: str
    resource: str
    versions: int
    why: str

    def __str__(self) -> str:
        versions = "1 version" if self.versions == 1 else f"{self.versions:,} versions"
        return f"{versions} of {self.resource.replace('_', ' ')} of run {self.run_id} ({self.why})"


def read_witnesses(
    settings: Settings, work: Path, databases: Mapping[str, Path], catalogue: Catalogue
) -> list[Witness]:
    """The history of each database; an unreadable one has none, and propsync logs that."""
    found = []
    for name, path in databases.items():
        if not path.exists():
            continue
        try:
            witness = Witness.of(path, catalogue, name=name, memory_limit=settings.memory_limit, folder=work)
        except StateUnusable as error:
            _log.warning("%s cannot be read, so the new tables are not compared with it: %s", path, error.what)
            continue
        found += [witness] if witness.knows_anything else []
    return found


def check_run_ids(accepted: Collection[str]) -> None:
    """Raises UsageError for a text that is no run id."""
    for one in accepted:
        if not is_run_id(one):
            raise UsageError("--accept-loss", f"{one!r} is not a run", "Take the run from what `propsync rebuild` says")


class Losses:
    """The versions that the new tables of `site` lack, given the reasons for failed merges, by run and resource."""

    def __init__(self, workspace: Workspace, base: Base | None, failed: Mapping[tuple[str, str], str]) -> None:
        self._workspace, self._base, self._failed = workspace, base, failed

    def find(self, witnesses: Sequence[Witness]) -> list[Loss]:
        """All losses, oldest run first. A version that vanished because propsync.toml compares differently is none."""
        found: list[Loss] = []
        for name in self._workspace.catalogue.names:
            counts: dict[str, int] = {}
            for witness in witnesses:
                for run_id, versions in witness.lost(self._workspace.warehouse, name).items():
                    counts[run_id] = max(versions, counts.get(run_id, 0))
            found += self._explained(name, counts)
        return sorted(found, key=lambda loss: (loss.run_id, loss.resource))

    def _explained(self, name: str, counts: Mapping[str, int]) -> list[Loss]:
        reasons = {run_id: self._why(run_id, name) for run_id in counts}
        if not all(reasons.values()) and self._is_compared_otherwise(name):
            reasons = {run_id: why for run_id, why in reasons.items() if why}
        return [Loss(run_id, name, counts[run_id], why or "landing shows less") for run_id, why in reasons.items()]

    def _why(self, run_id: str, name: str) -> str | None:
        """The damage in a run's snapshot; its types and its resource depend on each other."""
        sync = [one for one in self._workspace.catalogue if name in (one.name, one.types)]
        members = dict.fromkeys(part for one in sync for part in (one.types, one.name) if part)
        for member in members:
            if (run_id, member) in self._failed:
                return self._failed[run_id, member]
        if self._base is not None and run_id <= self._base.run_id:
            return None
        landed = self._workspace.manifests.all_runs().get(run_id, [])
        return None if name in landed else f"landing/{name}/{run_id}/manifest.json: it is missing"

    def _is_compared_otherwise(self, name: str) -> bool:
        decided = self._workspace.shapes.decided(name)
        manifests = (self._workspace.manifests.sound(name, run_id) for run_id in self._workspace.manifests.runs(name))
        forms = [form_of(one) for one in manifests if one is not None]
        forms += self._base.forms.get(name, []) if self._base else []
        return bool(decided.choices) or is_compared_otherwise(forms, decided)


def refuse(losses: Sequence[Loss], where: Path) -> None:
    """Raises BaseLost if a rebuild would lose anything."""
    if not losses:
        return
    named = "; ".join(map(str, losses[:_MOST_NAMED]))
    more = f"; and {len(losses) - _MOST_NAMED} more" if len(losses) > _MOST_NAMED else ""
    runs = " ".join(dict.fromkeys(loss.run_id for loss in losses))
    step = (
        "Restore the damaged files from a backup and run `propsync rebuild` again. To go without those versions: "
        f"propsync rebuild --accept-loss {runs}"
    )
    raise BaseLost(str(where), f"propsync changed nothing, because a rebuild would lose {named}{more}", step)
