"""docs/hints.md is true: a person who follows it hears of a change behind nginx, over TLS."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
from faces.pages import PAGES, ROOT
from kit.command_line import settings_of
from kit.hint_home import HintHome
from kit.needs import needs
from kit.programs import BIN, environment, free_port, running, wait_until

from propsync.webhook.items import MOST_ITEMS, READABLE
from propsync.webhook.receiver import MOST_A_MINUTE, MOST_BYTES, Rules
from propsync_sandbox import Sandbox

PAGE = PAGES["hints.md"]
HOST = "hooks.example.org"


@contextmanager
def behind_nginx(folder: Path, receiver: int) -> Iterator[int]:
    """The proxy of the page; yields its port."""
    port, authority = free_port(), trustme.CA()
    certificate = authority.issue_cert(HOST)
    certificate.private_key_and_cert_chain_pem.write_to_path(str(folder / "hooks.pem"))
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    (shown,) = PAGE.blocks("nginx")
    written = re.sub(r"/etc/ssl/\w+/hooks\.example\.org\.\w+", str(folder / "hooks.pem"), shown)
    written = written.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace("4280", str(receiver))
    paths = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log stderr;\nevents {{}}\nhttp {{\n{paths}{written}}}\n"
    )
    command = ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with running(command, folder / "nginx.log", os.environ, folder) as process:
        wait_until(lambda: (folder / "nginx.pid").exists() or process.poll() is not None, 20, folder / "nginx.log")
        yield port


@pytest.mark.slow
@needs("nginx")
def test_a_person_who_follows_it_hears_of_a_change(tmp_path: Path):
    with Sandbox(scale=40, seed=9) as sandbox:
        home = HintHome(sandbox, tmp_path / "home")
        home.sync()
        place = home.column("select property_id from assets group by 1 order by count(*) desc, 1")[0]
        make_secret, export, start, post, look, coverage, *_ = PAGE.commands()
        assert start == "propsync webhook"
        settings = environment(**settings_of(sandbox, home.path), PROPSYNC_WEBHOOK_WAIT="0.2")

        def bash(line: str) -> str:
            done = subprocess.run(["bash", "-c", line], env=settings, cwd=tmp_path, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            return done.stdout

        bash(make_secret)
        assert (tmp_path / "propsync.webhook").stat().st_mode & 0o777 == 0o600
        settings["PROPSYNC_WEBHOOK_SECRET_FILE"] = bash(f"{export}; printenv PROPSYNC_WEBHOOK_SECRET_FILE").strip()
        port, log = free_port(), tmp_path / "webhook.log"
        command = [str(BIN / "propsync"), "webhook", "--port", str(port)]
        shown = next(output for command, output in PAGE.shown() if command == start)
        with running(command, log, settings, tmp_path), behind_nginx(tmp_path, port) as proxy:
            wait_until(lambda: "Stop with" in log.read_text(), 30, log)
            assert log.read_text().splitlines()[0] == shown[0].replace("4280", str(port))
            added = sandbox.world.assets.add(place)
            (tmp_path / ".curlrc").write_text(f'resolve = "{HOST}:{proxy}:127.0.0.1"\ncacert = "{tmp_path}/ca.pem"\n')
            settings["HOME"] = str(tmp_path)
            assert bash(post.replace("P1", place).replace(HOST, f"{HOST}:{proxy}")) == "202\n"
            wait_until(lambda: added in home.column("select asset_id from assets"), 60, log)
        assert place in bash(look)
        assert "changed" in bash(look)
        bash(coverage)
        secret = (tmp_path / "propsync.webhook").read_text().strip()
        assert secret not in log.read_text()


def test_its_query_of_unknown_shapes_and_its_types_are_those_of_the_program():
    rows = re.findall(r"^\| `(\w+)` \|", PAGE.text, re.MULTILINE)
    assert rows == list(READABLE)


def test_its_bounds_are_those_of_the_program():
    assert f"more than {MOST_BYTES // 10**6} MB or {MOST_ITEMS:,} items" in PAGE.text
    assert f"longer than {Rules('').seconds:g} seconds" in PAGE.text
    assert f"more than {MOST_A_MINUTE} requests a minute" in PAGE.text


def test_its_command_for_prefect_is_one_that_a_test_runs():
    shown = [command for command in PAGE.commands("propsync") if "--prefect" in command]
    assert shown == ["propsync webhook --prefect"]
    assert '"webhook", "--prefect"' in (ROOT / "tests" / "flows" / "test_hints.py").read_text(encoding="utf-8")


def test_its_unit_is_in_deploy():
    named = set(re.findall(r"deploy/[\w@.-]+", PAGE.text))
    assert named == {"deploy/propsync-webhook.service"}
    assert all((ROOT / name).is_file() for name in named)
