"""Object stores for tests: real servers on loopback, which the workers of a test run share."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import hmac
import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from email.utils import formatdate
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import pytest
from filelock import FileLock
from kit.needs import skip_without
from kit.programs import BIN, environment, free_port

from propsync.settings import StorageAccess
from propsync.settings.storage_access import storage_access

PACKAGES = Path(__file__).parents[2] / ".cache/stores/node_modules"
BUCKET = "propsync-tests"
GIVEN = os.environ.get("TEST_S3", "")
"""The address of an S3 server that is running already, with its credentials in AWS's own variables."""

# s3rver knows no other pair
_S3 = {"AWS_ACCESS_KEY_ID": "S3RVER", "AWS_SECRET_ACCESS_KEY": "S3RVER"}
_OURS = {"AWS_ACCESS_KEY_ID": "propsync-tests", "AWS_SECRET_ACCESS_KEY": "the-secret-of-the-tests"}
# the account that every Azurite has, as its documentation says
_ACCOUNT = "devstoreaccount1"
_ACCOUNT_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_AZURE = {"AZURE_STORAGE_ACCOUNT_NAME": _ACCOUNT, "AZURE_STORAGE_ACCOUNT_KEY": _ACCOUNT_KEY}
_STARTS = 30  # seconds


@dataclass(frozen=True)
class Kind:
    """How a server is started on a port with a folder of its own; `credentials` are variables of the environment."""

    scheme: str
    credentials: Mapping[str, str]
    command: Callable[[int, Path], list[str]]
    environ: Callable[[int, Path], dict[str, str]] = lambda port, folder: {}
    program: str = ""
    """A program that the machine may lack."""


def _ministack(port: int, folder: Path) -> dict[str, str]:
    names = {"GATEWAY_PORT": str(port), "BIND_HOST": "127.0.0.1", "SERVICES": "s3", "AUTH": "true"}
    return _OURS | names | {"TMPDIR": str(folder), "IOT_MTLS_ENABLED": "false", "LOG_LEVEL": "WARNING"}


def _node(script: str, *options: str) -> list[str]:
    return ["node", str(PACKAGES / script), *options]


KINDS = {
    "ministack": Kind("s3", _OURS, lambda port, folder: [str(BIN / "ministack")], _ministack),
    "moto": Kind("s3", _OURS, lambda port, folder: [str(BIN / "moto_server"), "-H", "127.0.0.1", "-p", str(port)]),
    "azurite": Kind(
        "az",
        _AZURE,
        lambda port, folder: _node(
            "azurite/dist/src/blob/main.js",
            *("--blobPort", str(port), "--inMemoryPersistence", "--disableTelemetry", "--silent"),
        ),
        program="npm",
    ),
    "s3rver": Kind(
        "s3",
        _S3,
        lambda port, folder: _node("s3rver/bin/s3rver.js", "-a", "127.0.0.1", "-p", str(port), "-d", str(folder)),
        program="npm",
    ),
}


