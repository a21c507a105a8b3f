"""The examples of docs/connect.md run as they are written, on a real home."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from clients.test_flat import CLIENTS
from clients.test_old_clients import ROOT
from kit.clients import with_client
from kit.sandbox_home import SandboxHome

from propsync_sandbox import Sandbox

PAGE = (ROOT / "docs" / "connect.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"^```sql\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxHome]:
    """A home after its first sync of an estate that has lifts."""
    with Sandbox(scale=300, seed=5) as sandbox:
        made = SandboxHome(sandbox, tmp_path_factory.mktemp("connect") / "home")
        made.sync()
        yield made


@pytest.mark.release
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: re.findall(r"import (\w+)", example)[0])
def test_an_example_in_python_finds_rows(home: SandboxHome, example: str) -> None:
    environ = with_client(CLIENTS[re.findall(r"import (\w+)", example)[0]])
    name = re.findall(r"^ *(\w+) = ", example, re.MULTILINE)[-1]
    program = [sys.executable, "-c", f"{example}\nprint(len({name}))"]
    done = subprocess.run(program, cwd=home.path, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


@pytest.mark.release
def test_the_example_with_two_files_reads_the_history_of_each(
    home: SandboxHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = (one for one in QUERIES if "USE" in one)
    shutil.copy(home.published, home.path / "earlier.duckdb")
    new = home.sandbox.world.assets.add()
    home.sync()
    monkeypatch.chdir(home.path)
    with duckdb.connect() as connection:
        *before, asked = filter(str.strip, example.split(";"))
        for statement in before:
            connection.execute(statement)
        assert [row[0] for row in connection.execute(asked).fetchall()] == [new]
        (unnamed,) = connection.execute("select count(*) from earlier.assets_as_of(now())").fetchall()
        (named,) = connection.execute("select count(*) from today.assets_as_of(now())").fetchall()
        assert unnamed == named, "DuckDB does not read the file that is named: the page says so"


@pytest.mark.release
def test_the_example_of_a_copy_has_every_table_view_and_macro(
    home: SandboxHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    (example,) = (one for one in QUERIES if "COPY FROM" in one)
    monkeypatch.chdir(home.path)
    with duckdb.connect() as connection:
        connection.execute(example)
    counts = "select count(*) from duckdb_{}() where not internal"
    with (
        duckdb.connect("mine.duckdb") as mine,
        duckdb.connect(str(home.published), read_only=True) as published,
    ):
        for kind in ("tables", "views", "functions"):
            assert mine.sql(counts.format(kind)).fetchall() == published.sql(counts.format(kind)).fetchall()
        assert mine.sql("from assets_as_of(now())").fetchall() != []


@pytest.mark.release
def test_every_folder_that_the_page_names_is_published(home: SandboxHome) -> None:
    named = {*re.findall(r"published/([\w./]+\.\w+)", PAGE)}
    assert named >= {"warehouse.duckdb", "flat/by_type/passenger_lifts.parquet"}
    assert [name for name in named if not (home.published.parent / Path(name)).exists()] == []
