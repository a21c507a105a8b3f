"""A bounded number of seeds; `make soak` runs thousands. A failure prints the command that runs its seed again."""

from __future__ import annotations

import pytest

from .conftest import Lived

SEEDS = [1, pytest.param(5, marks=pytest.mark.release), pytest.param(10, marks=pytest.mark.release)]


@pytest.mark.parametrize("seed", SEEDS)
def test_after_trouble_in_one_process_tables_are_the_world(seed: int, lived: Lived):
    verdict = lived(seed, "process")
    assert not verdict.broken, verdict.told()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [7, pytest.param(12, marks=pytest.mark.release)])
def test_after_trouble_with_a_bucket_tables_are_the_world(seed: int, lived: Lived):
    verdict = lived(seed, "bucket")
    assert not verdict.broken, verdict.told()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [796, pytest.param(48, marks=pytest.mark.release)])
def test_an_erasure_amid_trouble_leaves_no_trace_and_all_else(seed: int, lived: Lived):
    verdict = lived(seed, "process")
    assert not verdict.broken, verdict.told()
    assert any(name.startswith("erased ") for name in verdict.coverage)


@pytest.mark.slow
def test_a_planted_bug_is_caught(lived: Lived):
    bug = "no look-up: what is missing is gone"
    assert "no delete that the world did not make" in lived(3, "process", bug).broken


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "bug", "objection"),
    [
        (12, "the page after a full last one is not asked for", "a certified read has all that stood still"),
        pytest.param(
            *(538, "a further list without a filter deletes what the list omits", "a person accepts each delete"),
            marks=pytest.mark.release,
        ),
        pytest.param(
            *(54, "ids that a look-up does not show are believed gone", "a status is unknown where only the report is"),
            marks=pytest.mark.release,
        ),
        pytest.param(
            *(358, "a new asset is sent again without a look", "no more is created than was planned"),
            marks=pytest.mark.release,
        ),
        pytest.param(
            *(329, "an edit by somebody else is overwritten", "an edit by others stays"), marks=pytest.mark.release
        ),
        pytest.param(
            *(442, "a rebuild forgets lists that propsync.toml no longer names", "rebuild = incremental"),
            marks=pytest.mark.release,
        ),
    ],
)
def test_further_planted_bugs_are_caught(lived: Lived, seed: int, bug: str, objection: str):
    assert objection in lived(seed, "process", bug).broken
