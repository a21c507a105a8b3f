"""The frame of every flow around its runbook: settings, steps as task runs, log lines, and the final state."""

from __future__ import annotations

import gc
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from artifacts import Artifacts
from prefect import task
from prefect.blocks.system import Secret
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.logging.handlers import APILogHandler
from prefect.settings import get_current_settings
from prefect.states import Completed, Failed
from progress import progress_shown
from pydantic import SecretStr

from propsync import log
from propsync.errors import PropsyncError
from propsync.runbooks import Ended, Step
from propsync.settings import Settings, load_settings

_ALLOCATIONS = 50_000  # between two garbage collections: records become many small objects, none of them in a cycle
TOKEN_BLOCK = "propsync-token"  # noqa: S105 - the name of a Secret block, not its content
PUSH_TOKEN_BLOCK = "propsync-push-token"  # noqa: S105 - another one


class Steps:
    """Runs each step as a task run of its name, and keeps the seconds of each."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def __call__(self, name: str, step: Step) -> None:
        """Uses no `retries`: api/ retries each request, and retrying here too would multiply them."""

        def run() -> State[Any] | None:
            # not a parameter: Prefect walks through parameters, and would through everything in a step
            left_behind = step()
            return Completed(name="Attention", message=left_behind) if left_behind else None

        began = time.monotonic()
        try:
            task(name=name, task_run_name=name, cache_policy=NO_CACHE, persist_result=False)(run)()
        finally:
            self.seconds[name] += time.monotonic() - began  # type: ignore[assignment]  # a Counter counts floats as well


def shown(flow: str, runbook: Callable[[Settings, Steps], Ended]) -> State[Any]:
    """Runs a runbook and reports its end in states, artifacts and events.

    Completed: all well. Completed, named Attention: published, but something was left behind. Failed: nothing was.
    """
    log.guard_records()
    steps, artifacts = Steps(), Artifacts(flow)
    with _lines_sent_to_prefect(), progress_shown(), _imports_left_alone():
        try:
            settings = _settings()
            report = runbook(settings, steps)
        except PropsyncError as error:
            artifacts.error(error)
            return Failed(message=str(error))
        artifacts.report(settings, report, steps.seconds)
    return _state(report)


def _state(report: Ended) -> State[Any]:
    """propsync's verdict in Prefect's words."""
    message = "; ".join(report.left_behind) or "all well"
    if report.exit_code == 0:
        return Completed(message=message)
    return Completed(name="Attention", message=message) if report.exit_code == 3 else Failed(message=message)


def _settings() -> Settings:
    """The settings of the worker's environment; the token may be in a Secret block instead."""
    settings = load_settings()
    if settings.token is not None or settings.token_file is not None:
        return settings
    return _with_block(settings, TOKEN_BLOCK, "token")


def with_push_token(settings: Settings) -> Settings:
    """The same with the token for writes, if a Secret block has one and the environment does not."""
    if settings.push_token is not None or settings.push_token_file is not None:
        return settings
    return _with_block(settings, PUSH_TOKEN_BLOCK, "push_token")


def _with_block(settings: Settings, name: str, setting: str) -> Settings:
    try:
        block: Any = Secret.load(name)
    except ValueError:  # it does not exist: the runbook reports a token that is missing, and what to do
        return settings
    return settings.with_token(SecretStr(str(block.get())), setting, f"Prefect's Secret block {name}")


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


@contextmanager
def _imports_left_alone() -> Iterator[None]:
    """Excludes objects of Prefect's imports from garbage collection during the run, which owns its process."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
