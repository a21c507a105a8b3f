"""Hints under Prefect: `propsync.runbooks.read_hints`, started by the event of `propsync webhook --prefect`."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from shell import shown

from propsync import runbooks


@flow(name="propsync-hints", flow_run_name="hints", persist_result=False)
def hints() -> State[Any]:
    """Reads the records that hints of the service name, and publishes them, as `propsync webhook --read` does.

    It runs on the machine of the receiver. If nothing is due, it sends no request.
    """
    return shown("hints", lambda settings, steps: runbooks.read_hints(settings, call=steps))
