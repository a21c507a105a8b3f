"""The oracle and propsync agree where plain tables have the answer; neither has anything from the other."""

from __future__ import annotations

from collections import Counter

import pytest
from kit.sandbox_home import SandboxHome
from questions.oracle import QUESTIONS
from questions.witness import Witness

ANSWERS = {question.name: question.answer for question in QUESTIONS}
# these may have no rows after so few nights
MAY_BE_EMPTY = {"at once", "doors that fail", "moved later"}

PLAIN = {
    "overdue": """
        select property_id, p.name, t.name, due_date, ($today - due_date)::integer
        from schedules left join properties as p using (property_id)
        join assessment_types as t using (assessment_type_id)
        where due_date < $today""",
    "due by assignee": """
        with due as (
          select
            unnest(if(len(assigned_users) > 0, list_distinct(assigned_users), [null])) as user_id,
            due_date - $today as days
          from schedules
        )
        select user_id, name, count(*) filter (days <= 30), count(*) filter (days between 31 and 60),
          count(*) filter (days > 60)
        from due left join users using (user_id) where days between 0 and 90 group by all""",
    "last and next": """
        with approved as (
          select property_id, assessment_type_id, max(performed_date::date) as last_on
          from assessments where status = 'approved' and performed_date::date <= $today group by all
        )
        select property_id, t.name, last_on, due_date
        from approved full join schedules using (property_id, assessment_type_id)
        join assessment_types as t using (assessment_type_id)""",
    "fill rates": """
        select t.name, f.field_id, count(distinct a.asset_id), count(v.asset_id)
        from asset_type_fields as f join asset_types as t using (asset_type_id) join assets as a using (asset_type_id)
        left join asset_field_values as v on v.asset_id = a.asset_id and v.field_id = f.field_id
          and (v.value_text <> '' or v.value_json is not null or len(v.value_options) > 0)
        group by all""",
    "misfits": """
        select asset_id, field_id, value_text from asset_field_values
        where value_text is not null and kind in ('number', 'date') and value_number is null and value_date is null""",
    "no evidence": """
        select assessment_id, id, title, closed_date::date from bundle_actions
        where status = 'closed' and coalesce(evidence, '') = ''""",
    "found again": """
        with places as (
          select assessment_id, arg_max(property_id, valid_from) as property_id
          from history.assessments_typed group by all  -- bundles outlast their assessments
        )
        select property_id, title, location, count(distinct assessment_id),
          min(raised_date)::date, max(raised_date)::date
        from bundle_actions join places using (assessment_id)
        group by all having count(distinct assessment_id) > 1""",
    "no report": """
        select assessment_id, property_id, t.name
        from assessments join assessment_types as t using (assessment_type_id)
        where status = 'approved'
          and assessment_id not in (select assessment_id from documents where kind = 'report' and state = 'stored')""",
}


@pytest.mark.release
@pytest.mark.parametrize("name", PLAIN)
def test_the_oracle_says_what_plain_tables_say(name: str, home: SandboxHome, witness: Witness):
    found = home.rows(PLAIN[name].replace("$today", f"date '{witness.today}'"))
    assert Counter(found) == Counter(ANSWERS[name](witness))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ANSWERS if name not in MAY_BE_EMPTY])
def test_every_question_has_an_answer(name: str, witness: Witness):
    rows = ANSWERS[name](witness)
    assert rows
    assert len({len(row) for row in rows}) == 1
    assert len(set(rows)) == len(rows)


@pytest.mark.slow
def test_each_answer_is_of_its_own_day(witness: Witness):
    """A reader before the last night knew fewer of the overdue, or others."""
    earlier = Witness(witness.world, [], witness.lists, range(len(witness.views) - 1))
    assert set(ANSWERS["overdue"](earlier)) != set(ANSWERS["overdue"](witness))
    assert earlier.today < witness.today


@pytest.mark.slow
def test_the_versions_of_reports_are_those_that_the_archive_has(home: SandboxHome, witness: Witness):
    found = home.rows("select assessment_id, version from documents where kind = 'report' and version > 1")
    assert Counter(found) == Counter(row[:2] for row in ANSWERS["changed reports"](witness))
