"""Damage in landing, which a night names: nobody may look at the status until a rebuild needs the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from propsync.landing import Inspection
from propsync.runbooks.workspace import Workspace
from propsync.warehouse import statement

_MOST_HASHED = 100_000_000  # bytes, a third of a second: the status looks at more of them
_MOST_NAMED = 3
_NEXT = "Restore these files from a backup: without them, a rebuild loses what they held. `propsync status` names each"


def damage_in_landing(workspace: Workspace) -> Sequence[str]:
    """A line about snapshots with damaged files; none for a bucket, which has another copy.

    A base that is damaged comes again from the state at the end of the run.
    """
    if workspace.settings.storage_url:
        return ()
    expected = workspace.warehouse.rows(statement("runs/expected_snapshots"))
    found = Inspection(workspace.storage, _MOST_HASHED).damage([(run_id, name) for run_id, name in expected])
    snapshots = Counter((one.resource, one.run_id) for one in found if one.resource != "base")
    if not snapshots:
        return ()
    shown = [f"{name.replace('_', ' ')} of run {run_id}" for name, run_id in list(snapshots)[:_MOST_NAMED]]
    more = [f"{len(snapshots) - _MOST_NAMED:,} more"] if len(snapshots) > _MOST_NAMED else []
    return (f"damaged in landing: {', '.join([*shown, *more])}. {_NEXT}",)
