"""A person who reviews a plan sees each change: old and new look different wherever they differ."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from propsync.cli.push.plan import print_plan
from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, FieldChange, Plan
from propsync.push.review.changes import change_rows, changes_to_json, long_values
from propsync.push.review.names import Names

NAMES = {"o1": "Twin", "o2": "Twin", "o3": "A; B", "o4": "A", "o5": "B"}


def plan_of(*changes: FieldChange, action: str = UPDATE) -> Plan:
    return Plan("assets", "doors.csv", "", "run", [Entry(2, action, ("a",), "p", "t", [*changes])])


def shown(old: Any, new: Any) -> tuple[str, str]:
    ((*_, one, other),) = change_rows(plan_of(FieldChange("f", "Notes", "text", old, new, NAMES)), Names())
    return one, other


@pytest.mark.parametrize(
    ("old", "new", "texts"),
    [
        ("before", "after", ("before", "after")),
        ("x" * 50 + " old " + "y" * 50, "x" * 50 + " new " + "y" * 50, ("…xxxxxxxxxxx old ", "…xxxxxxxxxxx new ")),
        ("door " * 10 + "end", "door " * 10 + "end ", ("…oor door end", "…oor door end␠")),
        ("lobby ", "lobby", ("lobby␠", "lobby")),
        ("two  blanks", "two blanks", ("two␠␠blanks", "two blanks")),
        ("no\u00a0break", "no break", ("no⍽break", "no break")),
        ("one\ntwo", "one two", (r"one\ntwo", "one two")),
        ("tab\tbed", "tab bed", (r"tab\tbed", "tab bed")),
        ("zero\u200bwidth", "zerowidth", (r"zero\u200bwidth", "zerowidth")),
        ("\x1b[31mred", "red", (r"\u001b[31mred", "red")),
        ("lobby␠", "lobby ", (r'"lobby\u2420"', '"lobby "')),
        ("Core A", "Core \u0410", ('"Core A"', r'"Core \u0410"')),
        ("caf\u00e9", "cafe\u0301", (r'"caf\u00e9"', r'"cafe\u0301"')),
        ("s\u00eal " + "y" * 60, "se\u0302l " + "y" * 60, (r'"s\u00eal yyy', r'"se\u0302l yyy')),
        ("FD30\u2013S", "FD30-S", (r'"FD30\u2013S"', '"FD30-S"')),
        ("", None, ('""', "(none)")),
        ("(none)", None, ('"(none)"', "null")),
        ("12", 12, ('"12"', "12")),
        (Decimal("1.50"), Decimal("1.51"), ("1.50", "1.51")),
        (["o4"], [], ("A", "(empty)")),
        ([], None, ("(empty)", "(none)")),
        (["o1"], ["o2"], ("Twin [o1]", "Twin [o2]")),
        (["o3"], ["o4", "o5"], ("A; B [o3]", "A [o4]; B [o5]")),
    ],
)
def test_old_and_new_look_different_where_they_differ(old: Any, new: Any, texts: tuple[str, str]) -> None:
    for text, part in zip(shown(old, new), texts, strict=True):
        assert text == part if len(text) <= 20 else part in text


_CELLS = some.one_of(some.none(), some.text(max_size=60), some.integers(), some.lists(some.sampled_from([*NAMES])))


@given(_CELLS, _CELLS, some.text(alphabet="a \n\u00a0", max_size=60))
def test_any_two_values_look_different_in_a_table_that_joins_blanks(old: Any, new: Any, before: str) -> None:
    if isinstance(old, str) and isinstance(new, str):
        old, new = before + old, before + new
    if old == new:
        return
    one, other = (" ".join(text.split()) for text in shown(old, new))
    assert one != other
    assert max(len(one), len(other)) <= 42


def test_long_values_are_to_be_had_whole() -> None:
    old, new = "door " * 30 + "old", "door " * 30 + "new "
    lines = list(
        long_values(plan_of(FieldChange("f", "Notes", "text", old, new), FieldChange("g", "Tag", "qr", "", "1")))
    )
    assert lines == [f"row 2, a, Notes, old: {old}", f"row 2, a, Notes, new: {new[:-1]}␠"]


def test_a_delete_lists_what_is_lost_and_a_new_record_what_it_gets() -> None:
    due, none = FieldChange("dueDate", "Due date", "date", "2026-03-01", None), FieldChange("d", "Description", "text")
    deleted, created = (
        plan_of(due, none, action=DELETE),
        plan_of(FieldChange("f", "L", "text", None, "new"), action=CREATE),
    )
    assert [row[4:] for row in change_rows(deleted, Names())] == [("Due date", "2026-03-01", "(deleted)")]
    assert [row[4:] for row in change_rows(created, Names())] == [("L", "", "new")]
    assert [row[4:] for row in change_rows(plan_of(none, action=DELETE), Names())] == [("", "", "")]


def test_json_has_each_change_with_whole_values() -> None:
    long = "x" * 100 + " "
    (one,) = changes_to_json(plan_of(FieldChange("f", "Notes", "text", None, long)), Names())
    assert one == {
        "row": 2,
        "action": "update",
        "record": ["a"],
        "property_id": "p",
        "type_id": "t",
        "name": "",
        "field": "f",
        "label": "Notes",
        "kind": "text",
        "old": None,
        "new": long,
        "names": {},
    }


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_a_narrow_terminal_shows_old_above_new_and_no_line_wraps(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = FieldChange("f1", "Location", "text", "Bin store", "Basement car park, bay 14, by the lift")
    other = FieldChange("f2", "Last inspected", "date", None, "2026-11-30")
    two = [Entry(row, UPDATE, (f"4utZK2K0iZZq0IVLgYeyb{row}",), "p", "t", [one, other]) for row in (2, 3)]
    made = Plan("assets", "doors.csv", "", "run", two)
    with monkeypatch.context() as patch:
        patch.setattr(sys.stdout, "isatty", lambda: True)
        patch.setenv("COLUMNS", str(columns))
        print_plan(made, Names({"p": "Darwin Tower"}, {"t": "Fire doors"}), Path("doors.plan"), as_json=False)
    changes = capsys.readouterr().out.split("\n\n")[1].splitlines()
    assert max(map(len, changes)) <= columns
    if columns == 200:
        assert changes[0].split() == ["row", "action", "record", "name", "field", "old", "new"]
        return
    assert changes[:8] == [
        "row 2, update 4utZK2K0iZZq0IVLgYeyb2",
        "  Darwin Tower: Fire doors",
        "  Location",
        "    old  Bin store",
        "    new  Basement car park, bay 14, by the lift",
        "  Last inspected",
        "    old  (none)",
        "    new  2026-11-30",
    ]
    assert changes[8:] == [changes[0].replace("2", "3", 1)[:-1] + "3", *changes[1:8]]
