"""Promises of words: propsync takes those that it knows, names those that it does not, and propsync.toml wins."""

from pathlib import Path

import pytest

from propsync.desk.words import DEFAULTS, _chosen, chosen_words
from propsync.settings import DeskSettings
from propsync.warehouse import Warehouse

USUAL = DEFAULTS["action_open"]


@pytest.mark.parametrize(
    ("seen", "words", "source"),
    [
        (["open"], USUAL, "found"),
        (["in-progress", "open"], (*USUAL, "in-progress"), "found"),
        (["acknowledged", "mystery"], (*USUAL, "acknowledged"), "found"),
        (["mystery"], USUAL, "default"),
        ([], USUAL, "default"),
        (["open", *(f"word {number}" for number in range(50))], USUAL, "default"),
    ],
)
def test_open_are_the_usual_words_and_those_in_the_data_that_mean_it(seen, words, source):
    found = _chosen(None, "action_open", seen)
    assert (found.words, found.source) == (words, source)
    assert ("mystery" in found.evidence) is ("mystery" in seen)


def test_priorities_rank_by_what_their_words_mean_and_an_unknown_one_is_named():
    found = _chosen(None, "priority_order", ["intolerable", "p2", "purple", "trivial", "very high"])
    assert found.words == (
        *("intolerable", "critical", "very high", "urgent", "p2", "high", "medium", "low", "trivial"),
    )
    assert found.evidence.endswith("does not know the meaning of purple")


def test_all_that_is_as_urgent_as_high_comes_up_to_it():
    words = _chosen(None, "priority_order", ["intolerable", "major", "medium", "p2", "substantial"]).words
    assert words[words.index("high") + 1 :] == ("medium", "low")


def test_words_for_failing_are_those_that_options_offer_beside_the_usual():
    found = _chosen(None, "fails", ["condemned", "good", "poor"])
    assert found.words == (*DEFAULTS["fails"], "condemned")
    assert "good" not in found.evidence
    assert _chosen(None, "fails", ["good"]).words == DEFAULTS["fails"]


def test_propsync_toml_wins_whatever_the_data_shows():
    found = _chosen(("raised",), "flag_open", ["open"])
    assert (found.words, found.source) == (("raised",), "configured")


@pytest.mark.parametrize("column", ["priority", "severity"])
def test_priorities_of_flags_rank_as_those_of_actions_do(tmp_path: Path, column: str):
    with Warehouse(tmp_path / "state.duckdb", memory_limit="1GB", folder=tmp_path) as warehouse:
        warehouse.execute(f"alter table main.assessment_flags add column {column} varchar")
        rows = f"insert into main.assessment_flags (assessment_id, flag_position, {column})"
        warehouse.execute(f"{rows} values ('a', 1, 'Intolerable'), ('a', 2, 'Purple')")
        found = chosen_words(warehouse, DeskSettings(), [("assessment_flags", column, column)])["priority_order"]
    assert found.words[0] == "intolerable"
    assert found.evidence.endswith("does not know the meaning of purple")
