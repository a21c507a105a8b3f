"""The password of a service: new at each start, in files that only the account of the service can read."""

from __future__ import annotations

import base64
import os
import secrets
import shlex
from dataclasses import dataclass, field
from pathlib import Path

_USER = "propsync"


@dataclass(frozen=True)
class Login:
    """The credentials for the Prefect pages and commands: user and password with a colon between.

    Each start makes a new one. A program that takes the port while the service is down may receive the last one, and
    gains nothing by it.
    """

    words: str = field(default_factory=lambda: f"{_USER}:{secrets.token_urlsafe(32)}", repr=False)

    @property
    def header(self) -> dict[str, str]:
        """The header that carries it."""
        return {"Authorization": f"Basic {base64.b64encode(self.words.encode()).decode()}"}

    @property
    def of_clients(self) -> dict[str, str]:
        """The environment of every client of the server."""
        return {"PREFECT_API_AUTH_STRING": self.words}

    @property
    def of_server(self) -> dict[str, str]:
        """The environment of the server itself."""
        return {"PREFECT_SERVER_API_AUTH_STRING": self.words}

    def keep(self, page_file: Path, client_file: Path, api: str) -> None:
        """Writes it for the pages, where people type it in, and for `prefect` commands, whose shell reads it."""
        settings = {"PREFECT_API_URL": api, **self.of_clients}
        lines = [f"export {name}={shlex.quote(value)}" for name, value in settings.items()]
        _write(page_file, f"{self.words}\n")
        _write(client_file, "\n".join(lines) + "\n")


def _write(path: Path, text: str) -> None:
    """Writes a new file, so that no permission of an old one applies to it."""
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor has no path
        file.write(text)
