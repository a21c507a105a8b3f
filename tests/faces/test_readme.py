"""The README and the pages of docs/ are true: their commands and examples run, their settings are the program's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from faces.pages import ELSEWHERE, PAGES, README, ROOT, Page, commands

import propsync
from propsync.resources import RESOURCES
from propsync.settings import load_settings, settings_table
from propsync.shapes import configured
from propsync_sandbox import Sandbox, write_reference

TRIGGERED = "prefect deployment run propsync-nightly/nightly"  # what tests/flows/test_deployments.py asks the API for
STAYING = {  # until they are stopped
    "propsync serve": "tests/flows/test_serve.py",
    "propsync sandbox --scale 500 --port 8765": "tests/faces/test_sandbox_doc.py",
}
FROM_NOTHING = ("README.md", "getting-started.md")  # they say all that a first sync needs

PROGRAM = str(Path(sys.executable).with_name("propsync"))
SHOWING = [page for page in PAGES.values() if page.name != ELSEWHERE and set(page.commands("propsync")) - set(STAYING)]


@pytest.fixture(scope="module")
def synced(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that was synced, with the list that the examples name."""
    home = tmp_path_factory.mktemp("synced") / "home"
    home.mkdir()
    write_reference(sandbox.world, home)
    (home / "propsync.toml").write_text('[reference]\nproperties = "properties.csv"\n')
    subprocess.run([PROGRAM, "sync"], env=environment(sandbox, home), check=True, capture_output=True)
    return home


def environment(sandbox: Sandbox, home: Path) -> dict[str, str]:
    """What the README has people export."""
    token = home.parent / "propsync.token"
    token.write_text(sandbox.token)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")}
    return environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PROPSYNC_BASE_URL": sandbox.base_url,
        "PROPSYNC_TOKEN_FILE": str(token),
        "PROPSYNC_HOME": str(home),
    }


def _form(line: str) -> str:
    """A line of output without the numbers, places and sizes of one machine."""
    places = re.sub(r"https?://\S+|/\S+|\b(?:ext4|tmpfs|overlay|xfs|btrfs|fuse\S*)\b", "PLACE", line)
    return " ".join(re.sub(r"\d[\d.,]*", "0", places).replace("0 GB", "0 MB").split())


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.name)
def test_every_propsync_command_runs_in_the_order_shown(page: Page, sandbox, synced: Path, tmp_path: Path):
    home = tmp_path / "home"
    if page.name not in FROM_NOTHING:
        shutil.copytree(synced, home)
    for command, output in page.shown():
        if command in STAYING or command.split()[0] != "propsync":
            continue
        done = subprocess.run(
            command,
            shell=True,
            env=environment(sandbox, home),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        printed = {_form(line) for line in done.stdout.splitlines()}
        assert not [line for line in output if line != "…" and _form(line) not in printed], done.stdout
        if command.endswith("> overdue.csv"):
            assert (tmp_path / "overdue.csv").read_text().startswith("property_id,")


def test_the_pages_show_every_command_that_does_something():
    shown = [command.split()[1:] for command in commands("propsync")]
    first = {words[0] for words in shown}
    assert first >= {"sync", "doctor", "status", "query", "archive", "backfill", "rebuild", "serve", "sandbox"}
    assert {words[1] for words in shown if words[0] == "archive" and len(words) > 1} >= {"verify", "export"}
    assert len(README.commands("propsync")) >= 7
    assert len(shown) >= 28


def test_the_readme_is_short():
    assert len(README.text.splitlines()) < 150


@pytest.mark.parametrize("command", STAYING)
def test_commands_that_stay_are_run_elsewhere(command: str):
    test = (ROOT / STAYING[command]).read_text(encoding="utf-8")
    assert command in commands("propsync")
    assert command.split()[1] in test


@pytest.mark.parametrize("command", sorted(set(commands("make"))))
def test_every_make_target_exists(command: str):
    subprocess.run([*command.split(), "--dry-run"], cwd=ROOT, check=True, capture_output=True)


def test_the_pages_show_how_to_begin_and_how_to_test():
    assert {"make demo", "make setup", "make test", "make test-long", "make lint", "make docs"} <= set(commands("make"))


def test_the_settings_that_are_exported_are_settings():
    known = {name for name, _, _ in settings_table()}
    exported = [command.split()[1].partition("=")[0] for command in commands("export")]
    assert exported
    assert set(exported) <= known


def test_every_prefect_command_is_run_by_the_test_of_the_deployment():
    running = (ROOT / "tests" / "flows" / "running.py").read_text(encoding="utf-8")
    shown = [command for command in commands("prefect") if command != TRIGGERED]
    assert len(shown) == 4
    for command in shown:
        words = ", ".join(f'"{word}"' for word in command.split()[1:])
        assert words in running, command


def test_no_command_is_of_a_kind_that_nobody_runs():
    assert {command.split()[0] for command in commands()} == {"make", ".", "propsync", "export", "prefect", "python"}


def test_the_scripts_for_prefect_are_those_that_tests_run():
    run = "".join((ROOT / "tests" / "flows" / name).read_text() for name in ("test_died.py", "test_deployments.py"))
    scripts = [command.split()[1] for command in commands("python")]
    assert len(scripts) == 2
    assert all(Path(script).name in run for script in scripts)


EXAMPLES = [(page.name, block) for page in PAGES.values() for block in page.blocks("toml")]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_every_settings_file_shown_is_one(name: str, example: str, tmp_path: Path):
    assert tomllib.loads(example)
    (tmp_path / "propsync.toml").write_text(example)
    settings = load_settings(environ={"PROPSYNC_HOME": str(tmp_path)})
    assert [configured(settings.shapes, resource) for resource in RESOURCES]


def test_the_questions_have_answers(synced: Path):
    shown = {page.name: "".join(page.blocks("sql")) for page in PAGES.values() if page.blocks("sql")}
    assert len(shown) >= 2
    with propsync.open(synced / "published" / "warehouse.duckdb") as reader:
        asset_id, field_id = reader.rows("select asset_id, field_id from asset_field_values limit 1")[1][0]
        counts = {}
        for name, sql in shown.items():
            statements = sql.replace("'…'", f"'{asset_id}'", 1).replace("'…'", f"'{field_id}'").split(";\n")
            counts[name] = [len(reader.rows(statement)[1]) for statement in statements if statement.strip()]
    assert counts["analysts.md"][0] > 0
    assert counts["analysts.md"][1:4] == [120, 240, 1]
    assert all(count > 0 for of_page in counts.values() for count in of_page)


def test_the_notebook_example_runs(sandbox, synced: Path):
    examples = [block for page in PAGES.values() for block in page.blocks("python")]
    assert examples
    for example in examples:
        done = subprocess.run(
            [sys.executable, "-c", example],
            env=environment(sandbox, synced),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "approved" in done.stdout
