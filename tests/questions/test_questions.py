"""Each question of docs/questions.md has one short SELECT, and its answer is that of the oracle."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kit.clients import with_client
from kit.sandbox_home import SandboxHome
from questions.oracle import QUESTIONS
from questions.page import Asked, asked, shown_elsewhere
from questions.witness import ZONE, Witness

MOST_LINES = 10
ROOT = Path(__file__).parents[2]
OLDEST = "duckdb-1.2.2"
# of each SELECT, the columns that answer those that the oracle names, in its order
COLUMNS: Mapping[str, str] = {
    "overdue": "property_id, property_name, assessment_type, due_date, days_overdue",
    "due by assignee": "user_id, user_name, in_30_days, in_31_to_60_days, in_61_to_90_days",
    "never assessed": "property_id, property_name, assessment_type",
    "last and next": "property_id, assessment_type, last_approved_on, due_date",
    "compliance": "day, assessment_type, in_date, due_soon, out_of_date, unknown",
    "lateness": "property_id, assessment_type, last_due_date, last_approved_on, last_days_late",
    "moved later": "property_id, assessment_type, moved_unapproved_count",
    "stuck": "assessment_id, property_id, assessment_type, status, created_on, days",
    "open flags": "age_band, priority, flags",
    "days to close": "month, flags, days",
    "open actions": "priority, age_band, actions, cost",
    "no evidence": "assessment_id, action_id, title, closed_on",
    "at once": "property_id, closed_on, actions",
    "found again": "property_id, title, location, assessments, first_raised_on, last_raised_on",
    "changes of an asset": "changed_on, field, old_value, new_value",
    "came and went": "resource, change, type, records",
    "doors that fail": "asset_id, property_id, asset_type",
    "to replace": "asset_id, property_id, asset_type, replacement_year",
    "conditions": "asset_type, condition, assets",
    "fill rates": "asset_type, field_id, assets, filled",
    "misfits": "asset_id, field_id, value",
    "no report": "assessment_id, property_id, assessment_type",
    "changed reports": "assessment_id, version, pages",
    "look-alikes": "asset_type, value, assets",
    "property": "property_id, property_name, homes, assets, schedules, overdue, open_flags, open_actions, "
    "in_list, in_api",
    "trust": "table_name, row_count",
    "overdue on a day": "property_id, property_name, assessment_type, due_date, days_overdue",
    "known on a day": "assessment_type, in_date, due_soon, out_of_date, unknown, overdue",
}
NAMES = {question.words: question.name for question in QUESTIONS}
ANSWERS = {question.words: question.answer for question in QUESTIONS}


def answered(home: SandboxHome, sql: str, columns: str) -> Counter[tuple[Any, ...]]:
    """The rows of a SELECT, as a reader in London asks it; only these columns."""
    with duckdb.connect(home.published, read_only=True) as connection:
        connection.execute(f"set timezone = '{ZONE.key}'")
        return Counter(connection.sql(sql).project(columns).fetchall())


def test_the_page_has_the_questions_of_the_oracle_once_each_in_order():
    questions = asked()
    assert sorted(question.words for question in questions) == sorted(NAMES)
    assert [question.number for question in questions] == list(range(1, len(questions) + 1))


@pytest.mark.parametrize("question", asked(), ids=lambda question: str(question.number))
def test_each_question_is_one_select_of_at_most_ten_lines(question: Asked):
    (statement,) = duckdb.extract_statements(question.sql)
    assert statement.type == duckdb.StatementType.SELECT
    assert question.lines <= MOST_LINES


@pytest.mark.parametrize("began", ["02:30:01", "02:30:07"])
def test_a_week_has_seven_nights_whenever_each_of_them_began(began: str) -> None:
    """It ends on the day of the marts, although no list was read completely on that day."""
    (question,) = (one for one in asked() if NAMES[one.words] == "came and went")
    with duckdb.connect() as connection:
        connection.execute("create schema marts; set timezone = 'Europe/London'")
        connection.execute("create table marts.trust as select timestamptz '2026-04-03 02:30:04+01' as as_of")
        connection.execute("create table marts.measures as select date '2026-04-05' as day")
        connection.execute(
            "create table marts.changes as select 'assets' as resource, 'new' as change, 'Lifts' as type, "
            f"day::varchar as record_id, false as is_first_load, (day::date || ' {began}')::timestamptz as changed_at "
            "from generate_series(date '2026-03-20', date '2026-04-05', interval 1 day) as days(day)"
        )
        assert connection.sql(question.sql).fetchall() == [("assets", "new", "Lifts", 7)]


@pytest.mark.slow
def test_each_answer_is_that_of_the_oracle(home: SandboxHome, witness: Witness, subtests: pytest.Subtests):
    """Other pages' queries find rows. One test for all: each worker with a share of many would make the home."""
    for question in asked():
        with subtests.test(question.words):
            found = answered(home, question.about(witness), COLUMNS[NAMES[question.words]])
            assert found == Counter(ANSWERS[question.words](witness))
    for name, sql in shown_elsewhere():
        with subtests.test(f"{name}: {sql}"):
            assert answered(home, sql, "*") or _finds_what_is_wrong(name, sql)


def _finds_what_is_wrong(name: str, sql: str) -> bool:
    return name == "checks.md" or sql.startswith("-- no row: ")


@pytest.mark.slow
def test_the_oldest_client_answers_the_same(home: SandboxHome, witness: Witness):
    queries = [question.about(witness) for question in asked()]
    assert _all_rows(home, queries, OLDEST) == _all_rows(home, queries)


def _all_rows(home: SandboxHome, queries: list[str], client: str = "") -> list[list[str]]:
    """The rows of each query in this DuckDB or another one, as texts."""
    program = [sys.executable, str(Path(__file__).with_name("asking.py")), str(home.published), ZONE.key]
    done = subprocess.run(
        program, input=json.dumps(queries), capture_output=True, text=True, env=with_client(client), check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    version, *rows = json.loads(done.stdout)
    assert version == ("1.2.2" if client else duckdb.__version__)
    return rows
