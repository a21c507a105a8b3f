"""The README is true: its commands run, its settings are the program's, its links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from propsync.settings import settings_table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line[2:] for block in BLOCKS for line in block.splitlines() if line.startswith("$ ")]

TRIGGERED = "prefect deployment run propsync-nightly/nightly"  # what tests/flows/test_deployments.py asks the API for
STAYING = {"propsync serve"}  # until it is stopped: tests/flows/test_serve.py runs it


def of_program(name: str) -> list[str]:
    return [command for command in COMMANDS if command.split()[0] == name]


def test_every_propsync_command_runs_in_the_order_shown(sandbox, tmp_path: Path):
    token = tmp_path / "propsync.token"
    token.write_text(sandbox.token)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PROPSYNC_")}
    environ |= {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PROPSYNC_BASE_URL": sandbox.base_url,
        "PROPSYNC_TOKEN_FILE": str(token),
        "PROPSYNC_HOME": str(tmp_path / "home"),
    }
    commands = [command for command in of_program("propsync") if command not in STAYING]
    assert len(commands) >= 7
    for command in commands:
        done = subprocess.run(
            command, shell=True, env=environ, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    assert (tmp_path / "overdue.csv").read_text().startswith("property_id,")


def test_every_make_target_exists():
    commands = of_program("make")
    assert "make demo" in commands
    assert "make test" in commands
    for command in commands:
        subprocess.run([*command.split(), "--dry-run"], cwd=ROOT, check=True, capture_output=True)


def test_the_settings_that_are_exported_are_settings():
    known = {name for name, _, _ in settings_table()}
    exported = [command.split()[1].partition("=")[0] for command in of_program("export")]
    assert exported
    assert set(exported) <= known


def test_every_prefect_command_is_run_by_the_test_of_the_deployment():
    running = (ROOT / "tests" / "flows" / "running.py").read_text(encoding="utf-8")
    commands = [command for command in of_program("prefect") if command != TRIGGERED]
    assert len(commands) == 4
    for command in commands:
        words = ", ".join(f'"{word}"' for word in command.split()[1:])
        assert words in running, command


def test_no_command_is_of_a_kind_that_nobody_runs():
    assert {command.split()[0] for command in COMMANDS} == {"make", ".", "propsync", "export", "prefect", "python"}


def test_the_scripts_for_prefect_are_those_that_tests_run():
    run = "".join((ROOT / "tests" / "flows" / name).read_text() for name in ("test_died.py", "test_deployments.py"))
    scripts = [command.split()[1] for command in of_program("python")]
    assert len(scripts) == 2
    assert all(Path(script).name in run for script in scripts)


def test_the_settings_table_is_the_programs():
    rows = re.findall(r"^\| (PROPSYNC_\w+) \| (.+) \| (.+) \|$", README, re.MULTILINE)
    known = {name: (meaning, default) for name, meaning, default in settings_table()}
    assert len(rows) >= 10
    for name, meaning, default in rows:
        assert known[name] == (meaning, default), name


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#]+)\)", README))))
def test_links_lead_somewhere(target: str):
    assert (ROOT / target).exists()


def test_the_questions_have_answers(sandbox, tmp_path: Path):
    import propsync
    from propsync_sandbox import write_reference

    home = tmp_path / "home"
    home.mkdir()
    write_reference(sandbox.world, home)
    (home / "propsync.toml").write_text('[reference]\nproperties = "properties.csv"\n')
    environ = os.environ | {"PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_TOKEN": sandbox.token}
    program = str(Path(sys.executable).with_name("propsync"))
    subprocess.run([program, "sync"], env=environ | {"PROPSYNC_HOME": str(home)}, check=True, capture_output=True)
    questions = re.search(r"^```sql\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert questions is not None
    with propsync.open(home / "published" / "warehouse.duckdb") as reader:
        asset_id, field_id = reader.rows("select asset_id, field_id from asset_field_values limit 1")[1][0]
        statements = questions[1].replace("'…'", f"'{asset_id}'", 1).replace("'…'", f"'{field_id}'").split(";\n")
        counts = [len(reader.rows(statement)[1]) for statement in statements if statement.strip()]
    assert counts[0] > 0
    assert counts[1:] == [120, 240, 1]


def test_the_notebook_example_runs(sandbox, tmp_path: Path):
    example = re.search(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert example is not None
    environ = os.environ | {
        "PROPSYNC_BASE_URL": sandbox.base_url,
        "PROPSYNC_TOKEN": sandbox.token,
        "PROPSYNC_HOME": str(tmp_path / "home"),
    }
    program = str(Path(sys.executable).with_name("propsync"))
    subprocess.run([program, "sync"], env=environ, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", example[1]], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "approved" in done.stdout
