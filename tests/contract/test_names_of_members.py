"""A member of the API may have any name, even one that a query of propsync gives to something else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from kit.small_api import SmallHome, assessment, asset

SQL = Path(__file__).parents[2] / "sql"
OF_THE_API = {"id", "property", "type", "status", "fields", "name", "flags", "history"}
PARTS = 3  # one run with all of them needs gigabytes


def names_in_queries() -> list[str]:
    """The names that queries give, or take from a table."""
    texts = (re.sub("--.*", "", path.read_text(encoding="utf-8")) for path in SQL.rglob("*.sql"))
    found = {name for text in texts for name in re.findall(r"(?:\bas |\b\w+\.)([a-z_][a-z0-9_]*)\b", text)}
    return sorted(found - OF_THE_API)


def show(home: SmallHome, members: dict[str, Any]) -> None:
    """Shows records of every kind with these members."""
    api = home.server
    flag = {"id": "g", "status": "open", "history": [{"status": "open"} | members]} | members
    api.types = [api.types[0] | members]
    api.assessment_types = [api.assessment_types[0] | members]
    api.assets = [asset(f"a{number}", **members) for number in range(3)]
    # the documented members too, or propsync reports those with nearly their names
    said: dict[str, Any] = {"scheduleCustomReference": "R"} | members
    api.assessments = [assessment(f"s{number}", flags=[flag], **said) for number in range(3)]
    schedule = said | {"property": "p1", "type": "k1", "status": "notstarted", "assignedUsers": ["u1"]}
    schedule |= {"dueDate": None, "customReference": "R"}
    body = {"total": 1, "schedules": [schedule]}
    api.answer = lambda path, query: (200, body) if path == "/assessments/schedules" else None


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_name_of_a_member_disturbs_a_run(small_nights: SmallHome, part: int):
    small_nights.has_desk = True
    members = dict.fromkeys(names_in_queries()[part::PARTS], "as text")
    for description in ("before", "after"):
        show(small_nights, members | {"description": description})
        report = small_nights.sync(memory_limit="3GB")
        assert report.exit_code == 0, report
    changed = "select distinct resource from marts.changes where field = 'description'"
    assert sorted(small_nights.column(changed)) == ["assessments", "assets", "schedules"]
    assert (
        small_nights.column("select kind from marts.document_coverage order by assessment_id, kind")
        == ["bundle", "report"] * 3
    )


@pytest.mark.slow
def test_a_member_with_the_name_of_a_column_of_versions_keeps_its_earlier_values(small_nights: SmallHome):
    members = {"validFrom": "2026-01-01", "validTo": "2027-01-01", "runId": "r", "change": "c"}
    for description in ("before", "after"):
        show(small_nights, members | {"description": description})
        assert small_nights.sync().exit_code == 0
    for resource in ("assets", "assessments", "schedules"):
        query = f"select distinct api_valid_from, api_valid_to, api_run_id, api_change from history.{resource}_typed"
        assert small_nights.rows(query) == [("2026-01-01", "2027-01-01", "r", "c")], resource


def test_members_whose_names_get_no_column_stay_in_payload_and_a_row_says_so_once(small_nights: SmallHome):
    unfit = {"a.b": "dotted", "x" * 201: "long", "own": {"c.d": 1, "plain": 2}, "a": {"b": "inner"}, "y" * 200: "fits"}
    small_nights.server.assets = [asset(f"a{number}", **unfit) for number in range(3)]
    for name in ("before", "after"):
        small_nights.server.assets[0]["note"] = name
        assert small_nights.sync().exit_code == 0
    query = "select name, after from ops.schema_changes where change = 'members with such names stay in payload'"
    why = "a dot, or more than 200 letters"
    assert small_nights.rows(f"{query} and resource = 'assets' order by all") == [("(record)", why), ("own", why)]
    columns = {source for (source,) in small_nights.rows("select source from ops.columns where table_name = 'assets'")}
    assert {"a.b", "own.plain", "y" * 200} <= columns
    assert small_nights.rows("select distinct a_b from assets") == [("inner",)]
    assert small_nights.rows("""select payload->>'$."a.b"' from assets limit 1""") == [("dotted",)]
