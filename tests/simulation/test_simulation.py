"""A bounded number of seeds; `make soak` lives thousands. A failure tells the command that lives its seed again."""

from __future__ import annotations

import pytest
from variants import some

from .conftest import Lived

SEEDS = some(range(1, 11), 4)


@pytest.mark.parametrize("seed", SEEDS)
def test_after_trouble_in_one_process_tables_are_the_world(seed: int, lived: Lived):
    verdict = lived(seed, "process")
    assert not verdict.broken, verdict.told()


@pytest.mark.parametrize(
    ("seed", "bug", "objection"),
    [
        (3, "no look-up: what is missing is gone", "no delete that the world did not make"),
        (12, "the page after a full last one is not asked for", "a certified read has all that stood still"),
        (17, "ids that a look-up does not show are believed gone", "a status is unknown where only the report"),
        (700327, "answers that were asked for ahead outlive the first attempt", "the copy asked for last is kept"),
    ],
)
def test_a_planted_bug_is_caught(lived: Lived, seed: int, bug: str, objection: str):
    assert objection in lived(seed, "process", bug).broken
