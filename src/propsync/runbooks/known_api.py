"""The API of a home: the address that its last run read. A copy of the service may have other records, or values."""

from __future__ import annotations

import json
import logging

from propsync.errors import UsageError
from propsync.runbooks.desk import note_setting
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run, Verdict
from propsync.settings import is_same_service
from propsync.warehouse import statement

_API = "api"
_EARLIER = "earlier_apis"
_IF_WRONG = "If that is the wrong service, correct PROPSYNC_BASE_URL and restore the home from a backup"
_IF_NOT_MOVED = (
    "If the service has not moved there, correct the setting, or restore landing of this home from a backup and run "
    "`propsync rebuild`"
)
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


def rebuilt_of_other_api(workspace: Workspace) -> list[str]:
    """A line if what landing holds is from another API than the one that is set; a rebuild needs none."""
    address = workspace.settings.base_url
    known = _differing(workspace, address) if address else None
    return [f"the tables are from {known}, and PROPSYNC_BASE_URL is {address}. {_IF_NOT_MOVED}"] if known else []


def refuse_other_api(workspace: Workspace, address: str) -> None:
    """Raises UsageError if the tables are from another API: its documents are not those of their assessments."""
    if (known := _differing(workspace, address)) is not None:
        raise UsageError("archive", f"the tables are from {known}, and PROPSYNC_BASE_URL is {address}", _MOVED)


def _differing(workspace: Workspace, address: str) -> str | None:
    """The API that earlier runs read, if it differs from this one."""
    known = _noted(workspace, _API)
    return None if known is None or is_same_service(known, address) else known


def note_api(workspace: Workspace, run: Run) -> bool:
    """Remembers the API of this run, if the run has read any of it; returns whether it has."""
    has_read = any(one is not Verdict.FAILED for one in workspace.journal.verdicts(run.run_id).values())
    if has_read:
        note_apis(workspace, apis_with(workspace, workspace.api.base_url))
    return has_read


def apis_of_home(workspace: Workspace) -> list[str]:
    """Every address that this home has read, the last one last; none before its first run."""
    known, earlier = _noted(workspace, _API), _noted(workspace, _EARLIER)
    return [*(json.loads(earlier) if earlier else []), *([known] if known else [])]


def apis_with(workspace: Workspace, address: str) -> list[str]:
    """The same with `address` as the last one; each service once."""
    return [*(one for one in apis_of_home(workspace) if not is_same_service(one, address)), address]


def note_apis(workspace: Workspace, apis: list[str]) -> None:
    """Remembers the addresses that this home has read."""
    if apis[:-1] != apis_of_home(workspace)[:-1]:
        note_setting(workspace.warehouse, _EARLIER, json.dumps(apis[:-1]))
    note_setting(workspace.warehouse, _API, apis[-1])


def _noted(workspace: Workspace, setting: str) -> str | None:
    found: str | None = workspace.warehouse.value(statement("warehouse/setting"), {"setting": setting})
    return found
