"""Promises of words: propsync takes those that it knows, names those that it does not, and propsync.toml wins."""

from pathlib import Path

import pytest

from propsync.desk.named_columns import Named
from propsync.desk.words import DEFAULTS, Words, _chosen, chosen_words
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


def test_words_that_propsync_toml_lacks_are_named():
    found = _chosen(("in progress",), "action_open", ["in-progress", "mystery"])
    assert found.evidence == "propsync.toml says so; propsync does not know the meaning of mystery"
    assert "good" not in _chosen(("bad",), "fails", ["good"]).evidence


@pytest.mark.parametrize(
    ("table", "position", "column"),
    [
        ("assessment_flags", "flag_position", "priority"),
        ("assessment_flags", "flag_position", "severity"),
        ("bundle_actions", "row_number", "severity"),
        ("bundle_actions", "row_number", "risk_rating"),
        ("assessment_flags", "flag_position", "level"),
    ],
)
def test_priorities_rank_in_every_column_that_may_hold_them(tmp_path: Path, table: str, position: str, column: str):
    found = seen_in(tmp_path, table, position, column, ["Intolerable", "Purple"])["priority_order"]
    assert found.words[0] == "intolerable"
    assert found.evidence.endswith("does not know the meaning of purple")


@pytest.mark.parametrize(
    ("column", "cells"),
    [("level", ["1", "2"]), ("level", ["High", "1"]), ("risk_rating", ["High", "By the river", "Green"])],
)
def test_a_column_that_may_hold_something_else_ranks_nothing(tmp_path: Path, column: str, cells: list[str]):
    assert seen_in(tmp_path, "bundle_actions", "row_number", column, cells)["priority_order"].source == "default"


@pytest.mark.parametrize("column", ["state", "stage", "action_status"])
def test_a_column_of_actions_with_another_name_shows_their_states_too(tmp_path: Path, column: str):
    found = seen_in(tmp_path, "bundle_actions", "row_number", column, ["Not started", "Complete", "Purple"])
    assert found["action_open"].words == (*DEFAULTS["action_open"], "not started")
    assert found["action_open"].evidence.endswith("does not know the meaning of purple")


def test_words_that_people_call_closed_are_those_and_no_word_of_unknown_meaning(tmp_path: Path):
    cells = ["Offen", "Erledigt", "Closed"]
    closed = DeskSettings(flag_closed=("erledigt",))
    found = seen_in(tmp_path, "assessment_flags", "flag_position", "status", cells, closed)
    assert (found["flag_closed"].words, found["flag_closed"].source) == (("erledigt",), "configured")
    assert found["flag_open"].evidence.endswith("does not know the meaning of closed, offen")
    assert found["action_closed"] == Words(DEFAULTS["action_closed"], "default", "propsync.toml does not say")


def test_a_usual_word_for_open_that_people_call_closed_is_closed(tmp_path: Path):
    """It stayed open, whatever propsync.toml said."""
    settings = DeskSettings(flag_closed=("active", "on file"))
    words = seen_in(tmp_path, "assessment_flags", "flag_position", "status", ["Active", "Raised"], settings)
    assert (words["flag_open"].words, words["flag_closed"].words) == (
        ("open", "raised", "reopened"),
        settings.flag_closed,
    )


@pytest.mark.parametrize(("part", "entry"), [("status", "action_open"), ("priority", "priority_order")])
def test_words_in_a_column_that_people_name_are_told_under_any_name(tmp_path: Path, part: str, entry: str):
    named: Named = {"bundle_actions": {part: ("stand",)}}
    words = seen_in(tmp_path, "bundle_actions", "row_number", "stand", ["Ruht", "Offen"], named=named)[entry]
    assert words.evidence == "no word in the data is known; propsync does not know the meaning of offen, ruht"


def test_yes_and_no_in_a_named_column_that_says_what_is_open_are_no_words(tmp_path: Path):
    named: Named = {"bundle_actions": {"status": ("is_open",)}}
    words = seen_in(tmp_path, "bundle_actions", "row_number", "is_open", ["true", "false"], named=named)
    assert words["action_open"].evidence == "no word in the data is known"


def seen_in(
    folder: Path,
    table: str,
    position: str,
    column: str,
    cells: list[str],
    settings: DeskSettings | None = None,
    named: Named | None = None,
) -> dict[str, Words]:
    """The words of each entry if the data has these cells alone."""
    with Warehouse(folder / "state.duckdb", memory_limit="1GB", folder=folder) as warehouse:
        warehouse.execute(f"alter table main.{table} add column {column} varchar")
        for number, cell in enumerate(cells, 1):
            row = f"insert into main.{table} (assessment_id, {position}, {column}) values ('a', ?, ?)"
            warehouse.execute(row, [number, cell])
        return chosen_words(warehouse, settings or DeskSettings(), [(table, column, column)], named or {})
