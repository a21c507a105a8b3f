"""Programs that a machine may lack: without one, the tests that need it are skipped, and say how to get it."""

from __future__ import annotations

import os
import shutil

import pytest

_PACKAGES = {
    "nginx": "nginx-light",
    "caddy": "caddy",
    "systemd-analyze": "systemd",
    "chromium": "chromium",
    "docker": "docker-cli",
    "npm": "npm",
    "unshare": "util-linux",
    "soffice": "libreoffice-calc-nogui",
}
_PATH = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin"


def needs(program: str) -> pytest.MarkDecorator:
    """Marks a test that needs the program."""
    return pytest.mark.skipif(not _has(program), reason=_reason(program))


def skip_without(program: str) -> None:
    """Skips the test whose fixture needs the program."""
    if not _has(program):
        pytest.skip(_reason(program))


def _has(program: str) -> bool:
    return shutil.which(program, path=_PATH) is not None


def _reason(program: str) -> str:
    return f"{program} is not installed; on Debian: apt-get install {_PACKAGES[program]}"
