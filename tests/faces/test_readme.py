"""The README and the pages of docs/ are true: their commands and examples run, their settings are the program's."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from faces.pages import ELSEWHERE, PAGES, README, ROOT, Page, commands
from kit.command_line import CommandLine, Done, settings_of
from kit.programs import Program, environment

import propsync
from propsync.runbooks.workspace import configured_catalogue
from propsync.settings import load_settings, settings_table
from propsync.shapes import configured
from propsync_sandbox import Sandbox, write_reference

TRIGGERED = "prefect deployment run propsync-nightly/nightly"  # what tests/flows/test_deployments.py asks the API for
OF_TESTS, OWN_PYTHON = "TEST_S3", ".venv/bin/python"  # what tests/storage/test_page.py runs
STAYING = {  # until they are stopped
    "propsync serve": "tests/flows/test_serve.py",
    "propsync sandbox --scale 500 --port 8765": "tests/faces/test_sandbox_doc.py",
}
FROM_NOTHING = ("README.md", "getting-started.md")  # they say all that a first sync needs
FURTHER = "further-lists.md"  # its first settings file is that of its commands
OF_RICHER_HOMES = {  # their queries and examples need documents and more nights, or the client that they name
    "questions.md": "tests/questions/test_questions.py",
    "actions-and-flags.md": "tests/questions/test_questions.py",
    "compliance.md": "tests/questions/test_questions.py",
    "connect.md": "tests/clients/test_connect_page.py",
    "delta.md": "tests/clients/test_delta_page.py",
    "checks.md": "tests/questions/test_questions.py",
}

HERE = [page for page in PAGES.values() if page.name not in OF_RICHER_HOMES]
WRITING = "writing-back.md"
"""It changes its sandbox: test_writing_back_page.py follows it."""
OBJECT_STORAGE = "object-storage.md"
"""It needs a bucket: test_object_storage_page.py follows it."""
SHOWING = [
    page
    for page in PAGES.values()
    if page.name not in (*ELSEWHERE, WRITING, OBJECT_STORAGE) and set(page.commands("propsync")) - set(STAYING)
]
FIRST = ("README.md",)
"""The page that newcomers follow first; the others are followed in the long run."""
FOLLOWED = [page if page.name in FIRST else pytest.param(page, marks=pytest.mark.slow) for page in SHOWING]


@pytest.fixture(scope="module")
def listed(running_sandbox: Sandbox, synced_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that was synced with the list that the examples name."""
    home = tmp_path_factory.mktemp("listed") / "home"
    shutil.copytree(synced_once, home)
    write_reference(running_sandbox.world, home)
    (home / "propsync.toml").write_text('[reference]\nproperties = "properties.csv"\n')
    done = CommandLine(home.parent, exported(running_sandbox, home))("sync")
    assert done.returncode == 0, done.stderr
    return home


def exported(sandbox: Sandbox, home: Path) -> dict[str, str]:
    """What the README has people export."""
    token = home.parent / "propsync.token"
    token.write_text(sandbox.token)
    settings = settings_of(sandbox, home) | {"PROPSYNC_TOKEN_FILE": str(token)}
    del settings["PROPSYNC_TOKEN"]
    return settings


def _form(line: str) -> str:
    """A line of output without the numbers, places and sizes of one machine."""
    places = re.sub(r"https?://\S+|/\S+|\b(?:ext4|tmpfs|overlay|xfs|btrfs|fuse\S*)\b", "PLACE", line)
    return " ".join(re.sub(r"\d[\d.,]*( [kG]B)?", lambda found: "0 MB" if found[1] else "0", places).split())


@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.name)
def test_every_propsync_command_runs_in_the_order_shown(page: Page, sandbox, listed: Path, tmp_path: Path):
    home = tmp_path / "home"
    if page.name not in FROM_NOTHING:
        shutil.copytree(listed, home)
    if page.name == FURTHER:
        (home / "propsync.toml").write_text(page.blocks("toml")[0])
    (tmp_path / "overdue.sql").write_text(PAGES["questions.md"].blocks("sql")[0])  # as connect.md says
    (tmp_path / "text.txt").write_text("Ann Other\n")  # as privacy.md says
    for command, output in page.shown():
        if command in STAYING or command.split()[0] != "propsync":
            continue
        done = ran(command, tmp_path, exported(sandbox, home), in_a_shell=page == README)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        printed = {_form(line) for line in done.stdout.splitlines()}
        assert not [line for line in output if line != "…" and _form(line) not in printed], done.stdout
        if command.endswith("> overdue.csv"):
            assert (tmp_path / "overdue.csv").read_text().startswith("property_id,")


