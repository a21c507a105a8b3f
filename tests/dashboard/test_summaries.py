"""Sums of the page: last night in words, and the weeks ahead by person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

from propsync.desk.dashboard.ahead import look_ahead
from propsync.desk.dashboard.answer import Answer
from propsync.desk.dashboard.changed import in_words
from propsync.desk.dashboard.compliance import by_type
from propsync.desk.dashboard.question import question
from propsync.desk.dashboard.trust import FOUND, found_by
from propsync.shipped import shipped

MONDAY = date(2026, 3, 2)


def answered(name: str, columns: str, *rows: tuple[Any, ...]) -> Answer:
    """An answer to one of the page's questions."""
    return Answer(question(name), len(rows), columns.split(), rows)


def test_what_a_check_found_is_said_in_words() -> None:
    warning = {
        path.stem for path in (shipped("sql") / "checks").rglob("*.sql") if "-- severity: warn" in path.read_text()
    }
    assert FOUND.keys() == warning
    assert found_by("complete_reads", 1) == "1 list has not been read completely for two days"
    assert found_by("assets_have_listed_types", 1200) == "1,200 assets have types that the API does not list"
    assert found_by("no_uprn", 3) == "the check no uprn found 3 rows", "one that people added"


def test_a_reason_over_two_lines_is_whole() -> None:
    assert question("without_required").why.endswith("If one was deleted, the reason in marts.compliance says so")
    assert question("without_required").of == "marts.compliance.is_missing"
    for path in (shipped("sql") / "dashboard").glob("*.sql"):
        comments = path.read_text().split("\n-- why: ")[1].split("\n")
        last = next(place for place, line in enumerate(comments[1:], 1) if not line.startswith("-- "))
        assert question(path.stem).why == " ".join(line.removeprefix("-- ") for line in comments[:last]), path.stem


def changes(*rows: tuple[Any, ...]) -> Answer:
    return answered("changed_by_kind", "resource change field how records", *rows)


def test_a_night_is_summed_up_in_words() -> None:
    assets, schedules = in_words(
        changes(
            ("assets", "changed", "Width", None, 1200),
            ("assets", "deleted", None, None, 2),
            ("assets", "first read", None, None, 3000),
            ("assets", "new", None, None, 1),
            ("schedules", "changed", "due date", "later", 2),
            ("schedules", "changed", "status", "from notstarted to inprogress", 3),
        )
    )[::-1]
    assert schedules.sentences == ["3 went from not started to in progress.", "2 got a later due date."]
    assert assets.sentences == ["2 were deleted.", "propsync read 3,000 assets for the first time.", "1 is new."]
    assert (assets.fields, assets.other_fields) == ([("Width", 1200)], 0)


def test_many_fields_are_counted_and_long_labels_cut() -> None:
    (changed,) = in_words(changes(*(("assets", "changed", f"{place} {'x' * 5_000}", None, 1) for place in range(40))))
    assert (len(changed.fields), changed.other_fields) == (6, 34)
    assert max(len(label) for label, _ in changed.fields) == 100


def test_two_people_of_one_name_stay_two_and_nobody_comes_first() -> None:
    ahead = look_ahead(
        answered(
            "ahead_by_week",
            "assignee week_from due assigned user_id",
            ("Callum Roberts", MONDAY, 2, True, "u1"),
            ("Callum Roberts", date(2026, 3, 16), 1, True, "u2"),
            ("nobody", MONDAY, 1, False, None),
            ("nobody", MONDAY, 4, True, "a user of that name"),
        )
    )
    assert ahead is not None
    assert [(one.name, one.is_somebody, one.due) for one in ahead.people] == [
        ("nobody", False, [1, 0, 0]),
        ("nobody", True, [4, 0, 0]),
        ("Callum Roberts", True, [2, 0, 0]),
        ("Callum Roberts", True, [0, 0, 1]),
    ]
    assert ahead.totals == [7, 0, 1]
    assert [bar.above for bar in ahead.chart.bars] == ["7", "0", "1"]


def month(day: date, read_on: date | None, in_date: int | None = 2) -> tuple[Any, ...]:
    return (day, "Gas", in_date, 0, in_date, 0, read_on, "gas")


class Counted(list[tuple[Any, ...]]):
    """Rows that count how often somebody goes through them."""

    times = 0

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        self.times += 1
        return super().__iter__()


def test_types_are_grouped_at_once() -> None:
    """At 3,000 types, a look at every month of every type for each of them took the whole night."""
    types = [f"type {number}" for number in range(20)]
    numbers = answered("compliance_by_type", "assessment_type_id required", *((one, 1) for one in types))
    rows = Counted(("p", one) for one in types)
    names = "day assessment_type in_date due_soon unknown out_of_date last_complete_read assessment_type_id"
    of_months = Counted((*month(MONDAY, MONDAY)[:-1], one) for one in types for _ in range(4))
    of_rows = replace(answered("compliance_rows", "property assessment_type_id"), rows=rows)
    found = by_type(numbers, of_rows, replace(answered("compliance_months", names), rows=of_months))
    assert [(one.rows.rows, one.months and len(one.months.bars)) for one in found] == [
        ([("p", one)], 4) for one in types
    ]
    assert (rows.times, of_months.times) == (1, 1)


def test_a_bar_says_that_its_numbers_were_old() -> None:
    names = "day assessment_type in_date due_soon unknown out_of_date last_complete_read assessment_type_id"
    days = [date(2026, number, 28) for number in (1, 2, 3, 4)]
    months = answered(
        "compliance_months",
        names,
        month(days[0], None, None),
        month(days[1], None),
        month(days[2], days[1]),
        month(days[3], days[3]),
    )
    numbers = answered("compliance_by_type", "assessment_type_id required", ("gas", 3))
    (gas,) = by_type(numbers, answered("compliance_rows", "assessment_type_id"), months)
    assert gas.months is not None
    counts = "2 in date, 0 due soon, 2 unknown, 0 out of date"
    assert [bar.label for bar in gas.months.bars] == [
        "28 Jan 2026: not known",
        f"28 Feb 2026: {counts}; never read completely by then",
        f"28 Mar 2026: {counts}; last complete read on 28 Feb 2026",
        f"28 Apr 2026: {counts}",
    ]
