"""Compliance as known then: a property that the API shows later, or no more, changes no count of an earlier day."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from kit.small_api import SmallHome, assessment

from propsync.runbooks.doctor.lists import examine_lists

pytestmark = pytest.mark.usefixtures("desk")

EVENING = datetime(2026, 3, 31, 20, tzinfo=UTC)
WEEKS_AFTER = datetime(2026, 4, 20, 1, tzinfo=UTC)
MONTHS_AFTER = datetime(2026, 5, 21, 1, tzinfo=UTC)
COUNTS = (
    "select day::varchar, properties_in_date, properties_unknown from marts.compliance_days where is_known order by all"
)
HOMES = """
select day::varchar, homes_in_date + homes_due_soon + homes_out_of_date + homes_unknown
from marts.compliance_days where is_known order by all
"""
MEASURES = (
    "select day, measure, numerator, denominator, unknown, undecided from marts.measures where is_known order by all"
)


@pytest.mark.slow
def test_a_property_that_comes_or_goes_changes_no_earlier_day(small_nights: SmallHome) -> None:
    """The list of requirements is of every property, and the API alone says which these are."""
    home, api = small_nights, small_nights.server
    home.path.mkdir()
    (home.path / "requirements.csv").write_text(
        "assessment_type_id,condition,every_months\nk1,,12\nk2,height_m > 9,12\n"
    )
    (home.path / "properties.csv").write_text("property_id,height_m\nlisted,\n")
    (home.path / "propsync.toml").write_text(
        '[reference]\nproperties = "properties.csv"\nrequirements = "requirements.csv"\n'
    )
    api.assets, api.assessment_types = [], [{"id": "k1", "name": "Fire risk"}, {"id": "k2", "name": "Lifts"}]
    api.assessments = [assessment("a", property="p1", performedDate="2026-01-10"), assessment("b", property="p2")]
    home.sync(now=EVENING)
    first = ("2026-03-31", 1, 2)
    assert home.rows(COUNTS) == [first]
    api.assessments[1]["property"] = "p3"
    home.sync(now=WEEKS_AFTER)
    assert home.rows(COUNTS) == [first, ("2026-04-20", 1, 2)]
    api.assessments += [assessment(f"d{number}", property=f"q{number}", status="submitted") for number in range(3)]
    home.sync(now=MONTHS_AFTER)
    assert home.rows(COUNTS) == [first, ("2026-04-30", 1, 2), ("2026-05-21", 1, 5)]
    measures = home.rows(MEASURES)
    home.rebuild()
    assert home.rows(COUNTS) == [first, ("2026-04-30", 1, 2), ("2026-05-21", 1, 5)]
    assert home.rows(MEASURES) == measures


@pytest.mark.slow
def test_a_property_counts_on_the_days_that_its_list_gives(small_nights: SmallHome) -> None:
    """Sold in May and bought in May: the end of April has the first, today the second."""
    home, api = small_nights, small_nights.server
    home.path.mkdir()
    listed = home.path / "properties.csv"
    listed.write_text("property_id,homes\np1,20\np2,30\n")
    (home.path / "propsync.toml").write_text('[reference]\nproperties = "properties.csv"\n')
    api.assets = []
    api.assessments = [assessment(f"of {key}", property=key, performedDate="2026-01-10") for key in ("p1", "p2")]
    home.sync(now=WEEKS_AFTER)
    listed.write_text("property_id,homes,managed_from,managed_until\np1,20,,2026-05-03\np2,30,2026-05-04,\n")
    home.sync(now=MONTHS_AFTER)
    ends = [("2026-04-30", 20), ("2026-05-21", 30)]
    assert home.rows(HOMES) == ends
    assert home.rows("select property_id from marts.compliance") == [("p2",)]
    listed.write_text("property_id,homes,managed_from,managed_until\np1,20,,03/05/2026\np2,30,2026-05-04,\n")
    (line,) = home.sync(now=MONTHS_AFTER).left_behind
    assert f"{listed} line 2: managed_until is '03/05/2026': write a date such as 2026-03-31" in line
    (finding,) = examine_lists(home.settings())
    assert "line 2: managed_until is '03/05/2026'" in finding.seen
    home.rebuild()
    assert home.rows(HOMES) == ends


@pytest.mark.slow
def test_a_measure_of_several_types_can_be_repeated_at_the_end_of_a_year(small_nights: SmallHome) -> None:
    """Its properties stay, whatever the API and the next months bring."""
    home, api = small_nights, small_nights.server
    home.path.mkdir()
    (home.path / "properties.csv").write_text("property_id,homes\np1,20\np2,30\n")
    (home.path / "requirements.csv").write_text("assessment_type_id,condition,every_months\nk1,,12\nk2,,12\n")
    (home.path / "propsync.toml").write_text(
        '[reference]\nproperties = "properties.csv"\nrequirements = "requirements.csv"\n'
    )
    api.assets, api.assessment_types = [], [{"id": "k1", "name": "Gas safety"}, {"id": "k2", "name": "Gas servicing"}]
    api.assessments = [
        assessment(f"{key} {kind}", property=key, type=kind, performedDate="2026-01-10")
        for key, kind in (("p1", "k1"), ("p1", "k2"), ("p2", "k1"))
    ]
    home.sync(now=EVENING)
    api.assessments = api.assessments[:1]
    home.sync(now=MONTHS_AFTER)
    measures = "select sql, numerator, denominator, unknown from marts.measures where measure = 'BS01' and day = '{}'"
    ((sql, *numbers),) = home.rows(measures.format("2026-03-31"))
    assert numbers == [20, 50, 30]
    assert home.rows(sql) == [(20, 50, 30)]
    assert home.column(measures.format("2026-04-30")) == [None]
    behind = "select property_id, assessment_type_id, state, last_assessment_id from marts.compliance_then"
    assert home.rows(f"{behind} where day = '2026-03-31' order by all") == [
        ("p1", "k1", "in date", "p1 k1"),
        ("p1", "k2", "in date", "p1 k2"),
        ("p2", "k1", "in date", "p2 k1"),
        ("p2", "k2", "unknown", None),
    ]
