"""The news of a run agree with the tables, and their SQL runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kit.archives import SMALL, Place, place

from propsync.runbooks import news
from propsync.runbooks.news import in_markdown, in_words
from propsync.warehouse import open_published


@pytest.fixture
def home(synced_small: Path, tmp_path: Path) -> Iterator[Place]:
    """A sandbox, and a home that was synced from it."""
    with place(tmp_path / "home", synced_small, scale=SMALL) as made:
        yield made


@pytest.mark.slow
def test_counts_and_names_are_those_of_the_run_and_its_sql_finds_the_same(home: Place) -> None:
    home.sandbox.night()
    report = home.sync()
    told = news(home.settings(), report)
    assets = report.resources["assets"]
    assert f"- **assets**: {in_words(assets)}\n" in told
    assert "- 1 × label renamed: " in told
    assert " → " in told
    queries = [one for one in told.split("```")[1].removeprefix("sql").split(";") if one.strip()]
    with open_published(home.published) as reader:
        found = [reader.rows(query)[1] for query in queries]
    changed = {row[1] for row in found[0] if row[0] == "assets"}
    assert len(changed) == assets["inserted"] + assets["updated"] + assets["deleted"] > 0
    assert [row[2] for row in found[1]] == ["label renamed"]


def test_a_quiet_night_is_told_as_one(home: Place) -> None:
    told = news(home.settings(), home.sync())
    assert told.count("nothing changed") == 5
    assert "×" not in told


def test_a_part_that_was_not_read_whole_is_told(home: Place) -> None:
    report = home.sync()
    cut = {"assets": dict(report.resources["assets"]) | {"verdict": "incomplete"}}
    assert "(not read completely)" in news(home.settings(), replace(report, resources=cut))


def test_documents_are_told_by_how_they_ended(home: Place) -> None:
    report = home.sync()
    came = {"stored": 1_200, "missing": 2, "failed": 0, "lacking": 5}
    told = news(home.settings(), replace(report, documents=came))
    assert "- **documents**: 1,200 new, 2 missing in the API, 5 still lacking\n" in told


def test_words_are_of_what_happened_alone():
    assert in_words({"inserted": 4, "updated": 1_012, "deleted": 0, "held": 30, "fetched": 9}) == (
        "4 new, 1,012 changed, 30 held"
    )
    assert in_words({"unchanged": 9}) == "nothing changed"


def test_names_of_others_are_no_markup_and_no_longer_than_they_should_be():
    hostile = "x`|\n\n# All gone\n[Sign in](http://evil/)\n```"
    assert in_markdown(hostile, 80) == "x\\`\\|  \\# All gone \\[Sign in\\](http://evil/) \\`\\`\\`"
    assert in_markdown("a" * 200_000, 80) == "a" * 80 + "…"
