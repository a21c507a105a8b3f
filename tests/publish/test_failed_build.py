"""A list that was merged and could not be built into tables keeps yesterday's rows, and the others are published."""

from __future__ import annotations

import pytest
from kit.sandbox_home import SandboxHome

from propsync.errors import MergeFailed
from propsync.merge.tables.assessment_tables import AssessmentTables


@pytest.mark.slow
def test_what_could_not_be_built_is_built_by_the_next_run(home: SandboxHome, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise MergeFailed("warehouse.duckdb", "there was no memory left")

    assessments = "select assessment_id, changed_at from assessments order by all"
    assets = "select asset_id, changed_at from assets order by all"
    before, assets_before = home.rows(assessments), home.rows(assets)
    home.sandbox.night()
    with monkeypatch.context() as patched:
        patched.setattr(AssessmentTables, "build", fails)
        report = home.sync()
    assert report.status == "attention"
    assert [line for line in report.left_behind if "there was no memory left" in line]
    assert home.rows(assessments) == before
    assert home.rows(assets) != assets_before
    assert home.sync().status == "ok"
    assert home.rows(assessments) != before
    missing = "select assessment_id from history.assessments where valid_to is null and change <> 'delete' "
    assert home.rows(f"{missing} except select assessment_id from assessments") == []
