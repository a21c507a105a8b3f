"""A run that dies at any request that changes the bucket: the next run is right, and the bucket is whole and clean."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from kit.bucket import MUTATING, FolderBucket, flaws, put_back
from kit.deaths import Killed
from kit.small_api import asset

from propsync.bucket.lease import LEASE
from propsync.errors import StorageAway

from .conftest import Machine, Machines

_FEWEST = 10
"""A night with a change asks that often at least."""


class Death:
    """Death before the n-th request that changes the bucket, or after it; the disk stays as it was then."""

    def __init__(self, home: Path, number: int, *, after: bool) -> None:
        self.count = 0
        self._home, self._number, self._after = home, number, after
        self._aside = home.with_name("at death")
        self._is_dead = False

    @contextmanager
    def around(self, verb: str, key: str) -> Iterator[None]:
        if self._is_dead and key == LEASE:
            raise StorageAway(key, "nobody asks")
        if verb not in MUTATING or key == LEASE:
            yield
            return
        self.count += 1
        is_now = self.count == self._number
        if self._is_dead or (is_now and not self._after):
            self._die()
        yield
        if is_now:
            self._die()

    def _die(self) -> None:
        if not self._is_dead:
            self._is_dead = True
            shutil.copytree(self._home, self._aside)
        raise Killed

    def bury(self) -> None:
        """The home becomes what it was at the moment of death."""
        if self._is_dead:
            put_back(self._home, self._aside)


def dies(machine: Machine, number: int, *, after: bool) -> bool:
    """Whether a sync dies there: one that asks less often ends before it."""
    death = Death(machine.path, number, after=after)
    machine.bucket.around = death.around
    try:
        machine.sync()
    except Killed:
        return True
    finally:
        machine.bucket.around = FolderBucket(machine.bucket.root).around
        death.bury()
    return False


@pytest.mark.slow
@pytest.mark.parametrize("step", [13, pytest.param(1, marks=[pytest.mark.release, pytest.mark.timeout(1800)])])
def test_after_a_death_at_a_put_the_next_run_is_right_and_the_bucket_clean(machines: Machines, step: int) -> None:
    machine = machines("machine")
    assert machine.sync().exit_code == 0
    for number in count(1, step):
        for after in (False, True):
            machines.api.assets.append(asset(f"{number} {after}"))
            if not dies(machine, number, after=after):
                assert number > _FEWEST
                return
            assert machine.sync().exit_code == 0
            assert flaws(machine.bucket, machine.path) == []
            assert machine.column("select count(*) from assets") == [len(machines.api.assets)]
            assert machine.column("select count(*) from history.assets where valid_to is null") == [
                len(machines.api.assets)
            ]
