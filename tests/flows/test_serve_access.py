"""Access to `propsync serve`: a person who can read its folder may do everything, anybody else nothing."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from kit.browser import REBOUND, Browser
from kit.needs import skip_without
from kit.programs import environment
from kit.service import Service
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

PYTHON = "/usr/bin/python3"
NOBODY = 65534


pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.usefixtures("serve"),
]


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """The file that a command would make, if anybody could start one."""
    return tmp_path / "started"


@pytest.fixture
def untouched(serve: object, service: Service, marker: Path) -> Iterator[None]:
    """Asserts that neither a run nor a command was started."""
    before = runs(service)
    yield
    time.sleep(3)  # the worker looks every second
    assert runs(service) == before
    assert not marker.exists()


def runs(service: Service) -> set[str]:
    """Runs but those that the timetable planned."""
    found = service.post("/flow_runs/filter", {"flow_runs": {"state": {"type": {"not_any_": ["SCHEDULED"]}}}})
    asked = service.post("/flow_runs/filter", {"limit": 200})
    return {one["id"] for one in [*found, *asked] if not one["auto_scheduled"]}


def start(service: Service, marker: Path) -> tuple[str, str]:
    """The address and the body that would run a command in the worker's place."""
    body = {"job_variables": {"command": f"touch {marker}"}}
    return f"{service.url}/api/deployments/{service.deployment()['id']}/create_flow_run", json.dumps(body)


# -- without the password, or by another name


def test_without_the_password_nothing_is_started_and_nothing_read(service, marker, untouched):
    url, body = start(service, marker)
    for headers in ({}, {"Authorization": "Basic " + base64.b64encode(b"propsync:").decode()}, {"Authorization": "x"}):
        assert asked("POST", url, headers=headers, content=body).status_code == 401
        for path in ("deployments/filter", "logs/filter", "flow_runs/filter", "block_documents/filter"):
            assert asked("POST", f"{service.url}/api/{path}", headers=headers, json={}).status_code == 401
        for path in ("admin/settings", "admin/version", "work_pools/propsync", "variables/name/x", "no/such/path"):
            assert asked("GET", f"{service.url}/api/{path}", headers=headers).status_code == 401
    for path in ("events/out", "logs/out", "events/in"):
        with pytest.raises(InvalidStatus, match="403"):
            websocket(service, path, password=None, subprotocols=[])
        assert websocket(service, path, password="propsync:wrong") == "closed"


def test_a_name_that_merely_points_here_is_not_answered(service, marker, untouched):
    url, body = start(service, marker)
    own = authorised(service)
    for host in (
        "evil.example",
        f"evil.example:{service.port}",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "",
    ):
        assert asked("POST", url, headers=own | {"Host": host}, content=body).status_code == 400
        assert asked("GET", f"{service.url}/", headers=own | {"Host": host}).status_code == 400
        with pytest.raises(InvalidStatus):
            websocket(service, "events/out", password=service.login, headers={"Host": host})
    for host in (f"127.0.0.1:{service.port}", "localhost:8080", "[::1]:4200"):
        assert asked("GET", f"{service.url}/api/admin/version", headers=own | {"Host": host}).status_code == 200


def test_no_page_of_another_origin_is_answered_even_with_the_password(service, marker, untouched):
    url, body = start(service, marker)
    for origin in ("http://evil.example", "null", f"http://localhost:{service.port}", "http://127.0.0.1:1"):
        headers = authorised(service) | {"Origin": origin, "Content-Type": "text/plain"}
        answer = asked("POST", url, headers=headers, content=body)
        assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (403, False)
        asks = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        assert asked("OPTIONS", url, headers=asks).status_code == 403
        with pytest.raises(InvalidStatus, match="403"):
            websocket(service, "events/out", password=service.login, headers={"Origin": origin})
    pages = asked("GET", f"{service.url}/")
    assert pages.headers["x-frame-options"] == "DENY"
    assert websocket(service, "events/out", password=service.login, headers={"Origin": service.url}) == "open"


def test_pages_that_load_scripts_from_elsewhere_are_not_served(service):
    for path in ("docs", "redoc", "openapi.json", "api/docs", "api/redoc", "api/openapi.json", "docs/"):
        assert asked("GET", f"{service.url}/{path}", headers=authorised(service)).status_code == 404


# -- with the password


@pytest.mark.parametrize("override", ["command", "env", "env.PATH", "working_dir"])
def test_with_the_password_too_a_run_cannot_be_started_in_another_way(service, marker, override):
    value = {"command": f"touch {marker}", "env": {"PATH": str(marker.parent)}}.get(override, str(marker.parent))
    url, _ = start(service, marker)
    answer = asked("POST", url, headers=authorised(service), json={"job_variables": {override: value}})
    assert answer.status_code == 422, answer.text


