"""A backfill under Prefect: `propsync.runbooks.backfill` over a form of ids, in chunks, with resume."""

from __future__ import annotations

from typing import Annotated, Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Failed
from pydantic import Field
from shell import shown

from propsync import runbooks

Ids = Annotated[
    list[Annotated[str, Field(pattern=r"^[^,]*[^,\s][^,]*$")]], Field(json_schema_extra={"uniqueItems": True})
]
_MOST_NAMED = 3


def _run_name() -> str:
    told = [f"{name} {_named(ids)}" for name, ids in flow_run.parameters.items() if ids]
    return f"backfill {'; '.join(told) or 'nothing'}"


def _named(ids: list[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return ", ".join(ids[:_MOST_NAMED]) + more


@flow(name="propsync-backfill", flow_run_name=_run_name, persist_result=False)
def backfill(
    properties: Ids = [],  # noqa: B006 - Prefect shows the defaults in its form
    asset_types: Ids = [],  # noqa: B006
    assessment_types: Ids = [],  # noqa: B006
    assets: Ids = [],  # noqa: B006
    assessments: Ids = [],  # noqa: B006
) -> State[Any]:
    """Re-reads just that part of the API and merges it; nothing else is concluded to be gone.

    Several kinds of ids together narrow what is read. A run resumes an interrupted backfill if it has the same ids.

    Args:
        properties: Ids of properties, as in assets.property_id. Alone they read assets, assessments and schedules.
        asset_types: Ids of asset types, as in asset_types.asset_type_id; only assets are read.
        assessment_types: Ids of assessment types; only assessments and schedules are read.
        assets: Ids of assets.
        assessments: Ids of assessments.
    """
    if not any((properties, asset_types, assessment_types, assets, assessments)):
        return Failed(message="Nothing was asked for: fill in at least one of the lists of ids")
    given = (properties, asset_types, assessment_types, assets, assessments)
    scope = runbooks.Scope(*(tuple(one.strip() for one in ids) for ids in given))
    return shown("backfill", lambda settings, steps: runbooks.backfill(settings, scope, call=steps))
