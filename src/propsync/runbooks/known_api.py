"""The API of a home: the address that its last run read. A copy of the service may have other records, or values."""

from __future__ import annotations

import logging

from propsync.errors import UsageError
from propsync.runbooks.desk import note_setting
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run, Verdict
from propsync.settings import is_same_service
from propsync.warehouse import statement

_API = "api"
_IF_WRONG = "If that is the wrong service, correct PROPSYNC_BASE_URL and restore the home from a backup"
_MOVED = "Correct the setting. If the service has moved there, run `propsync sync` first"
_log = logging.getLogger("propsync.run")


def other_api(workspace: Workspace) -> str | None:
    """A line if the runs before read another API than this one; propsync logs it before it reads anything."""
    address = workspace.api.base_url
    known = _differing(workspace, address)
    if known is None:
        return None
    line = f"earlier runs of this home read {known}, and this run reads {address}. {_IF_WRONG}"
    _log.warning("%s", line)
    return line


def refuse_other_api(workspace: Workspace, address: str) -> None:
    """Raises UsageError if the tables are from another API: its documents are not those of their assessments."""
    if (known := _differing(workspace, address)) is not None:
        raise UsageError("archive", f"the tables are from {known}, and PROPSYNC_BASE_URL is {address}", _MOVED)


def _differing(workspace: Workspace, address: str) -> str | None:
    """The API that earlier runs read, if it differs from this one."""
    known: str | None = workspace.warehouse.value(statement("runbooks/setting"), {"setting": _API})
    return None if known is None or is_same_service(known, address) else known


def note_api(workspace: Workspace, run: Run) -> bool:
    """Remembers the API of this run, if the run has read any of it; returns whether it has."""
    has_read = any(one is not Verdict.FAILED for one in workspace.journal.verdicts(run.run_id).values())
    if has_read:
        note_setting(workspace.warehouse, _API, workspace.api.base_url)
    return has_read
