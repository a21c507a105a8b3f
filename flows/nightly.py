"""The nightly run under Prefect: `propsync.runbooks.night`, each step a task run."""

from __future__ import annotations

from typing import Annotated, Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from pydantic import Field
from shell import shown

from propsync import runbooks
from propsync.errors import SettingsError
from propsync.resources import BUILT_IN
from propsync.runbooks import configured_catalogue
from propsync.settings import load_settings


def _names() -> list[str]:
    """The resources to choose from, with the lists of [resources]; a run reports settings that are wrong."""
    try:
        return [one.name for one in configured_catalogue(load_settings()).synced]
    except SettingsError:
        return [one.name for one in BUILT_IN.synced]


# a choice in Prefect's form, and a refusal of any other name before Prefect makes a run
Only = Annotated[list[str], Field(json_schema_extra={"items": {"type": "string", "enum": _names()}})]
# blanks come along with a paste, and an emptied field of the form is empty
RunId = Annotated[str | None, Field(pattern=r"^\s*([0-9]{8}T[0-9]{12}Z\s*)?$")]


def _run_name() -> str:
    only = flow_run.parameters.get("only") or ["everything"]
    return f"sync {', '.join(only)} {flow_run.scheduled_start_time:%Y-%m-%d %H:%M} UTC"


@flow(name="propsync-nightly", flow_run_name=_run_name, persist_result=False)
def nightly(only: Only = [], accept_deletes: RunId = None, archive: bool = True) -> State[Any]:  # noqa: B006 - Prefect shows the default in its form
    """Reads the property API, publishes the tables, then fetches documents, as `propsync sync` does.

    Completed: all well. Completed, named Attention: published, but something was left behind. Failed: nothing was
    published. Settings are those of the worker's environment (PROPSYNC_…), never parameters.

    Args:
        only: Sync just these resources; empty for all.
        accept_deletes: The id of a run; what it held and what is still gone is let go.
        archive: Whether documents are fetched after the tables are published.
    """

    accepted = (accept_deletes or "").strip() or None

    def night(settings: Any, steps: Any) -> runbooks.Report:
        return runbooks.night(settings, only, accept=accepted, with_documents=archive, call=steps)

    return shown("nightly", night)
