"""Documents under Prefect: fetching what is wanted, and verifying what is stored, as `propsync archive` does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from pydantic import Field
from shell import Steps, shown

from propsync import runbooks
from propsync.settings import Settings

Kinds = Annotated[list[str], Field(json_schema_extra={"items": {"type": "string", "enum": ["report", "bundle"]}})]
Ids = Annotated[
    list[Annotated[str, Field(pattern=r"^[^,]*[^,\s][^,]*$")]], Field(json_schema_extra={"uniqueItems": True})
]
Limit = Annotated[int | None, Field(ge=1)]
R = TypeVar("R", bound=runbooks.Ended)


def _archive_name() -> str:
    kinds = flow_run.parameters.get("kinds") or ["documents"]
    return f"archive {', '.join(kinds)} {flow_run.scheduled_start_time:%Y-%m-%d %H:%M} UTC"


def _verify_name() -> str:
    return f"verify documents {flow_run.scheduled_start_time:%Y-%m-%d %H:%M} UTC"


@flow(name="propsync-archive", flow_run_name=_archive_name, persist_result=False)
def archive(kinds: Kinds = [], properties: Ids = [], limit: Limit = None) -> State[Any]:  # noqa: B006 - Prefect shows the defaults in its form
    """Fetches reports and bundles that are new, changed or due, within the night's budget.

    The nightly run does the same after it publishes. Use this flow to fetch more, or only a part.

    Args:
        kinds: Only these kinds. If empty, PROPSYNC_ARCHIVE_KINDS.
        properties: Ids of properties: only documents of their assessments.
        limit: Fetch at most this many documents.
    """
    wanted = runbooks.Documents(tuple(kinds), tuple(one.strip() for one in properties), limit)

    def run(settings: Settings, steps: Steps) -> runbooks.ArchiveReport:
        return _in_one_step(steps, "documents", lambda: runbooks.archive(settings, wanted))

    return shown("archive", run)


@flow(name="propsync-verify", flow_run_name=_verify_name, persist_result=False)
def verify(limit: Limit = None) -> State[Any]:
    """Hashes stored documents again, those verified longest ago first; fetches damaged and missing ones again.

    Args:
        limit: Check at most this many files; empty for all.
    """

    def run(settings: Settings, steps: Steps) -> runbooks.VerifyReport:
        return _in_one_step(steps, "files", lambda: runbooks.verify(settings, limit))

    return shown("verify", run)


def _in_one_step(steps: Steps, name: str, runbook: Callable[[], R]) -> R:
    came: list[R] = []

    def step() -> str | None:
        came.append(runbook())
        return "; ".join(came[0].left_behind) or None

    steps(name, step)
    return came[0]
