"""Writing back under Prefect: `propsync.runbooks.push.apply` applies a plan that somebody made and reviewed."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated, Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from pydantic import Field
from shell import Steps, shown, with_push_token

from propsync.push.journals.saved import PLAN_NAME, plan_named
from propsync.push.plan import load_plan
from propsync.runbooks.push.apply import apply
from propsync.runbooks.push.report import PushReport
from propsync.settings import Settings

PlanFile = Annotated[str, Field(pattern=rf"^([^\n]*/)?{PLAN_NAME}$")]
PlanId = Annotated[str | None, Field(pattern=r"^[0-9a-f]{16}$")]


def _run_name() -> str:
    return f"push {PurePath(flow_run.parameters['plan']).stem}"


@flow(name="propsync-push", flow_run_name=_run_name, persist_result=False)
def push(plan: PlanFile, allow_large: PlanId = None) -> State[Any]:
    """Sends exactly what a saved plan says, as `propsync push apply` does, and reads it back.

    Make the plan with `propsync push plan`, on the machine of the worker, and review it. If a run stops, start it again
    with the same plan: it sends only the rest.

    Args:
        plan: The path that `propsync push plan` prints, or the name of that file.
        allow_large: The id of the plan, if it is large and you consent.
    """

    def run(settings: Settings, steps: Steps) -> PushReport:
        path = plan_named(settings.state, plan)
        return apply(with_push_token(settings), load_plan(path), allow_large, call=steps)

    return shown("push", run)
