"""The storages of the contract: a folder, and object stores on servers that really run."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from kit.stores import GIVEN, Stores
from variants import slow

from propsync.storage import LocalStorage, Storage
from propsync.storage.objects import ObjectStorage

QUICK: Any = {
    "max_retries": 2,
    "retry_timeout": timedelta(seconds=5),
    "backoff": {"init_backoff": timedelta(milliseconds=10), "max_backoff": timedelta(milliseconds=50), "base": 2},
}
"""The patience of tests: three requests, all within a moment."""

ATOMIC = ["ministack", *slow("azurite"), *(["given"] if GIVEN else [])]
"""Servers that check a condition and write in one step."""

SERVERS = [*ATOMIC, *slow("moto")]
"""moto checks and writes in two steps, so two threads may both succeed."""


@pytest.fixture(params=["local", *SERVERS])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """An empty storage of each kind."""
    if request.param == "local":
        return LocalStorage(tmp_path / "home")
    return of_server(request, request.param)


@pytest.fixture(params=SERVERS)
def objects(request: pytest.FixtureRequest) -> ObjectStorage:
    """An empty folder in a bucket of each server."""
    return of_server(request, request.param)


def of_server(request: pytest.FixtureRequest, name: str) -> ObjectStorage:
    stores: Stores = request.getfixturevalue("stores")
    return ObjectStorage(stores[name].access(), QUICK)
