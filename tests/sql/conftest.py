"""One warehouse for all cases; each finds it empty."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sql.running import emptied

from propsync.warehouse import Warehouse


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    """The warehouse as propsync makes it."""
    folder = tmp_path_factory.mktemp("warehouse")
    with Warehouse(folder / "state.duckdb", memory_limit="500MB", folder=folder) as warehouse:
        warehouse.execute("set timezone = 'UTC'")
        yield warehouse


@pytest.fixture
def warehouse(shared: Warehouse) -> Warehouse:
    """The same, without what the case before left in it."""
    emptied(shared)
    return shared