@pytest.mark.release
def test_what_was_written_into_a_deployment_or_a_run_afterwards_starts_nothing_else(service, marker):
    """Prefect checks neither; the template takes nothing from them."""
    path = f"/deployments/{service.deployment()['id']}"
    kept = service.deployment()["job_variables"]
    changed = {"job_variables": {"command": f"touch {marker}", "env": {"PATH": str(marker.parent)}}}
    run = service.start()
    asked("PATCH", f"{service.url}/api/flow_runs/{run}", headers=authorised(service), json=changed)
    assert service.ended(run)["state_type"] == "COMPLETED"
    service.patch(path, changed)
    body = {"deployment_id": service.deployment()["id"], "flow_id": service.deployment()["flow_id"]}
    body |= changed | {"work_pool_name": "propsync", "state": {"type": "SCHEDULED"}}
    run = service.post("/flow_runs/", body)["id"]
    service.patch(path, {"job_variables": kept})
    time.sleep(5)
    assert not marker.exists(), service.get(f"/flow_runs/{run}")["state"]


def test_the_work_pool_has_no_variable_to_fill_in(service):
    pool = service.get("/work_pools/propsync")["base_job_template"]
    assert "env" not in pool["job_configuration"]
    assert pool["variables"]["additionalProperties"] is False
    assert "{{" not in json.dumps(pool)


