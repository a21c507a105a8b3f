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
    asked = [f"{name} {_named(ids)}" for name, ids in flow_run.parameters.items() if ids]
    return f"backfill {'; '.join(asked) or 'nothing'}"


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
    """Reads a part of the API again and merges it. It deletes no record outside that part.

    If you give several kinds of ids, they narrow the part. To resume a backfill that stopped, give the same ids.

    Args:
        properties: Ids of properties, as in assets.property_id. Alone they read assets, assessments and schedules.
        asset_types: Ids of asset types, as in asset_types.asset_type_id; they read assets only.
        assessment_types: Ids of assessment types; they read assessments and schedules only.
        assets: Ids of assets.
        assessments: Ids of assessments.
    """
    if not any((properties, asset_types, assessment_types, assets, assessments)):
        return Failed(message="No ids were given: fill in at least one of the lists")
    given = (properties, asset_types, assessment_types, assets, assessments)
    scope = runbooks.Scope(*(tuple(one.strip() for one in ids) for ids in given))
    return shown("backfill", lambda settings, steps: runbooks.backfill(settings, scope, call=steps))
