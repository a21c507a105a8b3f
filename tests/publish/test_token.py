"""The token is in no file, log, table or output, at DEBUG too."""

from __future__ import annotations

import base64
import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit.sandbox_home import SandboxHome


def forms(token: str) -> list[bytes]:
    plain = token.encode()
    return [plain, base64.b64encode(plain).rstrip(b"=")[:-1], plain.hex().encode()]


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("is_good", [True, False], ids=["accepted", "refused"])
def test_the_token_is_nowhere(home: SandboxHome, tmp_path: Path, is_good: bool) -> None:
    token = home.sandbox.token if is_good else "a-token-that-this-server-refuses-71c2"
    environ = os.environ | home.environ(token=token, home=tmp_path / "new")
    program = str(Path(sys.executable).with_name("propsync"))
    printed = b""
    for words in (["sync"], ["sync", "--json"], ["doctor"], ["status"], ["query", "--tables"]):
        done = subprocess.run([program, "--log-level", "DEBUG", *words], env=environ, capture_output=True, check=False)
        printed += done.stdout + done.stderr
    assert b"DEBUG" in printed
    stored = [path.read_bytes() for path in (tmp_path / "new").rglob("*") if path.is_file()]
    stored += [gzip.decompress(body) for body in stored if body.startswith(b"\x1f\x8b")]
    assert len(stored) > (10 if is_good else 0)
    for secret in forms(token):
        assert secret not in printed
        assert not any(secret in body for body in stored)
