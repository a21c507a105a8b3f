"""Delta tables live in the bucket too: a new machine adds to their log, so that older versions stay readable."""

from __future__ import annotations

import shutil

import pytest
from deltalake import DeltaTable
from kit.bucket import flaws
from kit.delta import delta_rows
from kit.small_api import asset

from .conftest import Machine, Machines

ASSETS = "published/delta/main/assets"


def with_delta(machine: Machine) -> Machine:
    machine.usual["delta"] = "main"
    return machine


@pytest.mark.slow
def test_a_new_machine_continues_the_versions_of_a_table(machines: Machines) -> None:
    first = with_delta(machines("first"))
    assert first.sync().exit_code == 0
    machines.api.assets.append(asset("a9", note="later"))
    assert first.sync().exit_code == 0
    versions = [delta_rows(machines.bucket.root / ASSETS, version) for version in (0, 1)]
    identity = DeltaTable(machines.bucket.root / ASSETS).metadata().id
    shutil.rmtree(first.path)
    second = with_delta(machines("second"))
    assert second.rebuild().exit_code == 0
    machines.api.assets.append(asset("a10", note="last"))
    assert second.sync().exit_code == 0
    assert flaws(machines.bucket, second.path) == []
    table = DeltaTable(machines.bucket.root / ASSETS)
    assert table.metadata().id == identity
    assert [delta_rows(machines.bucket.root / ASSETS, version) for version in (0, 1)] == versions
    assert len(table.to_pyarrow_table()) == len(versions[1]) + 1
