"""The place of a service: its folder and address, and the part of the environment that each of its programs may see."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from propsync.errors import SettingsError, UsageError
from propsync.serving.listener import in_address
from propsync.settings import CONFIG_NAME, Settings

MARK = "SERVED_BY_PROPSYNC"
"""Shows which service a process belongs to: each of its programs has it, and their children inherit it."""
_LOOPBACK = "127.0.0.1"
_ANY = {"0.0.0.0": _LOOPBACK, "::": "::1"}  # noqa: S104 - compared, not bound to
_QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",  # the server ignores DO_NOT_TRACK
    "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
    "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
    # the newer pages make the browser call an analytics service, whatever the server says; these do not
    "PREFECT_SERVER_UI_V2_ENABLED": "false",
    "PREFECT_CLI_COLORS": "false",
    "PREFECT_LOGGING_COLORS": "false",
    "PREFECT_CLI_WRAP_LINES": "false",
}
_PLAIN = {
    # in memory, the default, they would be lost with the server, and the slot of a run blocked until somebody frees it
    "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem",
    "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "30",
    # off its default port the pages would ask that one; relative, they also work through a tunnel or a container's port
    "PREFECT_SERVER_UI_API_URL": "/api",
}


@dataclass(frozen=True, slots=True)
class Place:
    """The folder `<home>/prefect` and the address of the server."""

    home: Path
    host: str
    port: int

    @property
    def folder(self) -> Path:
        """Prefect's own home."""
        return self.home / "prefect"

    @property
    def mark(self) -> str:
        """The mark of its programs, however somebody spells home."""
        return str(self.folder.resolve())

    @property
    def logs(self) -> Path:
        """The programs' output."""
        return self.folder / "logs"

    @property
    def login(self) -> Path:
        """The credentials that people type into the pages."""
        return self.folder / "login"

    @property
    def client(self) -> Path:
        """The file that a shell reads so that `prefect` commands reach the server."""
        return self.folder / "client.env"

    @property
    def url(self) -> str:
        """The address of the pages, from this machine."""
        return f"http://{in_address(_ANY.get(self.host, self.host))}:{self.port}"

    @property
    def api(self) -> str:
        """The address of the server for programs."""
        return f"{self.url}/api"

    def prepare(self) -> None:
        """Makes the folders, readable by the service only. Raises SettingsError if it cannot."""
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o711)
            self.folder.mkdir(exist_ok=True, mode=0o700)
            self.folder.chmod(0o700)
            self.logs.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise SettingsError(
                "PROPSYNC_HOME",
                f"{self.folder} cannot be used: {error.strerror}",
                "Give a folder that you can write to",
            ) from error

    def environment(self, inherited: Mapping[str, str], level: str) -> dict[str, str]:
        """The environment of every program of the service: without another Prefect's variables and propsync's
        settings.
        """
        kept = {name: value for name, value in inherited.items() if not name.startswith(("PREFECT_", "PROPSYNC_"))}
        own = {
            MARK: self.mark,
            "PREFECT_HOME": str(self.folder),
            "PREFECT_API_URL": self.api,
            "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": self.url,  # otherwise it tells every page that it may read
            "PREFECT_SERVER_UI_STATIC_DIRECTORY": str(self.folder / "ui"),  # not in the folder of the installation
            "PREFECT_LOGGING_LEVEL": level,
            "PREFECT_SERVER_LOGGING_LEVEL": level if level == "DEBUG" else "WARNING",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), inherited.get("PATH", os.defpath)]),
        }
        return kept | _unproxied(inherited, self.url) | _QUIET | _PLAIN | own


def _unproxied(inherited: Mapping[str, str], url: str) -> dict[str, str]:
    """The variables that keep a proxy out of calls to our own server."""
    host = url.removeprefix("http://").rpartition(":")[0].strip("[]")
    spared = [inherited.get("NO_PROXY") or inherited.get("no_proxy") or "", host, _LOOPBACK, "localhost"]
    return dict.fromkeys(("NO_PROXY", "no_proxy"), ",".join(one for one in spared if one))


def settings_of_runs(settings: Settings, inherited: Mapping[str, str]) -> dict[str, str]:
    """propsync's own variables as runs need them, in any folder."""
    own = {name: value for name, value in inherited.items() if name.startswith("PROPSYNC_")}
    own["PROPSYNC_HOME"] = str(settings.home)
    for name in ("token_file", "push_token_file"):
        if settings.source(name) == "environment":
            own[f"PROPSYNC_{name.upper()}"] = str(getattr(settings, name))
    return own


def check_config(settings: Settings, config: Path | None) -> None:
    """Raises UsageError for a settings file that runs would not read: they read only the one in home."""
    wanted = settings.home / CONFIG_NAME
    if config is not None and config.expanduser().resolve() != wanted.resolve():
        raise UsageError("serve", f"runs would not read {config}", f"Move it to {wanted}, and leave --config out")
