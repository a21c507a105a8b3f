"""The event that hints are due goes to one server, with the credentials of that server alone."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from propsync.errors import UsageError
from propsync.serving.events import announce_hints
from propsync.serving.login import Login

LOGIN = Login()


class Listening(HTTPServer):
    """Takes events, and keeps the credentials of each."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.credentials: list[str | None] = []
        self.api = f"http://127.0.0.1:{self.server_port}/api"


class Answering(BaseHTTPRequestHandler):
    server: Listening

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.credentials.append(self.headers["Authorization"])
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


@pytest.fixture
def prefect() -> Iterator[Listening]:
    with Listening() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(autouse=True)
def no_prefect(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PREFECT_API_URL", "PREFECT_API_AUTH_STRING", "PREFECT_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def served(home: Path, api: str) -> Path:
    """A home whose `propsync serve` has, or had, this address."""
    (home / "prefect").mkdir()
    LOGIN.keep(home / "prefect" / "login", home / "prefect" / "client.env", api)
    return home


def test_without_an_address_it_goes_to_the_service_of_the_home(prefect: Listening, tmp_path: Path):
    announce_hints(served(tmp_path, prefect.api))
    assert prefect.credentials == [LOGIN.header["Authorization"]]


def test_the_address_of_that_service_alone_needs_no_password_beside_it(prefect, tmp_path, monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", prefect.api)
    announce_hints(served(tmp_path, prefect.api))
    assert prefect.credentials == [LOGIN.header["Authorization"]]


@pytest.mark.parametrize(
    ("own", "credentials"),
    [
        ({}, None),
        ({"PREFECT_API_KEY": "key"}, "Bearer key"),
        ({"PREFECT_API_AUTH_STRING": "me:word"}, f"Basic {base64.b64encode(b'me:word').decode()}"),
    ],
)
def test_another_server_gets_its_own_credentials_and_never_the_service_s(
    prefect, tmp_path, monkeypatch, own, credentials
):
    for name, value in {"PREFECT_API_URL": prefect.api, **own}.items():
        monkeypatch.setenv(name, value)
    announce_hints(served(tmp_path, "http://127.0.0.1:4200/api"))
    assert prefect.credentials == [credentials]


def test_without_any_server_it_says_what_to_set(tmp_path, monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", "")
    with pytest.raises(UsageError, match="Set PREFECT_API_URL to the API of your Prefect server"):
        announce_hints(tmp_path)
