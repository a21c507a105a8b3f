"""One server, worker and sandbox for all that only trigger deployments: to start them takes longest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flows.running import Prefect

from propsync_sandbox import Sandbox


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for a browser is marked so: not every machine has one."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


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


@pytest.fixture
def quiet(sandbox: Sandbox) -> Iterator[Sandbox]:
    """The sandbox without the faults of whoever came before, and none for whoever comes after."""
    sandbox.set_faults([])
    yield sandbox
    sandbox.set_faults([])
