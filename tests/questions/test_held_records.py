"""The page on compliance shows which states rest on records that the API no longer lists."""

from __future__ import annotations

import duckdb
from questions.page import shown_elsewhere

STATES = """
create schema marts; create schema ops;
create table marts.compliance as
from (values ('p1', 'Owain Lodge', 't1', 'FRA', 'in date', 80, 'a1'),
  ('p2', 'Bevan House', 't1', 'FRA', 'due soon', 11, 'a2'), ('p3', 'Ironside View', 't1', 'FRA', 'in date', 1, null))
as one (property_id, property_name, assessment_type_id, assessment_type, state, homes, last_assessment_id);
create table ops.held_deletes as
from (values ('assessments', 'a1', 'a1', '', 'run 1'), ('schedules', 'p3/t1', 'p3', 't1', 'run 2'),
  ('schedules', 'p2/t2', 'p2', 't2', 'run 2'), ('assets', 'a2', 'a2', '', 'run 2'))
as one (resource, record_id, key_1, key_2, run_id);
"""


def test_states_that_rest_on_a_held_assessment_or_schedule_are_named() -> None:
    [query] = [sql for page, sql in shown_elsewhere() if page == "compliance.md" and "ops.held_deletes" in sql]
    with duckdb.connect() as connection:
        connection.execute(STATES)
        found = connection.execute(query).fetchall()
    assert found == [
        ("Ironside View", "FRA", "in date", 1, "schedules", "run 2"),
        ("Owain Lodge", "FRA", "in date", 80, "assessments", "run 1"),
    ]
