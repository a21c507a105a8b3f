"""The page shows what the tables have, each number with its rows and its SQL, and nothing in it can do harm."""

from __future__ import annotations

import hashlib
import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from dashboard.conftest import Drawing
from dashboard.hostile import SPOILT, TEXTS
from dashboard.parsed import Parsed
from kit.command_line import CommandLine, settings_of
from kit.programs import Program
from kit.sandbox_home import SandboxHome

from propsync.desk.dashboard.answer import Asker
from propsync.desk.dashboard.page import NUMBERS
from propsync.desk.dashboard.question import question
from propsync.desk.dashboard.words import compared, cut
from propsync.runbooks import PAGE
from propsync.shipped import shipped
from propsync.warehouse import open_published
from propsync.warehouse.sealed_query import SealedQuery

QUESTIONS = sorted(path.stem for path in (shipped("sql") / "dashboard").glob("*.sql"))
MOST = 1_000_000  # bytes


def test_every_run_writes_the_page_and_the_note_lists_it(home: SandboxHome) -> None:
    page = home.path / "published" / PAGE
    assert home.sync(now=datetime(2100, 1, 1, 2, 30, tzinfo=UTC)).status == "ok"
    assert "Friday 1 January 2100" in Parsed(page.read_bytes()).words
    assert page.stat().st_mode & 0o777 == 0o444
    assert PAGE in home.note()["files"]


def test_the_page_runs_nothing_and_loads_nothing(drawn: Drawing) -> None:
    page = Parsed(drawn().html)
    assert page.is_alone
    assert {"main", "h1", "h2", "details", "summary"} <= page.tags


def test_each_number_at_the_top_says_which_things_it_counts() -> None:
    titles = [question(name).title for name in NUMBERS]
    assert [one for one in titles if not re.match("Schedules |Properties |Open actions ", one)] == []


def test_every_question_is_answered_on_the_page_with_its_sql(drawn: Drawing) -> None:
    page = drawn()
    assert page.errors == []
    shown = Parsed(page.html).statements
    assert {question(name).sql for name in QUESTIONS} == set(shown)


def test_the_sql_of_a_number_gives_its_rows_in_propsync_query(home: SandboxHome) -> None:
    """People paste it: it must bind nothing, and read nothing but published tables."""
    found = {}
    with SealedQuery(home.published, zone="Europe/London", memory_limit="200MB") as query:
        for name in QUESTIONS:
            (asked,) = query.questions(question(name).sql)
            result = query.ask(asked)
            assert result is not None
            with closing(result):
                found[name] = sum(map(len, result.lots()))
    with open_published(home.published) as reader:
        asker = Asker(reader)
        page = {name: asker.answer(name, 10) for name in QUESTIONS}
    assert page["documents_lacking"].count is None, "no run has asked for documents"
    told = {name: one.count for name, one in page.items() if one.count is not None}
    assert len(told) > len(page) / 2
    assert told == {name: found[name] for name in told}


def test_a_number_counts_the_rows_of_its_sql_whatever_their_order(home: SandboxHome) -> None:
    with open_published(home.published) as reader:
        for name in QUESTIONS:
            asked = question(name)
            assert asked.sql.removeprefix(asked.unordered).startswith("\norder by"), name
            counts = [reader.rows(f"select count(*) from ({sql}\n)")[1] for sql in (asked.sql, asked.unordered)]
            assert counts[0] == counts[1], name


def test_hostile_texts_do_no_harm(drawn: Drawing) -> None:
    page = drawn(*SPOILT)
    assert page.errors == []
    parsed = Parsed(page.html)
    assert parsed.is_alone
    assert "document.title" in parsed.words, "the texts are there, as texts"
    assert "{{ 7 * 7 }}" in parsed.words
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", page.html.decode())
    assert len(page.html) < MOST


def test_a_long_text_is_cut_and_keeps_its_beginning() -> None:
    assert [len(cut(one)) <= 100 for one in TEXTS] == [True] * len(TEXTS)
    assert cut(TEXTS[-1]).startswith("long xxx")
    assert cut("👩‍🚒 door") == "👩‍🚒 door", "an emoji stays whole"


def test_a_reason_is_shown_to_its_end(drawn: Drawing) -> None:
    why = (
        "last assessed on 15 February 2017, required every 60 months; a later one of 19 March 2022 was approved, "
        "but the API no longer has that assessment"
    )
    assert why in Parsed(drawn(f"update marts.compliance set state = 'out of date', reason = '{why}'").html).words