@pytest.mark.release
def test_prefect_commands_of_the_rightful_user_work_with_the_file_that_serve_names(service, tmp_path):
    words = "prefect deployment ls && prefect work-pool ls && prefect deployment run propsync-nightly/nightly"
    before = runs(service)
    done = shell(service, f". {service.prefect / 'client.env'} && {words}", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "propsync-nightly/nightly" in done.stdout
    assert len(runs(service) - before) == 1
    refused = shell(service, f"PREFECT_API_URL={service.url}/api prefect deployment ls", tmp_path)
    assert refused.returncode != 0
    assert "401" in refused.stdout + refused.stderr


# -- on this machine


def test_everything_in_its_folder_is_for_its_own_account_alone(service):
    assert service.prefect.stat().st_mode & 0o777 == 0o700
    for name in ("login", "client.env"):
        assert (service.prefect / name).stat().st_mode & 0o777 == 0o600
    made_by_this_test = {"prefect.toml"}
    for path in service.prefect.iterdir():
        if path.is_file() and path.name not in made_by_this_test:
            assert path.stat().st_mode & 0o077 == 0, path


def test_another_user_of_the_machine_finds_no_password_and_gets_no_answer(service, marker, untouched):
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    url, body = start(service, marker)
    found = as_nobody(url, body, service.prefect / "login", service.login)
    assert found == {"start": 401, "read": 401, "file": "PermissionError", "database": "PermissionError", "seen": []}


def as_nobody(url: str, body: str, login: Path, password: str) -> dict[str, Any]:
    """The answers, files, command lines and environments that a second uid can read."""
    code = """
import json, pathlib, sys, urllib.error, urllib.request
url, body, login, password = json.load(sys.stdin)
def status(address, content):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        request = urllib.request.Request(address, content.encode(), {"Content-Type": "application/json"})
        return opener.open(request).status
    except urllib.error.HTTPError as error:
        return error.code
def read(path):
    try:
        return path.read_bytes().decode("latin-1")
    except OSError as error:
        return type(error).__name__
files = [one for name in ("cmdline", "environ") for one in pathlib.Path("/proc").glob(f"[0-9]*/{name}")]
print(json.dumps({
    "start": status(url, body),
    "read": status(url.split("/deployments/")[0] + "/logs/filter", "{}"),
    "file": read(pathlib.Path(login)),
    "database": read(pathlib.Path(login).with_name("prefect.db")),
    "seen": [str(one) for one in files if password.partition(":")[2] in read(one)],
}))
"""
    done = subprocess.run(
        [PYTHON, "-I", "-c", code],
        input=json.dumps([url, body, str(login), password]),
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_password_is_in_no_command_line_and_no_file_but_two(service):
    secret = service.login.partition(":")[2]
    lines = [" ".join(one.cmdline()) for one in service.processes()]
    assert len(lines) >= 2
    assert not [line for line in lines if secret in line]
    holding = {path.name for path in service.home.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()}
    assert holding == {"login", "client.env"}


# -- in a browser

ATTEMPTS = """(async () => {
  const [api, id, password, marker] = %s;
  const came = {}, body = JSON.stringify({job_variables: {command: "touch " + marker}});
  const target = `${api}/api/deployments/${id}/create_flow_run`;
  const basic = {"Authorization": "Basic " + btoa(password)};
  const attempt = async (name, url, how) => {
    try { const answer = await fetch(url, how); came[name] = answer.type + " " + answer.status; }
    catch (error) { came[name] = "refused"; }
  };
  await attempt("read", `${api}/api/health`, {});
  await attempt("list", `${api}/api/deployments/filter`, {method: "POST", body: "{}",
    headers: {...basic, "Content-Type": "application/json"}});
  await attempt("json", target, {method: "POST", body, headers: {...basic, "Content-Type": "application/json"}});
  await attempt("plain", target, {method: "POST", body, headers: {"Content-Type": "text/plain"}});
  await attempt("blind", target, {method: "POST", body, mode: "no-cors", credentials: "include"});
  const form = document.createElement("form"), frame = document.createElement("iframe");
  frame.name = "sink"; document.body.append(frame, form);
  Object.assign(form, {method: "post", action: target, enctype: "text/plain", target: "sink"});
  const input = document.createElement("input");
  input.name = body.slice(0, -1) + ', "x": "'; input.value = '"}'; form.append(input); form.submit();
  for (const path of ["events/out", "logs/out"])
    came[path] = await new Promise(done => {
      const socket = new WebSocket(`${api.replace("http", "ws")}/api/${path}`, "prefect");
      socket.onopen = () => socket.send(JSON.stringify({type: "auth", token: password}));
      socket.onmessage = message => done("heard " + message.data);
      socket.onclose = socket.onerror = () => done("refused");
    });
  await new Promise(done => setTimeout(done, 1000));
  return came;
})()"""
REFUSED = dict.fromkeys(("read", "list", "json", "plain", "events/out", "logs/out"), "refused")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    skip_without("chromium")
    with closing(Browser(tmp_path_factory.mktemp("browser"))) as running:
        yield running


@pytest.mark.parametrize("name", ["localhost", REBOUND])
def test_a_page_of_another_origin_starts_nothing_and_reads_nothing(service, browser, marker, untouched, name):
    """Also one that knows the password: from another port of this machine, and from another site."""
    with pages_of_somebody_else() as port:
        browser.open(f"http://{name}:{port}/")
        given = [service.url, service.deployment()["id"], service.login, str(marker)]
        assert browser.run(ATTEMPTS % json.dumps(given)) == REFUSED | {"blind": "opaque 0"}


def test_a_page_under_a_name_that_was_pointed_here_reads_nothing(service, browser, marker, untouched):
    """DNS rebinding: to the browser the server is then of the page's own origin."""
    own = f"http://{REBOUND}:{service.port}"
    browser.open(own)
    assert "this server has no such name" in browser.run("document.body.innerText")
    given = [own, service.deployment()["id"], service.login, str(marker)]
    came = browser.run(ATTEMPTS % json.dumps(given))
    assert {came[name] for name in ("read", "list", "json", "plain", "blind")} == {"basic 400"}
    assert {came[name] for name in ("events/out", "logs/out")} == {"refused"}


def test_the_pages_ask_for_the_password_and_work_with_it(service, browser):
    assert "propsync-nightly" not in browser.look(f"{service.url}/deployments")
    assert browser.log_in(service.url, service.login)
    assert browser.shows(f"{service.url}/deployments", "nightly", "propsync-nightly", "Ready")


@contextmanager
def pages_of_somebody_else() -> Iterator[int]:
    """Another server on this machine; its port."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title><body></body>")

        def log_message(self, *words: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def authorised(service: Service) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(service.login.encode()).decode()}"}


def asked(method: str, url: str, **content: Any) -> httpx.Response:
    return httpx.request(method, url, timeout=30, trust_env=False, **content)


def websocket(
    service: Service,
    path: str,
    *,
    password: str | None,
    subprotocols: list[str] | None = None,
    headers: dict[str, str] | None = None,
) -> str:
    """Whether it stays open after the password was sent. Raises InvalidStatus if it is not even accepted."""
    address = f"{service.url.replace('http', 'ws')}/api/{path}"
    protocols: Any = ["prefect"] if subprotocols is None else subprotocols or None
    with connect(address, subprotocols=protocols, additional_headers=headers, proxy=None) as socket:
        socket.send(json.dumps({"type": "auth", "token": password}))
        try:
            return "open" if json.loads(socket.recv(20))["type"] == "auth_success" else "closed"
        except ConnectionClosed:
            return "closed"


def shell(service: Service, words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environ = environment(HOME=str(folder), DO_NOT_TRACK="1", PREFECT_LOGGING_LEVEL="WARNING")
    return subprocess.run(
        ["/bin/sh", "-c", words], env=environ, cwd=folder, capture_output=True, text=True, timeout=240
    )