@dataclass(frozen=True)
class Store:
    """A running server with an empty bucket or container."""

    scheme: str
    address: str
    credentials: Mapping[str, str] = field(repr=False)

    def environ(self, folder: str = "", bucket: str = BUCKET) -> dict[str, str]:
        """The variables that make a folder of the bucket the home of propsync; a new folder unless it is named."""
        endpoint = "AWS_ENDPOINT_URL" if self.scheme == "s3" else "AZURE_STORAGE_ENDPOINT"
        url = f"{self.scheme}://{bucket}/{folder or secrets.token_hex(8)}"
        return {**self.credentials, endpoint: self.address, "PROPSYNC_STORAGE_URL": url}

    def access(self, folder: str = "", bucket: str = BUCKET, **others: str) -> StorageAccess:
        """The same as propsync sees it; `others` replace variables."""
        environ = self.environ(folder, bucket) | others
        return storage_access(environ["PROPSYNC_STORAGE_URL"], environ, is_instance=False)

    def make_bucket(self, name: str = BUCKET) -> None:
        """Makes a bucket or container; one that exists stays."""
        url = urlsplit(f"{self.address}/{name}" + ("?restype=container" if self.scheme == "az" else ""))
        headers = self._azure_headers(url.path) if self.scheme == "az" else self._s3_headers(url.geturl())
        connection = HTTPConnection(url.netloc, timeout=10)
        connection.request("PUT", f"{url.path}?{url.query}" if url.query else url.path, headers=headers)
        status = connection.getresponse().status
        connection.close()
        assert status in (200, 201, 409), f"PUT {url.geturl()}: {status}"

    def mark_folder(self, path: str) -> None:
        """Makes what a console of S3 makes for a folder of a bucket: an empty object whose key ends with `/`."""
        self.make_bucket(f"{path}/")

    def _s3_headers(self, url: str) -> dict[str, str]:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials

        request = AWSRequest("PUT", url, headers={"x-amz-content-sha256": hashlib.sha256(b"").hexdigest()})
        keys = Credentials(self.credentials["AWS_ACCESS_KEY_ID"], self.credentials["AWS_SECRET_ACCESS_KEY"])
        SigV4Auth(keys, "s3", "us-east-1").add_auth(request)
        return dict(request.headers.items()) | {"Content-Length": "0"}

    def _azure_headers(self, path: str) -> dict[str, str]:
        marks = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
        lines = "".join(f"{name}:{value}\n" for name, value in sorted(marks.items()))
        signed = account_signature("PUT" + "\n" * 12 + f"{lines}/{_ACCOUNT}{path}\nrestype:container")
        return {**marks, "Authorization": f"SharedKey {_ACCOUNT}:{signed}"}


def account_signature(text: str) -> str:
    """Azurite's account signs a text."""
    digest = hmac.new(base64.b64decode(_ACCOUNT_KEY), text.encode(), hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


class Stores:
    """Servers by name, each started when a test first asks; it ends when the last worker that uses it does."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._stack = ExitStack()
        self._started: dict[str, Store] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def __getitem__(self, name: str) -> Store:
        if name not in self._started:
            self._started[name] = self._given() if name == "given" else self._start(name, KINDS[name])
        return self._started[name]

    def _given(self) -> Store:
        names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
        store = Store("s3", GIVEN, {name: os.environ[name] for name in names})
        store.make_bucket()
        return store

    def _start(self, name: str, kind: Kind) -> Store:
        if kind.program:
            skip_without(kind.program)
            if not PACKAGES.with_name(".ready").exists():
                pytest.fail("the object stores of npm are not in .cache/: `make .cache/stores/.ready` brings them")
        folder = self._root / f"store {name}"
        folder.mkdir(parents=True, exist_ok=True)
        users = self._stack.enter_context((folder / "users").open("a"))
        with FileLock(folder / "start.lock"):
            fcntl.flock(users, fcntl.LOCK_SH)  # waits for a server that is ending; the server ends when all let go
            if not (folder / "running").exists():
                _launch(kind, folder)
            port = int((folder / "port").read_text())
            path = f"/{_ACCOUNT}" if kind.scheme == "az" else ""
            store = Store(kind.scheme, f"http://127.0.0.1:{port}{path}", kind.credentials)
            store.make_bucket()
        return store


# the server ends when nobody holds the lock on `users` any longer, also if every worker was killed
_WATCH = """
"$@" >log 2>&1 & server=$!
flock -x users sh -c "kill -9 $server; rm -rf running data"
"""


def _launch(kind: Kind, folder: Path) -> None:
    port, files = free_port(), folder / "data"
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir()
    subprocess.run(
        ["setsid", "--fork", "bash", "-c", _WATCH, "watch", *kind.command(port, files)],
        env=environment(**kind.environ(port, files)),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    deadline = time.monotonic() + _STARTS
    while not _answers(port):
        assert time.monotonic() < deadline, (folder / "log").read_text()[-2000:]
        time.sleep(0.05)
    (folder / "port").write_text(str(port))
    (folder / "running").touch()


def _answers(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True
