"""Questions of docs/questions.md over rows that no sandbox has: nothing is missed, and nothing counts twice."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from questions.page import asked

Rows = list[tuple[Any, ...]]

MISFITS = """
create table ops.value_issues as from (values
  ('assets', 'a', 'Note', 'does not fit the kind text', '{"x":1}'),
  ('assets', 'a', 'Condition', 'names an option that its field does not offer', '["gone"]'),
  ('assets', 'b', 'Note', 'does not fit the kind text', '[1]'),
  ('assets', 'b', 'Note', 'does not fit the kind text', '[1]'),
  ('schedules', 'p/k', 'due_date', 'is not a date', 'soon')) as t(resource, record_id, name, issue, value);
create table marts.asset_register as from (values ('a', 'Elm House', 'Doors', 'd'), ('b', 'Elm House', 'Doors', 'd'))
  as t(asset_id, property_name, asset_type, asset_type_id);
create table asset_type_fields as from (values ('d', 'f1', 'Note'), ('d', 'f2', 'Note'), ('d', 'f3', 'Condition'))
  as t(asset_type_id, field_id, label);
create table asset_field_values as from (values
  ('a', 'f1', 'Note', null, '{"x":1}'), ('a', 'f3', 'Condition', null, null),
  ('b', 'f1', 'Note', null, '[1]'), ('b', 'f2', 'Note', null, '[1]'))
  as t(asset_id, field_id, label, value_text, value_json);
"""

DOORS = """
create table marts.asset_register as from (values
  ('option', 'p', 'Elm House', 'Fire doors', 'd', 'Fail'), ('text', 'p', 'Elm House', 'Fire doors', 'e', 'Fail'),
  ('both', 'p', 'Elm House', 'Fire doors', 'd', 'Fail'),
  ('several', 'p', 'Elm House', 'Fire Doors', 'd', 'Fail; Stuck'))
  as t(asset_id, property_id, property_name, asset_type, asset_type_id, result);
create table ops.roles as from (values ('d', 'result', 'f'), ('e', 'result', 'f')) as t(asset_type_id, role, field_id);
create macro asset_field_values_as_of(day) as table from (values
  ('option', 'f', null, ['Pass']), ('text', 'f', 'Pass', null), ('both', 'f', null, ['Pass', 'Fail']),
  ('several', 'f', null, ['Pass', 'New']))
  as t(asset_id, field_id, value_text, value_option_labels);
"""

YEARS = """
create table asset_field_values as from (values
  ('typo', 'p', 'Replacement year', -1e308::double), ('past', 'p', 'Replacement year', 2019),
  ('later', 'p', 'Replacement year', 2040))
  as t(asset_id, property_id, label, value_number);
create table marts.asset_register as from (values ('typo'), ('past'), ('later')) as t(asset_id),
  (select 'Elm House' as property_name, 'Doors' as asset_type);
create table marts.measures as select date '2026-07-01' as day;
"""

STUCK = """
create table assessments as select *, timestamptz '2026-01-02' as first_seen_at from (values
  ('made', 'p', 'k', 'submitted', '2026-01-01T09:00:00Z'), ('undated', 'p', 'k', 'submitted', null),
  ('odd', 'p', 'k', 'submitted', 'n/a'), ('new', 'p', 'k', 'submitted', '2026-06-01'),
  ('done', 'p', 'k', 'Approved', '2026-01-01'))
  as t(assessment_id, property_id, assessment_type_id, status, created_at);
create table assessment_types as select 'k' as assessment_type_id, 'Gas' as name;
create table marts.properties as select 'p' as property_id, 'Elm House' as property_name;
create table marts.measures as select date '2026-07-01' as day;
"""

WITHOUT_REPORT = """
create table assessments as from (values ('lacks', 'p', 'k', 'Approved'), ('has', 'p', 'k', 'Approved'))
  as t(assessment_id, property_id, assessment_type_id, status);
create table documents as
  select 'has' as assessment_id, 'report' as kind, 'stored' as state, true as is_latest, null::varchar as last_error;
create table marts.document_coverage as select 'lacks' as assessment_id, 'report' as kind, 'not yet' as reason;
create table marts.properties as select 'p' as property_id, 'Elm House' as property_name;
create table assessment_types as select 'k' as assessment_type_id, 'Gas' as name;
"""

NEARLY_ALL = """
create table marts.compliance_days as select date '2026-03-31' as day, true as is_known, 'k' as assessment_type_id,
  'Gas' as assessment_type, 2999 as properties_in_date, 0 as properties_due_soon, 0 as properties_out_of_date,
  1 as properties_unknown
