"""One wheel for all, and one server, worker and sandbox for the tests that only trigger deployments."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from kit import wheel as wheels
from kit.prefect_server import SCHEDULES, FirstNight, Prefect
from kit.programs import BIN, environment, files_with
from kit.service import Service
from kit.shared import Shared

from propsync_sandbox import Sandbox


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that use a browser: not every machine has one."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def wheel(shared: Shared) -> Path:
    (built,) = shared.folder("wheel", wheels.build).glob("propsync-*.whl")
    return built


@pytest.fixture(scope="session")
def programs(shared: Shared, wheel: Path) -> Path:
    """The `bin` of an environment with the wheel."""
    return shared.folder("environment", partial(wheels.install, wheel)) / "bin"


# -- deployments on a Prefect server


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=150, seed=5) as running:
        yield running


@pytest.fixture(scope="session")
def settings(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    home = tmp_path_factory.mktemp("prefect-home") / "home"
    return {"PROPSYNC_BASE_URL": sandbox.base_url, "PROPSYNC_TOKEN": sandbox.token, "PROPSYNC_HOME": str(home)}


@pytest.fixture(scope="session")
def prefect(settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prefect]:
    with Prefect(tmp_path_factory.mktemp("prefect"), settings) as running:
        running.deploy()
        yield running


@pytest.fixture(scope="session")
def first(
    prefect: Prefect, sandbox: Sandbox, settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> FirstNight:
    """A run with nothing in its way but a slow answer, so that there is time to look at it while it is at work."""
    folder, seen = tmp_path_factory.mktemp("first-night"), set[Path]()
    sandbox.set_faults([{"match": SCHEDULES, "times": 1, "effect": {"kind": "delay", "seconds": 2}}])
    run = prefect.trigger(watch=lambda: seen.update(files_with(sandbox.token, prefect.root)))
    published = Path(settings["PROPSYNC_HOME"], "published", "warehouse.duckdb")
    shutil.copy(published, folder / "ours.duckdb")
    return FirstNight(run, seen, folder / "ours.duckdb", _synced(settings | {"PROPSYNC_HOME": str(folder / "home")}))


def _synced(settings: dict[str, str]) -> Path:
    # if it hangs it says where: `timeout` aborts it, and faulthandler prints the stack of each thread
    done = subprocess.run(
        ["timeout", "--signal=ABRT", "100", str(BIN / "propsync"), "sync"],
        env=environment(**settings, PYTHONFAULTHANDLER="1"),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return Path(settings["PROPSYNC_HOME"], "published", "warehouse.duckdb")


@pytest.fixture
def quiet(sandbox: Sandbox) -> Iterator[Sandbox]:
    """The sandbox without the faults of earlier tests; it leaves none to later ones."""
    sandbox.set_faults([])
    yield sandbox
    sandbox.set_faults([])


# -- one `propsync serve`


@pytest.fixture(scope="session")
def world() -> Iterator[Sandbox]:
    """The sandbox of the service."""
    with Sandbox(scale=120, seed=8) as running:
        yield running


@pytest.fixture(scope="session")
def service(programs: Path, world: Sandbox) -> Iterator[Service]:
    """In a folder that every user may enter: what others cannot read is to be the service's own doing."""
    settings = {"PROPSYNC_BASE_URL": world.base_url, "PROPSYNC_TOKEN": world.token}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        with closing(Service(programs, Path(folder), settings)) as made:
            yield made


@pytest.fixture(scope="session")
def serve(service: Service) -> Iterator[subprocess.Popen[bytes]]:
    with service.up() as running:
        yield running
        assert service.stop(running) == 0, service.err.read_text()
        assert service.processes() == []
