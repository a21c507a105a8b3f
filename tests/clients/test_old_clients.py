"""People's DuckDB clients open the published file, even if its metadata no longer fits into one block."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kit.clients import with_client
from kit.sandbox_home import SandboxHome

from propsync.warehouse import Warehouse
from propsync_sandbox import Sandbox

ROOT = Path(__file__).parents[2]
VERSIONS = ("1.2.2", "1.3.2", "1.4.1", "1.5.5")
LARGE = int(os.environ.get("SCALE", "4_000"))
"""Assets. From 4,000 on, metadata that was kept from night to night did not open in clients before 1.4.2."""
SCALES = [60, pytest.param(LARGE, marks=pytest.mark.slow)]


@pytest.fixture(scope="session", params=SCALES)
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxHome]:
    """Two nights of a sandbox."""
    with Sandbox(scale=request.param, seed=5) as sandbox:
        made = SandboxHome(sandbox, tmp_path_factory.mktemp("clients") / "home")
        assert made.sync().status == "ok"
        sandbox.night()
        assert made.sync().status == "ok"
        yield made


@pytest.fixture(scope="session")
def told_now(home: SandboxHome) -> dict[str, Any]:
    """What this release's own DuckDB finds in it."""
    return read(home.published)


def read(path: Path, version: str = "") -> dict[str, Any]:
    """Everything in a file, as a client of a version tells it; as the current one does without a version."""
    environ = with_client(f"duckdb-{version}" if version else "")
    program = [sys.executable, str(Path(__file__).with_name("reading.py")), str(path)]
    done = subprocess.run(program, capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, f"{version or 'now'}: {done.stderr[-2000:]}"
    found: dict[str, Any] = json.loads(done.stdout)
    assert found.pop("version") == (version or duckdb.__version__)
    return found


def test_the_file_is_worth_reading(home: SandboxHome, told_now: dict[str, Any]) -> None:
    least = 25 * home.rows("select count(*) from assets")[0][0]
    assert len(told_now["tables"]) >= 40
    assert sum(count for columns in told_now["tables"].values() for _, count in columns.values()) > least
    assert set(told_now["macros"]) >= {"changes_between", "assets_as_of", "assessments_as_of", "schedules_as_of"}
    rows, kinds, fields, _ = told_now["changes"]
    assert rows >= 10
    assert kinds == ["delete", "insert", "update"]
    assert fields > 10
    assert told_now["uncommented"] == []
    assert "the first moment is later" in told_now["refused"]


@pytest.mark.parametrize(
    "version", [pytest.param(one, marks=[pytest.mark.release] if one in VERSIONS[1:-1] else []) for one in VERSIONS]
)
def test_old_clients_read_the_same_in_every_table_view_macro_and_comment(
    home: SandboxHome, told_now: dict[str, Any], version: str
) -> None:
    assert read(home.published, version) == told_now


@pytest.mark.release
@pytest.mark.parametrize("home", SCALES[1:], indirect=True)
def test_what_people_open_does_not_depend_on_how_the_state_is_written(
    home: SandboxHome, told_now: dict[str, Any]
) -> None:
    """The state itself is written as suits it best, and old clients need not open it."""
    with Warehouse(home.state, memory_limit="500MB", folder=home.path / "state" / "work") as state:
        assert state.value("select current_setting('experimental_metadata_reuse')") is True
        for number in range(3):  # a part of each table is written again and again, the rest of its metadata is kept
            state.execute("update ops.runs set error = error || ?", [str(number)])
            state.execute("update history.assets set run_id = run_id where hash(asset_id) % 1000 = ?", [number])
            state.checkpoint()
    assert home.sync().status == "ok"
    path = home.published
    now = read(path)
    assert now["tables"]["history.assets"] == told_now["tables"]["history.assets"]
    assert {version for version in VERSIONS if read(path, version) != now} == set()
