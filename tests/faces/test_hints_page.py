"""docs/hints.md is true: a person who follows it hears of a change behind a proxy, over TLS."""

from __future__ import annotations

import re
import ssl
import subprocess
from pathlib import Path

import httpx
import pytest
from faces.pages import PAGES, ROOT
from faces.proxies import HOST, PROXIES, behind_nginx
from kit.command_line import settings_of
from kit.hint_home import HintHome
from kit.needs import needs
from kit.programs import BIN, environment, free_port, running, wait_until
from kit.receiving import HOOK, receiving

from propsync.webhook.items import MOST_ITEMS, READABLE
from propsync.webhook.receiver import MOST_A_MINUTE, MOST_BYTES, Rules
from propsync_sandbox import Sandbox

PAGE = PAGES["hints.md"]


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


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in PROXIES])
def test_its_proxies_pass_hints_on_and_say_who_sent_them(tmp_path: Path, name: str):
    """The header that a sender writes itself makes no other sender of it."""
    (shown,) = set(re.findall(r"`PROPSYNC_WEBHOOK_ADDRESS_HEADER=([\w-]+)`", PAGE.text))
    with receiving(tmp_path, address_header=shown) as receiver, PROXIES[name](tmp_path, receiver.port) as port:
        trust = ssl.create_default_context(cafile=tmp_path / "ca.pem")
        with httpx.Client(
            base_url=f"https://127.0.0.1:{port}", verify=trust, headers={"Host": f"{HOST}:{port}"}
        ) as one:

            def post(forged: str) -> int:
                said = {shown: forged}
                return one.post(HOOK, content=b"[]", headers=said, extensions={"sni_hostname": HOST}).status_code

            assert [post(f"192.0.2.{number}") for number in range(MOST_A_MINUTE)] == [202] * MOST_A_MINUTE
            assert post("192.0.2.200") == 404
        assert len(receiver.bodies()) == MOST_A_MINUTE


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in PROXIES])
def test_its_proxies_log_no_secret_while_the_receiver_is_down(tmp_path: Path, name: str):
    trust = ssl.create_default_context()
    with PROXIES[name](tmp_path, free_port()) as port:
        trust.load_verify_locations(tmp_path / "ca.pem")
        with httpx.Client(verify=trust, headers={"Host": f"{HOST}:{port}"}) as one:
            for body in (b"[]", b"x" * 2 * MOST_BYTES):
                posted = one.post(f"https://127.0.0.1:{port}{HOOK}", content=body, extensions={"sni_hostname": HOST})
                assert posted.status_code in (413, 502)
    logs = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert tmp_path / f"{name}.log" in logs
    assert [path for path in logs if HOOK.encode() in path.read_bytes()] == []


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
