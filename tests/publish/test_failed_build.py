"""A list that was merged and could not be built into tables keeps yesterday's rows, and the others are published."""

from __future__ import annotations

from typing import Any

import propsync
from propsync.errors import MergeFailed
from propsync.merge.tables.assessment_tables import AssessmentTables
from propsync.runbooks import nightly
from propsync.settings import Settings
from propsync_sandbox import Sandbox


def told(settings: Settings, query: str) -> list[tuple[Any, ...]]:
    with propsync.open(settings.published / "warehouse.duckdb") as reader:
        return [tuple(row) for row in reader.sql(query).fetchall()]


def test_what_could_not_be_built_is_built_by_the_next_run(settings: Settings, sandbox: Sandbox, monkeypatch):
    def fails(*_: object) -> None:
        raise MergeFailed("warehouse.duckdb", "there was no memory left")

    assert nightly(settings).status == "ok"
    assessments = "select assessment_id, changed_at from assessments order by all"
    assets = "select asset_id, changed_at from assets order by all"
    before, assets_before = told(settings, assessments), told(settings, assets)
    sandbox.night()
    with monkeypatch.context() as patched:
        patched.setattr(AssessmentTables, "build", fails)
        report = nightly(settings)
    assert report.status == "attention"
    assert [line for line in report.left_behind if "there was no memory left" in line]
    assert told(settings, assessments) == before
    assert told(settings, assets) != assets_before
    assert nightly(settings).status == "ok"
    assert told(settings, assessments) != before
    missing = "select assessment_id from history.assessments where valid_to is null and change <> 'delete' "
    assert told(settings, f"{missing} except select assessment_id from assessments") == []
