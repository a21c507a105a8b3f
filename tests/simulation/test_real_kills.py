"""A bounded number of seeds whose runs are processes of their own, killed for real (see `test_simulation`)."""

from __future__ import annotations

import pytest
from variants import daily

from .conftest import Lived

KILLED = daily(range(1, 4), 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", KILLED)
def test_after_real_kills_tables_are_the_world(seed: int, lived: Lived):
    verdict = lived(seed, "kill")
    assert not verdict.broken, verdict.told()
