"""`propsync serve`: what is printed once the service is up; it stays until it is told to stop."""

from __future__ import annotations

import logging
import shlex
import sys
from datetime import datetime
from pathlib import Path

from propsync.cli.text_tables import echo
from propsync.serving import Place, Service, StopAsked, check_config, stop_on_signals
from propsync.settings import Settings

_LOOPBACK = ("127.0.0.1", "::1")
_logger = logging.getLogger("propsync.serving")


def run_serve(settings: Settings, config: Path | None, host: str, port: int) -> int:
    """Serves until Ctrl-C or SIGTERM; returns the exit code."""
    check_config(settings, config)
    _check_access(settings)
    level = logging.getLevelName(logging.getLogger("propsync").getEffectiveLevel())
    if host == "localhost":  # by that name, a browser may first try ::1, where somebody else may listen
        host = _LOOPBACK[0]
    if host not in _LOOPBACK:
        _logger.warning(
            "%s port %d is open to other machines: its password travels unencrypted, and whoever has it can start, "
            "change and stop runs",
            host,
            port,
        )
    service = Service(settings, Place(settings.home, host, port), level)
    try:
        with stop_on_signals(), service.running():
            _tell(service, settings)
            service.watch()
    except StopAsked:
        echo("Stopped. Next: propsync status")
    return 0


def _check_access(settings: Settings) -> None:
    """Raises SettingsError without an address. A token may be in a Prefect block, so its lack is only told."""
    if settings.base_url is not None and settings.token is None and settings.token_file is None:
        _logger.warning(
            "no token is set: runs fail without PROPSYNC_TOKEN_FILE, PROPSYNC_TOKEN or Prefect's block propsync-token"
        )
        return
    settings.require_api()


def _tell(service: Service, settings: Settings) -> None:
    echo(f"Prefect: {service.place.url}")
    echo(f"Next nightly run: {_shown(service.next_run(), settings)}")
    echo(f"Logs: {service.place.logs}")
    echo(f"Log in with what stands in {service.place.login} (new at each start)")
    echo(f"For prefect commands: . {shlex.quote(str(service.place.client))}")
    echo("Stop with Ctrl-C, or SIGTERM to this process")
    sys.stdout.flush()


def _shown(moment: datetime | None, settings: Settings) -> str:
    if moment is None:
        return "none is planned, the timetable is paused or empty"
    return f"{moment.astimezone(settings.zone):%a %Y-%m-%d %H:%M} {settings.time_zone}"
