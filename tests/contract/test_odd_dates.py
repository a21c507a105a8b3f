"""Dates of assessments as programs write them: each mart takes the same day from one, on every day that it counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from kit.server import Server
from kit.small_api import SmallApi, SmallHome, assessment, asset
from variants import daily

from propsync.runbooks.doctor.examine import examine

COMPLIANCE = Path(__file__).parents[2] / "docs" / "compliance.md"

EVENING = datetime(2026, 3, 31, 20, tzinfo=UTC)
NEXT_NIGHT = datetime(2026, 4, 1, 1, tzinfo=UTC)
DATES = ["2026-01-10", " 2026-01-11 ", "soon", "0001-01-01T00:00:00Z"]
MONTH_END = "select * exclude is_month_end from marts.compliance_days where day = date '2026-03-31' order by all"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallHome]:
    """One night. Each property must have an assessment every 12 months, and has one with its date."""
    folder = tmp_path_factory.mktemp("odd dates")
    requirements = folder / "requirements.csv"
    requirements.write_text("assessment_type_id,every_months\nk1,12\n")
    api = SmallApi()
    api.assets = []
    api.assessments = [
        assessment(f"s{number}", property=f"p{number}", performedDate=written) for number, written in enumerate(DATES)
    ]
    with Server(api) as server:
        home = SmallHome(folder / "home", server.url, api)
        home.has_desk = True
        home.path.mkdir()
        (home.path / "propsync.toml").write_text(f'[reference]\nrequirements = "{requirements}"\n')
        assert home.sync(now=EVENING).exit_code == 0
        yield home


def test_an_approval_whose_date_nobody_can_read_counts_in_the_quarter_that_first_saw_it(home: SmallHome) -> None:
    quarters = home.rows("select quarter, done from marts.assessor_quarters order by quarter_began_on")
    assert quarters == [("2026 Q1", 4)]


def test_a_date_that_stands_for_none_leaves_flat_files_that_programs_read(home: SmallHome) -> None:
    for path in sorted((home.path / "published" / "flat" / "marts").iterdir()):
        pyarrow.parquet.read_table(path).to_pylist()


def test_a_date_with_blanks_is_a_date_on_each_day_that_is_counted(home: SmallHome) -> None:
    today = home.rows(MONTH_END)
    assert home.sync(now=NEXT_NIGHT).exit_code == 0
    assert home.rows(MONTH_END) == today
    assert home.column("select sum(properties_in_date) from marts.compliance_days where is_known") == [4]
    assert home.column("select value from ops.value_issues where resource = 'assessments' order by record_id") == [
        "soon",
        "0001-01-01T00:00:00Z",
    ]


class DueDates:
    """A home of twelve schedules, whose due dates differ from night to night."""

    def __init__(self, home: SmallHome) -> None:
        self.home = home
        self.schedules = [{"property": f"p{number}", "type": "k1", "status": "notstarted"} for number in range(12)]
        shown = {"/assessments/schedules": (200, {"total": 12, "schedules": self.schedules})}
        home.server.answer = lambda path, query: shown.get(path)

    def are_read(self, *written: Any) -> bool:
        """Whether a night said nothing of them and ended well; otherwise it said just that they could not be read."""
        for one, due_date in zip_longest(self.schedules, written):
            one["dueDate"] = due_date
        report = self.home.sync()
        assert report.exit_code == (3 if report.left_behind else 0)
        for line in report.left_behind:
            assert line.startswith("schedules: due dates could not be read: dueDate of ")
        return not report.left_behind


def test_due_dates_of_which_propsync_can_read_none_are_never_silent(small_nights: SmallHome) -> None:
    """The document shows Y-m-d: without a word, a service that writes otherwise would have nothing overdue."""
    due_dates = DueDates(small_nights)
    assert not due_dates.are_read("2026-01-01T10:00:00Z", None, "0001-01-01")
    (finding,) = [one for one in examine(small_nights.settings()) if one.what == "shape of schedules: due_dates"]
    assert not finding.is_well
    assert due_dates.are_read(*["tomorrow"] * 4, *["2026-01-02"] * 8)
    assert not due_dates.are_read(*["tomorrow"] * 5, *["2026-01-02"] * 7)


@pytest.mark.slow
def test_due_dates_in_other_forms_are_never_silent(small_nights: SmallHome) -> None:
    due_dates = DueDates(small_nights)
    assert due_dates.are_read("2026-01-01")
    assert not due_dates.are_read(1767225600, 1767225600, "")
    assert due_dates.are_read("2026-01-01T10:00:00Z", "2026-01-02")
    assert not due_dates.are_read("tomorrow")
    assert due_dates.are_read(None, None, "0001-01-01")


def test_a_due_date_at_midnight_is_that_day_and_a_push_knows_it(small_nights: SmallHome) -> None:
    """Some programs can write no date without a time."""
    schedules = [{"property": "p1", "type": "k1", "status": "notstarted", "dueDate": "2026-01-01T00:00:00.000Z"}]
    shown = {"/assessments/schedules": (200, {"total": 1, "schedules": schedules})}
    small_nights.server.answer = lambda path, query: shown.get(path)
    assert small_nights.sync().exit_code == 0
    assert small_nights.column("select due_date from main.schedules") == [date(2026, 1, 1)]
    assert small_nights.column("select due_date from history.schedules_typed") == [date(2026, 1, 1)]
    assert small_nights.column("select count(*) from ops.value_issues where resource = 'schedules'") == [0]


def test_a_schedule_of_the_first_day_of_all_has_no_due_date_and_says_so(small_nights: SmallHome, desk: None) -> None:
    schedules = [
        {"property": "p1", "type": "k1", "status": "notstarted", "dueDate": "0001-01-01"},
        {"property": "p2", "type": "k1", "status": "notstarted", "dueDate": "2026-01-01"},
    ]
    shown = {"/assessments/schedules": (200, {"total": 2, "schedules": schedules})}
    small_nights.server.answer = lambda path, query: shown.get(path)
    assert small_nights.sync(now=EVENING).exit_code == 0
    status = small_nights.rows(
        "select property_id, due_date, days_overdue, due_band from marts.schedule_status order by 1"
    )
    assert status == [("p1", None, None, "no due date"), ("p2", date(2026, 1, 1), 89, "overdue")]
    issues = small_nights.rows("select record_id, issue, value from ops.value_issues where resource = 'schedules'")
    assert issues == [("p1/k1", "stands for no date", "0001-01-01")]
    assert small_nights.rows("select count(*) from history.schedules where payload ->> 'dueDate' = '0001-01-01'") == [
        (1,)
    ]


@pytest.mark.slow
def test_a_field_without_a_value_for_a_night_keeps_its_column_of_dates(small_nights: SmallHome) -> None:
    fitted = {"id": "f1", "type": "text", "label": "Fitted"}
    opened = {"id": "f2", "type": "text", "label": "Opened"}
    small_nights.server.types = [{"id": "t1", "name": "Doors", "fields": [fitted, opened]}]
    results = [
        {"type": "date", "field": "f1", "value": "2026-03-31"},
        {"type": "time", "field": "f2", "value": "09:30"},
    ]
    shown = "select typeof(fitted), fitted::varchar, typeof(opened), opened::varchar from by_type.doors"
    there = [("DATE", "2026-03-31", "TIME", "09:30:00")]
    before = [("VARCHAR", None, "VARCHAR", None)]
    empty = [("DATE", None, "TIME", None)]
    for found, expected in (([], before), (results, there), ([], empty), (results, there)):
        small_nights.server.assets = [asset("a1", fields=found)]
        assert small_nights.sync().exit_code == 0
        assert small_nights.rows(shown) == expected
    small_nights.rebuild()
    assert small_nights.rows(shown) == there
    results[0]["value"], results[0]["type"] = "in spring", "text"
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows(shown) == [("VARCHAR", "in spring", "TIME", "09:30:00")]


@pytest.mark.slow
def test_a_type_that_is_shown_again_has_its_columns_of_dates(small_nights: SmallHome) -> None:
    fitted = {"id": "f1", "type": "text", "label": "Fitted"}
    small_nights.server.types = [{"id": "t1", "name": "Doors", "fields": [fitted]}]
    choices = small_nights.path / "propsync.toml"
    small_nights.path.mkdir(exist_ok=True)
    choices.write_text('[privacy]\nhide = ["type:Doors"]\n')
    for found in ([{"type": "date", "field": "f1", "value": "2026-03-31"}], []):
        small_nights.server.assets = [asset("a1", fields=found)]
        assert small_nights.sync().exit_code == 0
    choices.write_text("[privacy]\nhide = []\n")
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows("select typeof(fitted), fitted from by_type.doors") == [("DATE", None)]


def test_a_member_that_people_name_and_that_dates_no_assessment_costs_exit_3(small_nights: SmallHome) -> None:
    small_nights.has_desk = True
    small_nights.server.assessments = [assessment("s1", performedDate="2026-01-10", reference="ref 1")]
    small_nights.path.mkdir()
    (small_nights.path / "propsync.toml").write_text('[desk]\nassessment_date = "reference"\n')
    report = small_nights.sync()
    (line,) = report.left_behind
    assert line.startswith("[desk] assessment_date: no approved assessment has a date in reference; ")
    assert small_nights.rows("select value, source from ops.desk where setting = 'assessment_date'") == [
        ("performedDate", "found")
    ]


def test_the_query_for_an_earlier_day_counts_the_days_of_the_time_zone(small_nights: SmallHome) -> None:
    small_nights.has_desk = True
    moments = ("2026-03-31T22:59:00Z", "2026-03-31T23:30:00Z", " 2026-03-31 ")
    small_nights.server.assessments = [
        assessment(f"s{number}", property=f"p{number}", performedDate=written) for number, written in enumerate(moments)
    ]
    small_nights.path.mkdir()
    (small_nights.path / "requirements.csv").write_text("assessment_type_id,every_months\nk1,12\n")
    (small_nights.path / "propsync.toml").write_text('[reference]\nrequirements = "requirements.csv"\n')
    assert small_nights.sync().exit_code == 0
    (query,) = re.findall(r"^-- required assessments that were.*?;", COMPLIANCE.read_text(), re.MULTILINE | re.DOTALL)
    assert small_nights.rows(f"set timezone = 'Europe/London'; {query}") == [("Fire risk", 3, 2)]


def test_an_attribute_of_json_api_dates_an_assessment(small_nights: SmallHome):
    small_nights.has_desk = True
    small_nights.server.assessments = [assessment("s1", attributes={"performedDate": "2026-01-10", "title": "A"})]
    assert small_nights.sync().exit_code == 0
    chosen = "select value from ops.desk where setting = 'assessment_date'"
    assert small_nights.column(chosen) == ["attributes.performedDate"]


@pytest.mark.parametrize("written", daily(["31-12-2025", 1767139200000, "12/31/2025"], 1))
def test_dates_of_assessments_in_no_known_form_are_never_silent(small_nights: SmallHome, written: Any) -> None:
    """ops.desk said that no member dates assessments."""
    small_nights.has_desk = True
    small_nights.server.assessments = [assessment(f"s{at}", performedDate=written, completed=True) for at in range(3)]
    report = small_nights.sync()
    line = "[desk] assessment_date: performedDate has no date such as 2026-03-31"
    assert (report.exit_code, [one.startswith(line) for one in report.left_behind]) == (3, [True])
    small_nights.server.assessments = [assessment(f"s{at}", performedDate=None, completed=True) for at in range(3)]
    assert small_nights.sync().exit_code == 0


def test_members_that_may_date_assessments_under_no_usual_name_are_shown(small_nights: SmallHome) -> None:
    """People saw that the run dates each assessment, and not which member could."""
    small_nights.has_desk = True
    moments = {"createdAt": "2026-01-01T10:00:00Z", "dueDate": "2026-09-01", "next_due_on": "2026-09-01"}
    small_nights.server.assessments = [assessment(f"s{at}", pruefdatum="2026-01-10", **moments) for at in range(5)]
    assert small_nights.sync().exit_code == 0
    shown = "select evidence from ops.desk where setting = 'assessment_date'"
    assert small_nights.rows(shown)[0][0].startswith("pruefdatum may say when assessments were performed; ")
    configuration = small_nights.path / "propsync.toml"
    configuration.write_text('[desk]\nassessment_date = "none"\n')
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows(shown)[0][0].startswith("propsync.toml says none")
    configuration.write_text('[desk]\nassessment_date = "pruefdatum"\n')
    assert small_nights.sync().exit_code == 0
    days = "select distinct last_approved_on, date_source from marts.schedule_status"
    assert small_nights.rows(days) == [(date(2026, 1, 10), "pruefdatum")]
    configuration.unlink()
    small_nights.server.assessments = [assessment(f"s{at}", **moments) for at in range(5)]
    assert small_nights.sync().exit_code == 0
    assert small_nights.rows(shown)[0][0].startswith("no member of the assessments says")  # these say another day


@pytest.mark.slow
def test_dates_that_the_api_no_longer_sends_are_named_each_night_and_stay_on_earlier_days(
    small_nights: SmallHome, tmp_path: Path
) -> None:
    """Without the member that dated them, every day would count again, and no assessment would have been in date."""
    (tmp_path / "requirements.csv").write_text("assessment_type_id,every_months\nk1,12\n")
    small_nights.path.mkdir()
    (small_nights.path / "propsync.toml").write_text(f'[reference]\nrequirements = "{tmp_path}/requirements.csv"\n')
    small_nights.has_desk = True
    small_nights.server.assessments = [assessment("s0", performedDate="2026-01-10")]
    assert small_nights.sync(now=EVENING).exit_code == 0
    march = small_nights.rows(MONTH_END)
    small_nights.server.assessments = [assessment("s0")]
    for now in (NEXT_NIGHT, NEXT_NIGHT + timedelta(days=1)):
        report = small_nights.sync(now=now)
        assert report.exit_code == 3
        assert "no approved assessment has a date in performedDate any more" in report.left_behind[0]
        assert report.left_behind[0].endswith(". Name another under [desk] in propsync.toml; the next run reads it")
        assert small_nights.rows(MONTH_END) == march
        issues = "select record_id, name, value from ops.value_issues"
        assert small_nights.rows(issues) == [("s0", "performedDate", "2026-01-10")]
    small_nights.rebuild()
    assert small_nights.rows(MONTH_END) == march
    small_nights.server.assessments = []
    small_nights.sync(now=NEXT_NIGHT + timedelta(days=2))
    small_nights.server.assessments = [assessment("s0", performedDate="2026-01-10")]
    assert small_nights.sync(now=NEXT_NIGHT + timedelta(days=3)).exit_code == 0
    assert small_nights.rows(issues) == []


def test_a_renamed_date_leaves_earlier_days_as_they_were(small_nights: SmallHome, tmp_path: Path) -> None:
    """Versions from before the new name have their dates under the former one."""
    (tmp_path / "requirements.csv").write_text("assessment_type_id,every_months\nk1,12\n")
    small_nights.path.mkdir()
    (small_nights.path / "propsync.toml").write_text(f'[reference]\nrequirements = "{tmp_path}/requirements.csv"\n')
    small_nights.has_desk = True
    in_date = "select properties_in_date from marts.compliance_days where is_known order by day"
    for now, name in ((EVENING, "performedDate"), (NEXT_NIGHT, "performedOn")):
        small_nights.server.assessments = [assessment("s0", **{name: "2026-01-10"})]
        assert small_nights.sync(now=now).exit_code == 0
    assert small_nights.column("select value from ops.desk where setting = 'assessment_date'") == ["performedOn"]
    assert small_nights.column(in_date) == [1, 1]
    assert small_nights.rows("from ops.value_issues") == []
