"""The nightly run under Prefect: `propsync.runbooks.night`, each step a task run."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.logging.handlers import APILogHandler
from prefect.runtime import flow_run
from prefect.settings import get_current_settings
from prefect.states import Completed, Failed
from pydantic import Field

from propsync import runbooks
from propsync.errors import PropsyncError
from propsync.resources import SYNCED
from propsync.settings import load_settings

# a choice in Prefect's form, and a refusal of any other name before a run is made
Only = Annotated[
    list[str], Field(json_schema_extra={"items": {"type": "string", "enum": [one.name for one in SYNCED]}})
]


def _run_name() -> str:
    only = flow_run.parameters.get("only") or ["everything"]
    return f"sync {', '.join(only)} {flow_run.scheduled_start_time:%Y-%m-%d %H:%M} UTC"


@flow(name="propsync-nightly", flow_run_name=_run_name, persist_result=False)
def nightly(only: Only = []) -> State[Any]:  # noqa: B006 - Prefect shows the default in its form
    """Reads the property API, publishes the tables, then fetches documents, as `propsync sync` does.

    Completed: all well. Completed, named Attention: published, but something was left behind. Failed: nothing was
    published. Settings are those of the worker's environment (PROPSYNC_…), never parameters.

    Args:
        only: Sync just these resources; empty for all.
    """
    with _lines_sent_to_prefect():
        try:
            report = runbooks.night(load_settings(), only, call=as_task)
        except PropsyncError as error:
            return _state(error.exit_code, str(error))
        return _state(report.exit_code, "; ".join(report.left_behind) or f"published as run {report.run_id}")


def as_task(name: str, step: Callable[[], None]) -> None:
    """Runs a step as a task run of its name. No `retries`: api/ retries each request, and again here would multiply."""

    def run() -> None:
        step()  # not a parameter: Prefect walks through parameters, and would through all that a step holds

    task(name=name, task_run_name=name, cache_policy=NO_CACHE, persist_result=False)(run)()


def _state(exit_code: int, message: str) -> State[Any]:
    """propsync's verdict in Prefect's words."""
    if exit_code == 0:
        return Completed(message=message)
    return Completed(name="Attention", message=message) if exit_code == 3 else Failed(message=message)


@contextmanager
def _lines_sent_to_prefect() -> Iterator[None]:
    """Shows propsync's log lines in the run, at Prefect's level, with or without PREFECT_LOGGING_EXTRA_LOGGERS."""
    logger, handler = logging.getLogger("propsync"), APILogHandler()
    level, is_sent = logger.level, any(isinstance(one, APILogHandler) for one in logger.handlers)
    logger.setLevel(get_current_settings().logging.level)
    if not is_sent:
        logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
