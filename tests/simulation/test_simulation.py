"""A bounded number of seeds; `make soak` lives thousands. A failure tells the command that lives its seed again."""

from __future__ import annotations

import pytest
from variants import some

from .conftest import Lived

SEEDS = some(range(1, 11), 5)


@pytest.mark.parametrize("seed", SEEDS)
def test_after_trouble_in_one_process_tables_are_the_world(seed: int, lived: Lived):
    verdict = lived(seed, "process")
    assert not verdict.broken, verdict.told()


def test_a_planted_bug_is_caught(lived: Lived):
    broken = lived(3, "process", "no look-up: what is missing is gone").broken
    assert "no delete that the world did not make" in broken
