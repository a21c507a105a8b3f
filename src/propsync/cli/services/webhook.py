"""`propsync webhook`: receives hints; another program reads what they name, so that neither harms the other."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from propsync.cli.terminal.tables import echo
from propsync.errors import UsageError
from propsync.log import conceal
from propsync.serving.events import announce_hints
from propsync.serving.listener import in_address, listening
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.webhook.due import why_none_is_due
from propsync.webhook.inbox import Inbox
from propsync.webhook.next_look import NextLook
from propsync.webhook.receiver import Receiver, Rules
from propsync.webhook.wakes import Wakes

_PROGRAM = "import propsync.cli.start; propsync.cli.start.program()"
_LOOK_AFTER_ANNOUNCING = timedelta(minutes=1)
_log = logging.getLogger("propsync.webhook")


def run_read(settings: Settings, *, as_json: bool) -> int:
    """Reads what is due, once; returns the exit code."""
    from propsync.cli.report import print_report
    from propsync.runbooks import next_look, read_hints  # not above: a receiver needs no database in its memory

    report = read_hints(settings)
    if as_json:
        look_at = next_look(settings)
        echo(json.dumps(report.to_json() | {"next_look_at": look_at and look_at.isoformat()}, default=str))
    elif report.run_id:
        print_report(report, as_json=False)
    else:
        echo(f"{report.notes[0][0].upper()}{report.notes[0][1:]}")
    return report.exit_code


def run_webhook(settings: Settings, config: Path | None, host: str, port: int, *, tells_prefect: bool) -> int:
    """Receives until Ctrl-C, SIGTERM or a closed terminal; returns the exit code."""
    if find_spec("uvicorn") is None:
        raise UsageError("webhook", "uvicorn is not installed", "Run: pip install 'propsync[webhook]'")
    access = settings.require_webhook()
    if not tells_prefect:
        settings.require_api()
    inbox = Inbox(LocalStorage(settings.home))
    inbox.check()
    conceal(access.secret.get_secret_value())
    key = access.signing_key.get_secret_value() if access.signing_key else None
    rules = Rules(access.secret.get_secret_value(), key, settings.webhook_address_header)
    read = _Announcing(settings).read if tells_prefect else _Reading(config).read
    wakes = Wakes(settings.webhook_wait, read)
    listener = listening("webhook", host, port)
    receiver = Receiver(rules, inbox, wakes.hint)
    with listener:
        asyncio.run(_serve(receiver, wakes.run, listener, settings))
    echo("Stopped. Accepted hints wait on the disk. Next: propsync webhook")
    return 0


async def _serve(receiver: Receiver, read: Callable[[], Awaitable[None]], listener: Any, settings: Settings) -> None:
    from propsync.webhook.server import server_of

    server = server_of(receiver)
    loop = asyncio.get_running_loop()
    ends = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        ends.append(signal.SIGHUP)
    for number in ends:
        loop.add_signal_handler(number, lambda: setattr(server, "should_exit", True))
    tell(listener, settings)
    reading = asyncio.ensure_future(read())
    try:
        await server.serve(sockets=[listener])
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def tell(listener: Any, settings: Settings) -> None:
    """Prints the address, without the secret."""
    host, port = listener.getsockname()[:2]
    signed = "signed posts only" if settings.webhook_signing_key or settings.webhook_signing_key_file else "unsigned"
    echo(f"Receiving hints at http://{in_address(host)}:{port}/hooks/<secret>, {signed}")
    echo(
        f"propsync reads what they name {settings.webhook_wait:g} s later. Stop with Ctrl-C, or SIGTERM to this process"
    )
    sys.stdout.flush()


class _Announcing:
    """Lets a Prefect server start the deployment that reads."""

    def __init__(self, settings: Settings) -> None:
        self._home, self._storage = settings.home, LocalStorage(settings.home)
        self._requests = settings.webhook_requests

    async def read(self) -> datetime | None:
        """Announces hints if they are due; returns when to look again, None if no hint waits. Raises PropsyncError."""
        now = datetime.now(UTC)
        if why_none_is_due(self._storage, now, self._requests) is not None:
            return NextLook(self._storage).at(now, self._requests)
        await asyncio.to_thread(announce_hints, self._home)
        _log.info("hints are due: propsync sent the event to Prefect")
        return now + _LOOK_AFTER_ANNOUNCING


class _Reading:
    """`propsync webhook --read` as a program, time and again."""

    def __init__(self, config: Path | None) -> None:
        options = ["--log-level", logging.getLevelName(logging.getLogger("propsync").getEffectiveLevel())]
        options += ["--config", str(config)] if config else []
        self._command = [sys.executable, "-c", _PROGRAM, *options, "webhook", "--read", "--json"]

    async def read(self) -> datetime | None:
        """Reads what is due; returns when the next look is due, None if no hint waits. Raises OSError if it failed."""
        process = await asyncio.create_subprocess_exec(*self._command, stdout=asyncio.subprocess.PIPE)
        try:
            said, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
        if process.returncode not in (0, 3):
            raise OSError(f"reading what hints name ended with exit code {process.returncode}")
        look_at = json.loads(said.splitlines()[-1])["next_look_at"]
        return datetime.fromisoformat(look_at).astimezone(UTC) if look_at else None
