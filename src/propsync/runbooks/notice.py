"""Each run reports its end, once, to the address in PROPSYNC_NOTIFY_URL."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Annotated, Any, Concatenate, ParamSpec, Protocol, TypeVar

import msgspec

from propsync.api import post_notice
from propsync.errors import Busy, PropsyncError, SettingsError, UsageError
from propsync.log import redact
from propsync.runbooks.report import in_one_line
from propsync.settings import Settings
from propsync.storage import LocalStorage

_log = logging.getLogger("propsync.notice")
_MOST_LINES = 10
_LAST = "state/hints/notice.json"
_AGAIN = timedelta(days=1)


class Ended(Protocol):
    """The results of runs."""

    @property
    def status(self) -> str:
        """ok, attention or failed."""

    @property
    def exit_code(self) -> int:
        """That of the command."""

    @property
    def left_behind(self) -> list[str]:
        """A line for each thing left behind."""

    def to_json(self) -> dict[str, Any]:
        """The output of `--json`."""


P = ParamSpec("P")
R = TypeVar("R", bound=Ended)


def noticed(
    flow: str, *, is_frequent: bool = False
) -> Callable[[Callable[Concatenate[Settings, P], R]], Callable[Concatenate[Settings, P], R]]:
    """For runbooks: posts the result, or the error that ended the run. A failed notice ends nothing.

    Wrong usage is no run, and its user has read the answer; a wrong setting at night is one. Of runs that are
    `is_frequent`, only problems are posted, and one that stays comes once a day.
    """
    tell = _post_news if is_frequent else _post

    def around(runbook: Callable[Concatenate[Settings, P], R]) -> Callable[Concatenate[Settings, P], R]:
        @wraps(runbook)
        def run(settings: Settings, /, *args: P.args, **kwargs: P.kwargs) -> R:
            try:
                report = runbook(settings, *args, **kwargs)
            except BaseException as error:
                if isinstance(error, SettingsError) or not isinstance(error, UsageError):
                    tell(settings, _of_error(flow, error))
                raise
            tell(settings, _of_report(flow, report))
            return report

        return run

    return around


class _Last(msgspec.Struct, frozen=True):
    """The problem of the last notice, and when somebody heard of it."""

    exit_code: int
    at: Annotated[datetime, msgspec.Meta(tz=True)]


def _post_news(settings: Settings, notice: dict[str, Any]) -> None:
    """Posts a problem unless the last notice was about it and is not a day old.

    A run that found another at work is no problem: it tries again. A notice dated in the future is none: the clock
    was wrong.
    """
    code, now, storage = notice["exit_code"], datetime.now(UTC), LocalStorage(settings.home)
    if settings.notify_url is None or code == Busy.exit_code:
        return
    try:
        last = _last(storage)
        if code == 0 and last is not None and notice["run_id"]:
            storage.delete(_LAST)
        is_old = last is not None and last.exit_code == code and timedelta() <= now - last.at < _AGAIN
        if code and not is_old and _post(settings, notice):
            storage.put(_LAST, msgspec.json.encode(_Last(code, now)))
    except (PropsyncError, OSError) as error:
        _log.warning("propsync could not keep the time of its notice, so it may post it again: %s", in_one_line(error))


def _last(storage: LocalStorage) -> _Last | None:
    try:
        return msgspec.json.decode(storage.get(_LAST), type=_Last)
    except (OSError, PropsyncError, ValueError, RecursionError):  # one that nobody can read is as good as none
        return None


def _post(settings: Settings, notice: dict[str, Any]) -> bool:
    """Whether somebody heard of it."""
    if settings.notify_url is None:
        return False
    body = redact(json.dumps(notice | _in_teams(notice["text"]), default=str)).encode()
    if why := post_notice(settings.notify_url.get_secret_value(), body):
        _log.warning("propsync could not deliver the notice to PROPSYNC_NOTIFY_URL: %s", why)
    return why is None


def _of_report(flow: str, report: Ended) -> dict[str, Any]:
    lines = report.left_behind
    more = [f"… and {len(lines) - _MOST_LINES:,} more: propsync status"] if len(lines) > _MOST_LINES else []
    members = report.to_json()
    text = "\n".join([f"propsync {flow}: {report.status}", *lines[:_MOST_LINES], *more, *members.get("notes", ())])
    return members | {"flow": flow, "exit_code": report.exit_code, "text": text}


def _of_error(flow: str, error: BaseException) -> dict[str, Any]:
    status, code, line = "failed", 1, in_one_line(error)
    if isinstance(error, PropsyncError):
        status, code = "busy" if error.exit_code == 4 else "failed", error.exit_code
    elif not isinstance(error, Exception):  # Ctrl-C, a stopped service
        status, code = "interrupted", 130
    fields = {"flow": flow, "status": status, "exit_code": code, "left_behind": [line]}
    return fields | {"text": f"propsync {flow}: {status}\n{line}"}


def _in_teams(text: str) -> dict[str, Any]:
    """The same as a card that Microsoft Teams shows as a message. Others read `text`, or `status`."""
    lines = [{"type": "TextBlock", "text": line, "wrap": True} for line in text.splitlines()]
    card = {"type": "AdaptiveCard", "version": "1.4", "body": lines}
    return {
        "type": "message",
        "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}],
    }