def test_the_page_stays_small_whatever_the_tables_have(drawn: Drawing) -> None:
    page = drawn(
        f"insert into ops.value_issues select 'assets', {'repeat(chr(38), 3000), ' * 3}'v', 'r' from range(1000)",
        "insert into ops.reference_issues select repeat('<', 99), 'f', 1, repeat('\"', 99), repeat('&', 99), true, 'r' "
        "from range(5000)",
    )
    assert len(page.html) < MOST
    assert "of 1,000" in Parsed(page.html).words


def test_what_is_missing_or_empty_is_unknown_and_says_so(drawn: Drawing) -> None:
    page = drawn("drop view marts.trust", "delete from documents")
    words = Parsed(page.html).words
    assert page.errors == []
    assert "Unknown: propsync has noted no read of the API" in words
    assert "This copy does not have marts.trust yet" in words
    assert "Unknown: main.documents has no rows" in words


def test_nothing_is_known_of_schedules_before_their_first_read(drawn: Drawing) -> None:
    """Approved assessments alone have rows in marts.schedule_status too, and none of these is overdue."""
    page = drawn("delete from main.schedules", "update marts.schedule_status set due_band = 'no schedule'")
    known = {one.question.name for one in page.numbers if one.count is not None}
    assert known == {"without_required"}
    assert "Unknown: main.schedules has no rows" in Parsed(page.html).words


def test_nothing_is_missing_before_the_first_read_of_assessments(drawn: Drawing) -> None:
    page = drawn("update marts.compliance set is_missing = null, last_assessment_id = null")
    assert [one.count for one in page.numbers if one.question.name == "without_required"] == [None]
    assert "Unknown: marts.compliance.is_missing has no value before a complete read" in Parsed(page.html).words


def test_shares_say_on_which_read_they_rest_if_the_last_one_failed(drawn: Drawing) -> None:
    words = "These numbers rest on the last complete read of assessments and schedules, on 9 Jan 2026."
    never = "propsync has not read the assessments and the schedules completely yet."
    failed = "update marts.compliance set verdict = 'failed', complete_read_on = "
    shown = [Parsed(drawn(*sql).html).words for sql in ((), (f"{failed}'2026-01-09'",), (f"{failed}null",))]
    assert [words in one for one in shown] == [False, True, False]
    assert [never in one for one in shown] == [False, False, True]


def test_only_all_of_them_are_a_hundred_percent(drawn: Drawing) -> None:
    page = drawn(
        "delete from marts.compliance",
        "insert into marts.compliance (property_id, assessment_type_id, assessment_type, state) "
        "select i, 'a', 'Almost', if(i = 0, 'unknown', 'in date') from range(3000) as t(i) "
        "union all select i, 'b', 'Wholly', 'due soon' from range(3) as t(i)",
    )
    words = Parsed(page.html).words
    assert "Almost 99.9% in date: 2,999 of 3,000 required 0 out of date and 1 unknown." in words
    assert (
        "Wholly 100% in date: 3 of 3 required 0 out of date and 0 unknown. Of those in date, 3 are due soon." in words
    )
    assert "The 60 worst of 3,000. marts.compliance has all of them." in words


@pytest.mark.parametrize(
    ("homes", "words"),
    [("40", "These have 120 homes in all."), ("if(i = 0, null, 40)", "These have at least 80 homes in all.")],
)
def test_homes_are_those_of_the_out_of_date_and_the_unknown_together(drawn: Drawing, homes: str, words: str) -> None:
    page = drawn(
        "delete from marts.compliance",
        "insert into marts.compliance (property_id, assessment_type_id, assessment_type, state, homes) "
        f"select i, 'a', 'Gas', ['unknown', 'out of date', 'out of date', 'in date'][i + 1], {homes} "
        "from range(4) as t(i)",
    )
    assert f"2 out of date and 1 unknown. {words}" in Parsed(page.html).words


@pytest.mark.slow
def test_properties_of_which_the_list_leaves_it_open_stand_beside_the_share(drawn: Drawing) -> None:
    perhaps = "perhaps must have it: your list of properties leaves that open."
    assert perhaps not in Parsed(drawn().html).words
    page = Parsed(
        drawn("update marts.measures set undecided = 3 where starts_with(measure, 'properties in date: ')").html
    )
    assert f"3 further properties {perhaps}" in page.words


