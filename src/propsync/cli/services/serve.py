"""`propsync serve`: prints the service's addresses once it is up, and runs until somebody stops it."""

from __future__ import annotations

import logging
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from propsync.cli.terminal.tables import echo
from propsync.errors import UsageError
from propsync.serving import Place, Service, check_config
from propsync.settings import Settings

_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LOOPBACK = ("127.0.0.1", "::1")
_logger = logging.getLogger("propsync.serving")


class _StopAsked(BaseException):
    """Somebody asked the service to stop; passes every handler of errors."""


def run_serve(settings: Settings, config: Path | None, host: str, port: int) -> int:
    """Serves until Ctrl-C or SIGTERM; returns the exit code."""
    _check_prefect()
    check_config(settings, config)
    _check_access(settings)
    level = logging.getLevelName(logging.getLogger("propsync").getEffectiveLevel())
    if host == "localhost":  # by that name, a browser may first try ::1, where another program may listen
        host = _LOOPBACK[0]
    if host not in _LOOPBACK:
        _logger.warning(
            "%s port %d is open to other machines: the password travels unencrypted, and anyone who has it can start, "
            "change and stop runs",
            host,
            port,
        )
    service = Service(settings, Place(settings.home, host, port), level)
    try:
        with _stop_on_signals(), service.running(_ignore_signals):
            _announce(service, settings)
            service.watch()
    except _StopAsked:
        echo("Stopped. Next: propsync status")
    return 0


def _check_prefect() -> None:
    """Raises UsageError if propsync was installed without its extra."""
    if find_spec("prefect") is None:
        raise UsageError("serve", "Prefect is not installed", "Run: pip install 'propsync[prefect]'")


def _check_access(settings: Settings) -> None:
    """Raises SettingsError without an address. A token may be in a Prefect block, so without one it only logs a
    warning.
    """
    if settings.base_url is not None and settings.token is None and settings.token_file is None:
        _logger.warning(
            "no token is set: runs fail without PROPSYNC_TOKEN_FILE, PROPSYNC_TOKEN or Prefect's block propsync-token"
        )
        return
    settings.require_api()


def _announce(service: Service, settings: Settings) -> None:
    echo(f"Prefect: {service.place.url}")
    echo(f"Next nightly run: {_shown(service.next_run(), settings)}")
    echo(f"Logs: {service.place.logs}")
    echo(f"Log in with the user name and password in {service.place.login} (new at each start)")
    echo(f"For prefect commands: . {shlex.quote(str(service.place.client))}")
    echo("Stop with Ctrl-C, or SIGTERM to this process")
    sys.stdout.flush()


def _shown(moment: datetime | None, settings: Settings) -> str:
    if moment is None:
        return "none; the timetable is paused or empty"
    return f"{moment.astimezone(settings.zone):%a %Y-%m-%d %H:%M} {settings.time_zone}"


@contextmanager
def _stop_on_signals() -> Iterator[None]:
    """Ctrl-C, SIGTERM (also as process 1, which has no other way) and a closed terminal raise _StopAsked, once."""

    def stop(*_: object) -> None:
        _ignore_signals()
        raise _StopAsked

    for one in _STOPS:
        if signal.getsignal(one) is not signal.SIG_IGN or one is signal.SIGTERM:
            signal.signal(one, stop)
    yield


def _ignore_signals() -> None:
    """Nothing interrupts the end from here on."""
    for one in _STOPS:
        signal.signal(one, signal.SIG_IGN)