def ran(command: str, folder: Path, settings: dict[str, str], *, in_a_shell: bool) -> Done:
    """Runs a command that a page shows; also one that needs a shell for a pipe or a file runs in one."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    if in_a_shell or any(set(word) <= set("<>|&;()") for word in words):
        return Program(folder, settings).shell(command)
    return CommandLine(folder, settings)(*words[1:])


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
    assert set(exported) <= known | {OF_TESTS}


def test_every_prefect_command_is_run_by_the_test_of_the_deployment():
    running = (ROOT / "tests" / "kit" / "prefect_server.py").read_text(encoding="utf-8")
    shown = [command for command in commands("prefect") if command != TRIGGERED]
    assert len(shown) == 4
    for command in shown:
        words = ", ".join(f'"{word}"' for word in command.split()[1:])
        assert words in running, command


def test_no_command_is_of_a_kind_that_nobody_runs():
    kinds = {"make", ".", "propsync", "export", "prefect", "python", OWN_PYTHON}
    assert {command.split()[0] for command in commands()} == kinds


def test_the_scripts_for_prefect_are_those_that_tests_run():
    tests = ("test_died.py", "test_deployments.py", "test_push.py")
    run = "".join((ROOT / "tests" / "flows" / name).read_text() for name in tests)
    scripts = [command.split()[1] for command in commands("python")]
    assert len(scripts) == 3
    assert all(Path(script).name in run for script in scripts)


EXAMPLES = [(page.name, block) for page in PAGES.values() for block in page.blocks("toml")]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_every_settings_file_shown_is_one(name: str, example: str, tmp_path: Path):
    assert tomllib.loads(example)
    (tmp_path / "propsync.toml").write_text(example)
    settings = load_settings(environ={"PROPSYNC_HOME": str(tmp_path)})
    catalogue = configured_catalogue(settings)
    assert [configured(settings.shapes, resource, catalogue) for resource in catalogue.names]


@pytest.mark.parametrize("name", OF_RICHER_HOMES)
def test_the_queries_that_need_more_are_asked_elsewhere(name: str):
    assert PAGES[name].blocks("sql") or PAGES[name].blocks("python")
    asking = [ROOT / OF_RICHER_HOMES[name], ROOT / "tests" / "questions" / "page.py"]
    assert any(name in path.read_text(encoding="utf-8") for path in asking)


def test_the_questions_have_answers(listed: Path):
    shown = {page.name: "".join(page.blocks("sql")) for page in HERE if page.blocks("sql")}
    assert shown
    with propsync.open(listed / "published" / "warehouse.duckdb") as reader:
        of_assets = "select asset_id, count(value_text) as values from asset_field_values group by all"
        ((asset_id, values),) = reader.rows(f"{of_assets} order by values desc limit 1")[1]
        counts = {}
        for name, sql in shown.items():
            statements = sql.replace("'…'", f"'{asset_id}'").split(";\n")
            counts[name] = [len(reader.rows(statement)[1]) for statement in statements if statement.strip()]
    assert counts["analysts.md"][0] > 0
    assert counts["analysts.md"][2:4] == [240, 120]
    assert counts["analysts.md"][4] >= values, "each value of one asset"
    assert all(count > 0 for of_page in counts.values() for count in of_page)


def test_every_check_shown_is_one(sandbox, listed: Path, tmp_path: Path):
    home = tmp_path / "home"
    shutil.copytree(listed, home)
    (home / "checks").mkdir()
    examples = [block for block in PAGES["checks.md"].blocks("sql") if block.startswith("-- severity")]
    for number, example in enumerate(examples):
        (home / "checks" / f"example_{number}.sql").write_text(example)
    done = CommandLine(tmp_path, exported(sandbox, home))("sync")
    assert done.returncode == 0, done.stderr
    assert len(examples) == 2


@pytest.mark.slow
def test_the_notebook_example_runs(sandbox, listed: Path):
    examples = [block for page in HERE for block in page.blocks("python")]
    assert examples
    for example in examples:
        environ = environment(**exported(sandbox, listed))
        done = subprocess.run([sys.executable, "-c", example], env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "approved" in done.stdout
