"""The proxies of docs/hints.md, as the page sets them up, on a loopback port."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import trustme
from faces.pages import PAGES
from kit.programs import free_port, running, wait_until

HOST = "hooks.example.org"
_PAGE = PAGES["hints.md"]


@contextmanager
def behind_nginx(folder: Path, receiver: int) -> Iterator[int]:
    """The proxy of the page, before the receiver on that port; yields its own port. `ca.pem` is its authority."""
    port = free_port()
    _issue(folder)
    (shown,) = _PAGE.blocks("nginx")
    written = re.sub(r"/etc/ssl/\w+/hooks\.example\.org\.\w+", str(folder / "hooks.pem"), shown)
    written = written.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace("4280", str(receiver))
    written = written.replace("/var/log/nginx/error.log", "stderr")
    paths = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log stderr;\nevents {{}}\nhttp {{\n{paths}{written}}}\n"
    )
    command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with _listening(command, folder / "nginx.log", folder, port):
        yield port


@contextmanager
def behind_caddy(folder: Path, receiver: int) -> Iterator[int]:
    """The same with Caddy, whose certificate the page leaves to Caddy."""
    port = free_port()
    _issue(folder)
    (shown,) = _PAGE.blocks("caddyfile")
    site = f"https://{HOST}:{port} {{\n    bind 127.0.0.1\n    tls {folder}/hooks.pem {folder}/hooks.pem"
    written = shown.replace(f"{HOST} {{", site).replace("4280", str(receiver))
    options = "{\n    admin off\n    auto_https disable_redirects\n"
    (folder / "Caddyfile").write_text(written.replace("{\n", options, 1))
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]
    with _listening(command, folder / "caddy.log", folder, port):
        yield port


PROXIES: dict[str, Callable[[Path, int], AbstractContextManager[int]]] = {"nginx": behind_nginx, "caddy": behind_caddy}


def _issue(folder: Path) -> None:
    authority = trustme.CA()
    authority.issue_cert(HOST).private_key_and_cert_chain_pem.write_to_path(str(folder / "hooks.pem"))
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))


@contextmanager
def _listening(command: list[str], log: Path, folder: Path, port: int) -> Iterator[None]:
    own = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    with running(command, log, os.environ | own, folder) as process:
        wait_until(lambda: _answers(port) or process.poll() is not None, 20, log)
        yield


def _answers(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0
