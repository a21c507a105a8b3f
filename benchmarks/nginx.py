"""nginx in the foreground, serving an estate's page files as the API does."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ELSEWHERE = "/usr/sbin"
"""Debian's path of it, which may not be on PATH."""
TOKEN = "benchmark-token"
_CONFIG = (Path(__file__).parent / "nginx.conf").read_text(encoding="utf-8")


class NginxMissing(Exception):
    """There is no nginx on PATH."""

    def __str__(self) -> str:
        return "nginx is not installed. On Debian: apt-get install nginx-light"


@dataclass(frozen=True)
class Api:
    """Its address, and the folder of its page files; to pass a night, point `nights` elsewhere."""

    base_url: str
    token: str
    served: Path

    def show(self, folder: Path) -> None:
        """Serves the page files of `folder` from now on."""
        fresh = self.served.with_suffix(".next")
        fresh.symlink_to(folder.resolve())
        fresh.replace(self.served)


def program() -> str:
    """nginx itself. Raises NginxMissing."""
    found = shutil.which("nginx", path=os.pathsep.join((os.environ.get("PATH", ""), ELSEWHERE)))
    if found is None:
        raise NginxMissing
    return found


@contextmanager
def serving(folder: Path) -> Iterator[Api]:
    """nginx on a free port of loopback, with everything it writes in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    config = folder / "nginx.conf"
    config.write_text(_filled(port, folder), encoding="utf-8")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # else nginx would outlive this program
    command = [program(), "-e", "stderr", "-p", str(folder), "-c", str(config)]
    with subprocess.Popen(command) as process:
        try:
            api = Api(f"http://127.0.0.1:{port}", TOKEN, folder / "served")
            _wait(process, api.base_url)
            yield api
        finally:
            process.terminate()


def _filled(port: int, folder: Path) -> str:
    # if root starts it, workers would otherwise become a user who may not read the folder
    user = f"user {pwd.getpwuid(0).pw_name};" if os.getuid() == 0 else ""
    filled = {"@user@": user, "@port@": str(port), "@folder@": str(folder), "@token@": TOKEN}
    config = _CONFIG
    for mark, text in filled.items():
        config = config.replace(mark, text)
    return config


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait(process: subprocess.Popen[bytes], base_url: str) -> None:
    for _ in range(100):
        if process.poll() is not None:
            raise RuntimeError(f"nginx ended with {process.returncode}")
        try:
            urllib.request.urlopen(base_url, timeout=1)
        except urllib.error.HTTPError:  # it answers, though without a token it refuses
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("nginx does not answer")
