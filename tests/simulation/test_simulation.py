"""A bounded number of seeds; `make soak` lives thousands. A failure tells the command that lives its seed again."""

from __future__ import annotations

import pytest

from .seeds import live

INSIDE = range(1, 13)


@pytest.mark.parametrize("seed", INSIDE)
def test_after_trouble_in_this_process_tables_are_the_world(seed: int):
    verdict = live(seed, "process")
    assert not verdict.broken, verdict.told()
