"""A bounded number of seeds; `make soak` lives thousands. What failed here is lived again by the command that it tells."""

from __future__ import annotations

import pytest

from .seeds import live

INSIDE = range(1, 13)
KILLED = range(1, 4)


@pytest.mark.parametrize("seed", INSIDE)
def test_after_trouble_in_this_process_tables_are_the_world(seed: int):
    verdict = live(seed, "process")
    assert not verdict.broken, verdict.told()


@pytest.mark.parametrize("seed", KILLED)
def test_after_real_kills_tables_are_the_world(seed: int):
    verdict = live(seed, "kill")
    assert not verdict.broken, verdict.told()