union all
select date '2026-03-31', true, 'l', 'Lifts', 3, 0, 0, 0;
"""

NEARLY_FILLED = """
create table marts.field_fill as select *, 'Doors' as asset_type, 'text' as kind, filled / assets as filled_share
  from (values
  ('f1', 'Tag', 3000, 2999), ('f2', 'Place', 3000, 3000), ('f3', 'Note', 3000, 1737), ('f4', 'Lock', 3000, 0))
  as t(field_id, label, assets, filled);
"""

FOUND_AGAIN = """
create table marts.actions as select *, 'p' as property_id, 'Elm House' as property_name, true as is_current,
  date '2026-03-01' as raised_on from (values
  ('s1', 'Door wedged', 'Stair 1'), ('s2', 'Door wedged', 'Stair 1'), ('s1', 'Seal worn', null),
  ('s2', 'Seal worn', null), ('s1', null, 'Roof'), ('s2', null, 'Roof'), ('s1', null, null), ('s2', null, null))
  as t(assessment_id, title, location);
"""

KNOWN_ON_A_DAY = """
create table marts.compliance_days as select *, date '2026-03-31' as day, true as is_known, 1 as properties_in_date,
  0 as properties_due_soon, 0 as properties_out_of_date, 0 as properties_unknown
  from (values ('k1', 'Gas', 'North'), ('k1', 'Gas', null), ('k2', 'Gas', null))
  as t(assessment_type_id, assessment_type, region);
create macro schedules_as_of(moment) as table from (values
  ('k1', date '2026-03-01', 'notstarted'), ('k1', date '2026-03-02', null), ('k2', date '2026-03-01', 'notstarted'),
  ('k1', date '2026-03-01', 'Completed'), ('k2', date '2026-03-31', 'notstarted'))
  as t(assessment_type_id, due_date, status);
"""


def answer(words: str, tables: str, columns: str) -> Rows:
    """The rows of the question that begins so, over these tables."""
    (question,) = (one for one in asked() if one.words.startswith(words))
    with duckdb.connect() as connection:
        connection.execute(f"set timezone = 'Europe/London'; create schema marts; create schema ops; {tables}")
        return sorted(connection.sql(question.sql).project(columns).fetchall())


@pytest.mark.parametrize(
    ("words", "tables", "columns", "expected"),
    [
        pytest.param(
            "Which values do not fit",
            MISFITS,
            "asset_id, field_id, value",
            [("a", "f1, f2", '{"x":1}'), ("a", "f3", '["gone"]'), ("b", "f1, f2", "[1]"), ("b", "f1, f2", "[1]")],
            id="values that are no text, and fields with one label",
        ),
        pytest.param(
            "Which doors", DOORS, "asset_id", [("option",), ("several",), ("text",)], id="a text, and several choices"
        ),
        pytest.param(
            "What is past or soon past",
            YEARS,
            "asset_id, replacement_year",
            [("past", 2019), ("typo", None)],
            id="a number that is too large for a year",
        ),
        pytest.param(
            "Which assessments are stuck",
            STUCK,
            "assessment_id, created_on::varchar",
            [("made", "2026-01-01"), ("odd", "2026-01-02"), ("undated", "2026-01-02")],
            id="no day of creation, and an approval with a capital",
        ),
        pytest.param(
            "Which approved assessments have no report",
            WITHOUT_REPORT,
            "assessment_id, reason",
            [("lacks", "not yet")],
            id="approvals with a capital",
        ),
        pytest.param(
            "How many are in date",
            NEARLY_ALL,
            "assessment_type, percent_in_date",
            [("Gas", 99.9), ("Lifts", 100.0)],
            id="one of thousands that is unknown",
        ),
        pytest.param(
            "How well is each field filled",
            NEARLY_FILLED,
            "label, percent_filled",
            [("Lock", 0.0), ("Note", 57.9), ("Place", 100.0), ("Tag", 99.9)],
            id="one of thousands that is empty",
        ),
        pytest.param(
            "Which findings came back",
            FOUND_AGAIN,
            "title, location, assessments",
            [("Door wedged", "Stair 1", 2)],
            id="actions without a title or a location",
        ),
        pytest.param(
            "What were the same numbers",
            KNOWN_ON_A_DAY,
            "assessment_type_id, overdue, in_date",
            [("k1", 2, 2), ("k2", 1, 1)],
            id="two types of one name, and a finished schedule",
        ),
    ],
)
def test_nothing_is_missed_and_nothing_counts_twice(words: str, tables: str, columns: str, expected: Rows) -> None:
    assert answer(words, tables, columns) == expected
