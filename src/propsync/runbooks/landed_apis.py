"""The services of landed snapshots: landing of another home, copied in by mistake, must not become part of this one.

Each snapshot names the services that its home had read until then. So a later one of the same home names the service of
each earlier one, also after a service moved.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from propsync.errors import LandingForeign
from propsync.landing import Manifests
from propsync.runbooks.known_api import apis_of_home, note_apis
from propsync.runbooks.workspace import Workspace
from propsync.settings import is_same_service

_MOST_NAMED = 5


def refuse_foreign_landing(workspace: Workspace, landed: Mapping[str, Collection[str]]) -> None:
    """Raises LandingForeign if landing has runs of another service that this home does not know. `landed` has all.

    A run that was killed is known, and a backup of the state may lack later ones of its own home.
    """
    apis = apis_of_home(workspace)
    unknown = workspace.journal.unknown(landed) if apis else []
    runs = _apis(workspace.manifests, {run_id: landed[run_id] for run_id in unknown})
    foreign = [run_id for run_id, others in runs.items() if not _are_of_one_home(apis, others)]
    if foreign:
        raise _foreign(foreign, runs[foreign[0]], apis)


def take_landed_apis(workspace: Workspace, landed: Mapping[str, Collection[str]]) -> None:
    """Remembers the services of snapshots that will be merged. Raises LandingForeign if they are not of one home."""
    apis, runs = apis_of_home(workspace), _apis(workspace.manifests, landed)
    if not runs:
        return
    last = [*runs.values()][-1]
    are_one = all(_has(after, before[-1]) for before, after in pairwise(runs.values()))
    if not are_one or (apis and not _are_of_one_home(apis, last)):
        apis = apis or last
        foreign = [run_id for run_id, others in runs.items() if not _has(apis, others[-1])] or [*runs][-1:]
        raise _foreign(foreign, runs[foreign[0]], apis)
    if not apis or _has(last[:-1], apis[-1]):
        note_apis(workspace, last)


def _apis(manifests: Manifests, landed: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
    """The services of each run, oldest first, without runs that name none."""
    found = {run_id: [manifests.apis_of(name, run_id) for name in names] for run_id, names in landed.items()}
    return {run_id: named for run_id, apis in found.items() if (named := next(filter(None, apis), None))}


def _are_of_one_home(some: Sequence[str], others: Sequence[str]) -> bool:
    return _has(some, others[-1]) or _has(others, some[-1])


def _has(apis: Sequence[str], address: str) -> bool:
    return any(is_same_service(one, address) for one in apis)


def _foreign(runs: Sequence[str], theirs: Sequence[str], ours: Sequence[str]) -> LandingForeign:
    named = ", ".join(runs[:_MOST_NAMED]) + (
        f" and {len(runs) - _MOST_NAMED:,} more" if len(runs) > _MOST_NAMED else ""
    )
    return LandingForeign("landing", f"it has runs that read {theirs[-1]}, and this home reads {ours[-1]}: {named}")