def test_a_question_that_fails_costs_itself_alone(home: SandboxHome) -> None:
    home.in_state("alter table ops.rejected_records rename column position to place")
    report = home.sync()
    assert (report.status, report.exit_code) == ("attention", 3)
    (line,) = report.left_behind
    assert "Records that propsync could not read" in line
    page = (home.path / "published" / PAGE).read_bytes()
    assert "could not be answered" in Parsed(page).words
    assert "Values that do not fit" in Parsed(page).words


def test_a_page_that_fails_costs_no_table(home: SandboxHome) -> None:
    page = home.path / "published" / PAGE
    before = page.read_bytes()
    home.in_state("alter table ops.headlines rename column day to days")
    report = home.sync()
    assert (report.status, report.exit_code) == ("attention", 3)
    assert ["the dashboard keeps its earlier page" in line for line in report.left_behind] == [True]
    assert page.read_bytes() == before
    assert home.note()["run"] == report.run_id
    assert PAGE in home.note()["files"]


@pytest.mark.slow
def test_held_deletes_mistaken_lists_and_failed_marts_take_the_green_away(drawn: Drawing) -> None:
    assert b'class="trust good"' in drawn().html
    held = drawn("insert into ops.held_deletes values ('assets', 'a', 'why', 'r', 'a', '')").html
    assert b'class="trust careful"' in held
    mart = drawn("insert into ops.marts values ('flags', 'r', now(), '', 'no such column')").html
    assert b'class="trust careful"' in mart
    assert "marts.flags has rows of an earlier night" in Parsed(mart).words
    mistake = "insert into ops.reference_issues (list, issue, is_mistake) values ('properties', 'twice', {})"
    assert b'class="trust good"' in drawn(mistake.format("false")).html, "the list is used all the same"
    mistaken = drawn(mistake.format("true")).html
    assert b'class="trust careful"' in mistaken
    assert "your list properties has a mistake, so nothing of it counts" in Parsed(mistaken).words
    earlier = drawn(mistake.format("true"), "create table main.properties (property_id varchar)").html
    assert "your list properties has a mistake, so propsync uses it as it was before" in Parsed(earlier).words
    unrun = drawn("insert into ops.checks values ('my_check', null, null, 'Binder Error', 'r', '')").html
    assert b'class="trust careful"' in unrun
    assert "the check my check could not run (ops.checks)" in Parsed(unrun).words
    unfit = drawn(
        "insert into ops.desk values ('roles.result', null, 'found', 'propsync.toml says otherwise: no')"
    ).html
    assert b'class="trust careful"' in unfit
    assert "roles.result of [desk] in propsync.toml fits nothing in the data (ops.desk)" in Parsed(unfit).words
    undated = drawn(
        "update ops.desk set value = null, evidence = 'performedDate has no date such as 2026-03-31: the run dates it' "
        "where setting = 'assessment_date'"
    ).html
    assert b'class="trust careful"' in undated
    assert "assessments: propsync cannot read their dates" in Parsed(undated).words
    failed = drawn("update ops.run_resources set verdict = 'failed' where resource = 'assets'").html
    assert b'class="trust bad"' in failed


def test_a_later_run_of_one_part_does_not_make_the_complete_read_newer(drawn: Drawing) -> None:
    read = re.search(r"read every list completely on ([^.]*)\.", Parsed(drawn().html).words)
    later = "select * replace ('later' as run_id, 'backfill' as flow, started_at + interval 5 hours as started_at)"
    again = Parsed(drawn(f"insert into ops.runs {later} from ops.runs limit 1").html).words
    assert read
    assert read[0] in again


def test_due_dates_that_nobody_can_read_take_the_green_away(drawn: Drawing) -> None:
    page = drawn("update ops.shapes set source = 'unread' where part = 'due_dates'").html
    assert b'class="trust careful"' in page
    assert "schedules: propsync cannot read the due dates, so no number counts them" in Parsed(page).words


