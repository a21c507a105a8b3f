"""Damage in landing, which a night names: nobody may look at the status until a rebuild needs the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from propsync.landing import Damage, Inspection
from propsync.runbooks.workspace import Workspace
from propsync.warehouse import statement

_MOST_HASHED = 100_000_000  # bytes, a third of a second: the status looks at more of them
_MOST_NAMED = 3
_DAMAGED = (
    "Restore these files from a backup: without them, a rebuild loses what they held. `propsync status` names each"
)
_DENIED = "They may be whole: give all of PROPSYNC_HOME to the user who runs propsync (`chown -R`)"


def damage_in_landing(workspace: Workspace) -> Sequence[str]:
    """Lines about snapshots with damaged files, or files that this user may not read; none for a bucket, a second copy.

    A base that is damaged comes again from the state at the end of the run.
    """
    if workspace.settings.storage_url:
        return ()
    expected = workspace.warehouse.rows(statement("runs/expected_snapshots"))
    found = Inspection(workspace.storage, _MOST_HASHED).damage([(run_id, name) for run_id, name in expected])
    lines = []
    for is_denied, what, step in ((False, "damaged in landing", _DAMAGED), (True, "not readable in landing", _DENIED)):
        files = [one for one in found if one.is_denied is is_denied and one.resource != "base"]
        if files:
            lines.append(f"{what}: {_named(files)}. {step}")
    return lines


def _named(files: Sequence[Damage]) -> str:
    snapshots = Counter((one.resource, one.run_id) for one in files)
    shown = [f"{name.replace('_', ' ')} of run {run_id}" for name, run_id in list(snapshots)[:_MOST_NAMED]]
    more = [f"{len(snapshots) - _MOST_NAMED:,} more"] if len(snapshots) > _MOST_NAMED else []
    return ", ".join([*shown, *more])
