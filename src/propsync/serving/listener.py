"""A socket that listens before the server starts: from then on no other program can take the port and imitate ours."""

from __future__ import annotations

import socket

from propsync.errors import UsageError

_BACKLOG = 2048


def listening(command: str, host: str, port: int) -> socket.socket:
    """A socket that listens. Raises UsageError for `command` if the port cannot be used."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        what = f"{host} port {port} cannot be used: {error.strerror}"
        raise UsageError(command, what, "Give another with --port or --host") from error
    return listener


def in_address(host: str) -> str:
    """A host as an address writes it: with brackets if it is an IPv6 one."""
    return f"[{host}]" if ":" in host else host
