"""The Prefect server behind propsync's guard, on a socket that `propsync serve` opened and hands down.

python flows/guarded.py server start --host 127.0.0.1 --socket 5
"""

from __future__ import annotations

import argparse
import socket

import uvicorn
from prefect.server.api.server import create_app
from prefect.settings import get_current_settings

from propsync.serving.guard import Guard


def main() -> None:
    """Serves until SIGTERM. The password is in PREFECT_SERVER_API_AUTH_STRING, without which nothing starts."""
    given = _arguments()
    settings = get_current_settings()
    api = settings.server.api
    if api.auth_string is None:
        raise SystemExit("PREFECT_SERVER_API_AUTH_STRING is not set: start `propsync serve`, which sets it")
    config = uvicorn.Config(
        Guard(create_app(final=True), given.host),
        log_level=settings.server.logging_level.lower(),
        timeout_keep_alive=api.keepalive_timeout,
        ws_ping_interval=api.websocket_ping_interval,
        ws_ping_timeout=api.websocket_ping_timeout,
        proxy_headers=False,  # no caller may choose its own address
        server_header=False,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=given.socket)])


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    # with the name of `prefect server start`, for people who look for it in a list of processes
    parser.add_argument("command", nargs=2, metavar="server start")
    parser.add_argument("--host", required=True, help="what the socket is bound to")
    parser.add_argument("--socket", required=True, type=int, help="file descriptor of the listening socket")
    return parser.parse_args()


if __name__ == "__main__":
    main()