def test_a_note_has_no_record_as_sql_shows_it_and_names_the_period_of_changes(drawn: Drawing) -> None:
    page = drawn(
        "insert into ops.checks (check_name, severity, offending, example, reads, run_id) values "
        "('complete_reads', 'warn', 1, '{''resource'': assets, ''read_at'': ''2026-07-09 03:00:00.92+00''}', '', 'r')",
        "insert into ops.runs (run_id, flow, started_at) values ('0', 'nightly', '2001-07-01 02:00:00+00')",
        "insert into ops.run_resources (run_id, resource) values ('0', 'assets')",
    )
    words = Parsed(page.html).words
    assert "1 list has not been read completely for two days (ops.checks)" in words
    assert "+00" not in words
    assert "What propsync saw change since its run on 1 Jul 2001, 03:00." in words
    assert "certified" not in words
    assert "performedDate" not in words


def test_a_list_that_was_not_read_is_not_said_to_be_unchanged(drawn: Drawing) -> None:
    whole = "Nothing: the last run found the assessments, schedules and assets as the run before had left them."
    lacking = "The last sync did not read assessments, schedules completely, so changes there may be missing here."
    quiet = "update marts.changes set changed_at = changed_at - interval 3 day"
    unread = "update ops.run_resources set verdict = if(resource = 'assessments', 'failed', 'incomplete')"
    unread = f"{unread} where resource in ('assessments', 'schedules')"
    shown = [Parsed(drawn(*sql).html).words for sql in ((quiet,), (quiet, unread), (unread,))]
    assert [whole in one for one in shown] == [True, False, False]
    assert [lacking in one for one in shown] == [False, True, True]


def test_lists_with_one_trouble_share_a_note(drawn: Drawing) -> None:
    words = Parsed(drawn("update ops.runs set started_at = started_at - interval 3 day").html).words
    assert words.count("the last complete read is more than 36 hours ago") == 1
    assert "assessment_types, assessments, asset_types, assets, schedules: the last complete read" in words


def test_a_number_is_compared_with_the_day_before() -> None:
    day = datetime(2026, 3, 2, tzinfo=UTC).date()
    assert compared(3, day) == "3 more than on Mon 2 Mar"
    assert compared(-1200, day) == "1,200 fewer than on Mon 2 Mar"
    assert compared(0, day) == "no change since Mon 2 Mar"
    assert compared(None, day) == "not known on Mon 2 Mar"
    assert compared(3, None) == ""


def test_the_first_page_of_a_day_compares_with_the_day_before_and_no_earlier_one(drawn: Drawing) -> None:
    """propsync notes the numbers of a day after it has drawn its first page."""
    page = drawn(
        "update ops.headlines set day = day - 1",
        "insert into ops.headlines select day - 1, number, value + 1000, run_id from ops.headlines",
    )
    words = Parsed(page.html).words
    assert "no change since" in words
    assert "fewer than on" not in words


def test_a_page_is_drawn_again_from_what_is_published(home: SandboxHome, tmp_path: Path) -> None:
    page = home.path / "published" / PAGE
    before = page.read_bytes()
    page.unlink()
    propsync = CommandLine(tmp_path, settings_of(home.sandbox, home.path))
    assert propsync("dashboard").stdout == f"{page}\n"
    assert page.read_bytes() == before
    assert home.note()["files"][PAGE] == hashlib.sha256(before).hexdigest()


def test_a_page_that_lacks_a_part_is_drawn_and_said(home: SandboxHome, tmp_path: Path) -> None:
    home.published.chmod(0o644)
    with duckdb.connect(home.published) as published:
        published.execute("drop table marts.lookalikes")
    done = CommandLine(tmp_path, settings_of(home.sandbox, home.path))("dashboard")
    path, left = done.stdout.splitlines()
    assert (done.returncode, path) == (3, str(home.path / "published" / PAGE))
    assert left.startswith("Left behind: the dashboard cannot show “")


def test_open_shows_it_in_a_browser_if_one_can_be_started(home: SandboxHome, tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    browser.chmod(0o700)
    done = Program(tmp_path, settings_of(home.sandbox, home.path))("dashboard", "--open", BROWSER=f"{browser} %s")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "opened").read_text() == f"{(home.path / 'published' / PAGE).as_uri()}\n"


def test_without_anything_published_the_command_says_what_to_do(tmp_path: Path) -> None:
    done = CommandLine(tmp_path, {"PROPSYNC_HOME": str(tmp_path / "none")})("dashboard")
    assert done.returncode == 2
    assert "Run `propsync sync`" in done.stderr
