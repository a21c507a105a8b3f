"""Which requests reach the Prefect server: by their Host, their origin and where they lead."""

import asyncio
import json
import socket
from typing import Any

import pytest
from prefect.workers.process import ProcessJobConfiguration

from propsync.serving.guard import Guard
from propsync.shipped import shipped


def ask(*headers, listening="127.0.0.1", kind="http", method="GET", path="/", **named):
    """The answer of the guard of a server that listens there; 200 if the request reached the application."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in [*headers, *named.items()]]
    scope = {"type": kind, "method": method, "path": path, "headers": lines}

    async def receive():
        return {"type": "http.request"}

    asyncio.run(Guard(app, listening)(scope, receive, send))
    return sent[0].get("status", sent[0]["type"])


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
@pytest.mark.parametrize("port", ["", ":4200", ":1"])
def test_loopback_by_its_own_names_is_answered_through_any_port(name, port):
    assert ask(host=name + port, path="/api/health") == 200


@pytest.mark.parametrize(
    "name",
    ["evil.example", "127.0.0.1.evil.example", "localhost.", "evil.example:127.0.0.1", "192.0.2.1", "", "a@localhost"],
)
@pytest.mark.parametrize("path", ["/", "/api/health"])
def test_any_other_name_is_refused(name, path):
    assert ask(path=path, host=name) == 400
    assert ask(kind="websocket", path=path, host=name) == "websocket.close"


@pytest.mark.parametrize("name", ["192.0.2.7:4200", "[2001:db8::1]:4200", "127.0.0.1", socket.gethostname()])
def test_a_server_open_to_others_is_known_by_addresses_and_its_own_name(name):
    assert ask(listening="0.0.0.0", host=name) == 200
    assert ask(listening="0.0.0.0", host="evil.example") == 400
    assert ask(listening="127.0.0.2", host="127.0.0.2:4200") == 200


def test_without_exactly_one_name_nothing_is_answered():
    assert ask() == 400
    assert ask(("host", "localhost"), ("host", "localhost")) == 400
    assert ask(("host", "localhost")) == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "http://localhost", "x"])
def test_another_origin_is_refused(origin):
    for path in ("/", "/api/health"):
        assert ask(path=path, host="localhost:4200", origin=origin) == 403
        assert ask(path=path, host="localhost:4200", origin=origin, kind="websocket") == "websocket.close"
    assert ask(host="localhost:4200", origin="http://localhost:4200") == 200


def test_a_link_to_a_page_is_followed_and_a_link_to_the_api_is_not():
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}
    assert ask(host="localhost", path="/runs", **link) == 200
    assert ask(host="localhost", path="/api/health", **link) == 403
    assert ask(host="localhost", path="/runs", **link | {"sec_fetch_dest": "iframe"}) == 403
    assert ask(host="localhost", path="/runs", method="POST", **link) == 403
    assert ask(host="localhost", path="/runs", sec_fetch_site="same-site", sec_fetch_mode="no-cors") == 403
    assert ask(host="localhost", path="/api/health", sec_fetch_site="same-origin") == 200
    assert ask(host="localhost", path="/runs", sec_fetch_site="none") == 200


@pytest.mark.parametrize(
    "values",
    [
        {"command": "touch x"},
        {"env": {"PATH": "/x"}},
        {"env.PATH": "/x"},
        {"working_dir": "/x", "name": "x", "stream_output": False, "labels": {"a": "b"}},
    ],
)
def test_the_job_template_takes_nothing_of_what_a_run_or_a_deployment_says(values):
    """Asked of Prefect's own code: it merges `env` by itself where a template has one."""
    template = json.loads((shipped("flows") / "job-template.json").read_text())

    class NoClient:
        """Nothing is looked up for a template without references."""

    no_client: Any = NoClient()

    async def configured(given):
        return await ProcessJobConfiguration.from_template_and_values(template, given, client=no_client)

    assert asyncio.run(configured(values)) == asyncio.run(configured({}))
    assert asyncio.run(configured(values)).command == "python -m prefect.engine"
