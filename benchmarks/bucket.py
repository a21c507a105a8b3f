"""An S3 server on loopback for homes in a bucket: ministack, or one that is running already.

`TEST_S3` is the address of one that is running. It has a bucket `homes`, and AWS's own variables have its keys.
"""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_STARTS = 30  # seconds
_KEYS = {"AWS_ACCESS_KEY_ID": "benchmark", "AWS_SECRET_ACCESS_KEY": "benchmark-secret"}


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, str]]:
    """The variables of a home in an empty bucket, until the end of the block; `folder` holds the objects."""
    if address := os.environ.get("TEST_S3"):
        keys = {name: os.environ[name] for name in _KEYS}
        yield {**keys, "AWS_ENDPOINT_URL": address, "PROPSYNC_STORAGE_URL": f"s3://homes/{secrets.token_hex(8)}"}
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    environ = {"GATEWAY_PORT": address.rpartition(":")[2], "BIND_HOST": "127.0.0.1", "SERVICES": "s3"}
    environ |= {"TMPDIR": str(folder), "IOT_MTLS_ENABLED": "false", "LOG_LEVEL": "WARNING"}
    program = [str(Path(sys.executable).with_name("ministack"))]
    server = subprocess.Popen(program, env=os.environ | environ, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        _make_bucket(f"{address}/homes")
        yield {**_KEYS, "AWS_ENDPOINT_URL": address, "PROPSYNC_STORAGE_URL": "s3://homes/propsync"}
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _make_bucket(address: str) -> None:
    deadline = time.monotonic() + _STARTS
    while True:
        try:
            urllib.request.urlopen(urllib.request.Request(address, method="PUT"), timeout=5).close()
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
        else:
            return
