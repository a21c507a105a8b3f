"""What a run changed is told in words that agree with the tables, with SQL that runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from propsync.runbooks import news, nightly
from propsync.runbooks.news import in_markdown, in_words
from propsync.settings import Settings, load_settings
from propsync.warehouse import open_published
from propsync_sandbox import Sandbox


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(scale=60) as running:
        yield running


@pytest.fixture
def settings(sandbox: Sandbox, tmp_path: Path) -> Settings:
    named = {"BASE_URL": sandbox.base_url, "TOKEN": sandbox.token, "HOME": str(tmp_path / "home")}
    return load_settings(environ={f"PROPSYNC_{name}": value for name, value in named.items()})


def test_counts_and_names_are_those_of_the_run_and_its_sql_finds_the_same(settings, sandbox):
    nightly(settings)
    sandbox.night()
    report = nightly(settings)
    told = news(settings, report)
    assets = report.resources["assets"]
    assert f"- **assets**: {in_words(assets)}\n" in told
    assert "- 1 × label renamed: " in told
    assert " → " in told
    queries = [one for one in told.split("```")[1].removeprefix("sql").split(";") if one.strip()]
    with open_published(settings.published / "warehouse.duckdb") as reader:
        found = [reader.rows(query)[1] for query in queries]
    changed = {row[1] for row in found[0] if row[0] == "assets"}
    assert len(changed) == assets["inserted"] + assets["updated"] + assets["deleted"] > 0
    assert [row[2] for row in found[1]] == ["label renamed"]


def test_a_quiet_night_is_told_as_one(settings):
    nightly(settings)
    told = news(settings, nightly(settings))
    assert told.count("nothing changed") == 5
    assert "×" not in told


def test_a_part_that_was_not_read_whole_is_told(settings):
    report = nightly(settings)
    cut = {"assets": dict(report.resources["assets"]) | {"verdict": "incomplete"}}
    assert "(not read completely)" in news(settings, replace(report, resources=cut))


def test_documents_are_told_by_how_they_ended(settings):
    report = nightly(settings)
    came = {"stored": 1_200, "missing": 2, "failed": 0, "lacking": 5}
    told = news(settings, replace(report, documents=came))
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
