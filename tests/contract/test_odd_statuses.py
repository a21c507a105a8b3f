"""An API may write its statuses with capitals: they mean the same, in the marts and for documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kit.dialects import Dialect
from kit.small_api import SmallHome, assessment
from kit.world import small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer

from propsync.runbooks.doctor.examine import examine


@pytest.mark.costly
@pytest.mark.parametrize("written", ["Approved", "approved", "APPROVED"])
def test_an_approval_counts_however_the_api_writes_it(small_nights: SmallHome, desk: None, written: str) -> None:
    api = small_nights.server
    api.assessments = [assessment(f"s{n}", status=written, performedDate="2026-01-05") for n in range(4)]

    def listed(query: dict[str, str]) -> Any:
        is_asked = "approved" in query["status"].split(",") and "For" in query["performed"]
        shown = api.assessments if is_asked else []
        return {"total": len(shown), "assessments": shown[: int(query["limit"])]}

    api.listed = listed  # type: ignore[method-assign]  # an API whose filter takes capitals and small letters alike
    assert small_nights.sync().exit_code == 0
    assert small_nights.column("select last_approved_on::varchar from marts.compliance") == ["2026-01-05"]
    assert small_nights.column("select approved_assessments from marts.properties") == [4]
    assert small_nights.column("select value from ops.desk where setting = 'assessment_date'") == ["performedDate"]
    assert small_nights.column("select count(*) from marts.document_coverage") == [8]


def test_doctor_names_each_status_that_somebody_set_and_no_record_has(tmp_path: Path) -> None:
    with WorldServer(Dialect(small_world(assets=6, assessments=12, schedules=12))) as server:
        home = WorldHome(tmp_path / "home", server)
        misspelt = home.settings(assessment_statuses="aproved,approved", schedule_statuses="notstarted")
        found = [one for one in examine(misspelt) if one.what.startswith("statuses")]
        assert [one for one in examine(home.settings()) if one.what.startswith("statuses")] == []
    assert [(one.what, one.is_well) for one in found] == [("statuses of assessments", False)]
    assert found[0].seen == "no record has the status aproved (PROPSYNC_ASSESSMENT_STATUSES, environment)"


def test_doctor_names_a_status_of_documents_that_no_assessment_has(tmp_path: Path) -> None:
    """The archive would say that it has every wanted document."""
    with WorldServer(Dialect(small_world(assets=6, assessments=12, schedules=12))) as server:
        home = WorldHome(tmp_path / "home", server)
        misspelt = home.settings(archive_statuses="Approved,aproved")
        found = [one for one in examine(misspelt) if one.what.startswith("statuses")]
    assert [(one.what, one.is_well) for one in found] == [("statuses of documents", False)]
    assert found[0].seen == "no record has the status aproved (PROPSYNC_ARCHIVE_STATUSES, environment)"
