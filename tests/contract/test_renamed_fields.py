"""A field whose label changes keeps its role in the marts, and propsync says so."""

from __future__ import annotations

from typing import Any

import pytest
from kit.small_api import SmallHome

from propsync.runbooks.doctor.examine import examine

pytestmark = pytest.mark.usefixtures("desk")

INSTALLED = "select count(installed_on) from marts.asset_register"


def _pumps(*fields: tuple[str, str]) -> dict[str, Any]:
    defined = [{"id": field_id, "type": "text", "label": label} for field_id, label in fields]
    return {"id": "t1", "name": "Pumps", "fields": defined}


def _pump(key: str) -> dict[str, Any]:
    results = [
        {"type": "date", "field": "f1", "value": "2020-05-06"},
        {"type": "date", "field": "f2", "value": "2021-01-01"},
    ]
    return {"id": key, "property": "p1", "type": "t1", "fields": results}


@pytest.mark.slow
def test_a_renamed_field_keeps_its_role_and_propsync_says_so(small_nights: SmallHome) -> None:
    home = small_nights
    home.server.types = [_pumps(("f1", "Date installed"), ("f2", "Painted"))]
    home.server.assets = [_pump(f"a{number}") for number in range(3)]
    home.sync()
    assert home.column(INSTALLED) == [3]
    home.server.types = [_pumps(("f1", "Date installed (v73)"), ("f2", "Painted"))]
    assert home.sync().exit_code == 0
    assert home.column(INSTALLED) == [3]
    told = "select value, source from ops.desk where setting = 'roles.installed'"
    assert home.rows(told) == [("Pumps: Date installed (v73)", "former")]
    roles = "select role, field_id, source, evidence from ops.roles"
    (role,) = home.rows(roles)
    assert role[:3] == ("installed", "f1", "former")
    seen = {finding.what: finding.seen for finding in examine(home.settings())}
    assert "keep that of a former label" in seen["desk roles.installed"]
    home.rebuild()
    assert (home.rows(roles), home.column(INSTALLED)) == ([role], [3])


@pytest.mark.slow
def test_a_column_names_the_former_labels_of_its_field_after_a_rebuild_too(small_nights: SmallHome) -> None:
    home = small_nights
    home.server.types = [_pumps(("f1", "Date installed"), ("f2", "Painted"))]
    home.server.assets = [_pump("a1")]
    home.sync()
    home.server.types = [_pumps(("f1", "Fitted"), ("f2", "Painted"))]
    home.sync()
    comments = "select comment from duckdb_columns() where schema_name = 'by_type' and column_name = 'date_installed'"
    (before,) = home.column(comments)
    assert "Fitted (date field). Formerly: Date installed." in before
    home.rebuild()
    assert home.column(comments) == [before]


@pytest.mark.release
def test_another_field_takes_the_role_over_by_its_present_label(small_nights: SmallHome) -> None:
    home = small_nights
    home.server.types = [_pumps(("f1", "Date installed"), ("f2", "Painted"))]
    home.server.assets = [_pump("a1")]
    home.sync()
    home.server.types = [_pumps(("f1", "Bought"), ("f2", "Fitted"))]
    home.sync()
    assert home.column("select installed_on::varchar from marts.asset_register") == ["2021-01-01"]
    assert home.rows("select 1 from ops.desk where source = 'former'") == []
