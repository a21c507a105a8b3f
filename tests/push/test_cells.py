"""Every kind of field against every kind of cell: the value that is planned, or why propsync refuses it."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest

from propsync.merge.reference.spreadsheet import SheetError
from propsync.push.files.damage import CellRefused
from propsync.push.planning.row_checks import field_change
from propsync.push.values.cells import KEPT, planned
from propsync.push.values.fields import USERS, Field
from propsync.push.values.shown import shown

SCORES = {"1": "0", "2": "1", "3": "2", "4": None}
RATINGS = {
    "o1": "FD30",
    "o2": "FD60",
    "o3": "Gap; wide",
    "o4": "Twin",
    "o5": "Twin",
    "o6": "A",
    "o7": "B",
    "o8": "A; B",
    "o9": None,
    "5": "7",
}
FIELDS = {
    "text": Field("f", "Notes", "text", "notes"),
    "qr": Field("f", "Tag", "qr", "tag"),
    "number": Field("f", "Height", "number", "height"),
    "date": Field("f", "Due", "date", "due"),
    "time": Field("f", "At", "time", "at"),
    "option": Field("f", "Rating", "option", "rating", RATINGS, former={"o10": "FD20"}),
    USERS: Field("assignedUsers", "Assigned users", USERS, "assigned_users", {"u1": "Ann Lee", "u2": None}),
    "image": Field("f", "Photo", "image", "photo"),
    "file": Field("f", "Certificate", "file", "certificate"),
    "pin": Field("f", "On plan", "pin", "on_plan"),
    "gone": Field("f", "Old", "text", "old", is_listed=False),
    "status": Field("status", "Status", "text", "status", is_read_only=True),
}
REF = SheetError("#REF!")
MOMENT = datetime(2026, 1, 31, 9, 30)  # noqa: DTZ001 - a spreadsheet knows no zone
MIDNIGHT = datetime(2026, 1, 31)  # noqa: DTZ001
LONG = "0012345678901234567890"

VALID = [
    ("text", "old", "'90s doors", "'90s doors"),
    ("number", Decimal("0.30000000000000004"), 0.3, Decimal("0.3")),
    ("number", Decimal("3.14"), "3.1", Decimal("3.1")),
    ("number", Decimal("3.14"), Decimal("3.1"), Decimal("3.1")),
    ("text", None, "Bin store", "Bin store"),
    ("text", "a", " b ", " b "),  # blanks of a text are the text's
    ("text", "a", 12.0, "12"),
    ("text", "a", 12.5, "12.5"),
    ("text", "a", "1E5", "1E5"),
    ("text", "a", "'=1+1", "=1+1"),  # a CSV keeps a formula from running in this way
    ("text", "2026-01-30", "2026-01-31", "2026-01-31"),  # a text that is a date, corrected as one
    ("text", "0012", "0013", "0013"),
    ("text", "12.5", "13", "13"),
    ("text", "12.5", "125", "125"),
    ("text", "£5", "£5.50", "£5.50"),
    ("text", "5%", "5", "5"),
    ("text", "1-2", "12 Elm", "12 Elm"),
    ("text", "3-4", "3 Gordon", "3 Gordon"),  # a month of no country
    ("text", "9:30", "10:30", "10:30"),
    ("qr", "QR0001", "QR0002", "QR0002"),
    ("number", None, "12.50", Decimal("12.50")),
    ("number", 1, "12345678901234567890.123", Decimal("12345678901234567890.123")),
    ("number", 1, "1E3", Decimal("1E3")),
    ("number", Decimal("1.234"), "1234.0", Decimal("1234.0")),
    ("number", Decimal("1.23"), "123", 123),
    ("number", Decimal("1.234"), "1235", 1235),
    ("number", 1234, "1.2340", Decimal("1.2340")),
    ("number", 1234, 1.234, Decimal("1.234")),
    ("number", 1200, "1.2", Decimal("1.2")),
    ("number", 1, 0.1 + 0.2, Decimal("0.3")),  # a sheet shows 15 digits
    ("number", 1, 7.0, 7),
    ("number", 1, Decimal("0.10"), Decimal("0.10")),
    ("number", "N/A", "3", 3),
    ("number", 12, "-5", -5),
    ("date", None, "2026-01-31", "2026-01-31"),
    ("date", "2026-01-30", date(2026, 1, 31), "2026-01-31"),
    ("date", "2026-01-30", MIDNIGHT, "2026-01-31"),
    ("date", "unknown", "2026-01-31 00:00:00", "2026-01-31"),
    ("time", None, "9:30", "09:30"),
    ("time", "10:00", "09:30:00", "09:30"),
    ("time", "10:00", time(9, 30), "09:30"),
    ("time", "10:00", timedelta(hours=9, minutes=30), "09:30"),
    ("time", "10:00", time(9, 29, 59, 997_000), "09:30"),  # a sheet keeps a part of a day
    ("time", "10:00", "02:30:00 PM", "14:30"),
    ("time", "10:00", "12:05 am", "00:05"),
    ("option", None, "FD30", ["o1"]),
    ("option", ["o1"], "fd60", ["o2"]),
    ("option", ["o1"], "FD30; FD60", ["o1", "o2"]),
    ("option", ["o1"], "FD60;o1", ["o2", "o1"]),
    ("option", ["o1"], "FD30; Gap; wide", ["o1", "o3"]),
    ("option", ["o1"], "o4", ["o4"]),
    ("option", ["o1"], "o9", ["o9"]),
    ("option", ["o1"], 7.0, ["5"]),
    ("option", ["o1"], ["FD60", "o3"], ["o2", "o3"]),  # JSON and Parquet have lists
    (USERS, None, "ann lee; u2", ["u1", "u2"]),
]
EMPTY = [(kind, "x", cell) for kind in FIELDS for cell in (None, "")]
UNCHANGED = [
    ("text", "'0003", "'0003"),
    ("text", "a\r\nb\x01", "a\nb"),
    ("text", None, "  "),
    ("text", "[clear]", "[clear]"),
    ("text", "#REF!", "#REF!"),
    ("text", LONG, LONG),
    ("text", "=1+1", "'=1+1"),
    ("text", "4.892E+092", "4.892E+092"),
    ("number", Decimal("12.50"), "12.5"),
    ("number", Decimal("12.50"), 12.5),
    ("number", Decimal("0.30000000000000004"), 0.1 + 0.2),
    ("number", 9007199254740993, 9007199254740992.0),  # as by_type has it
    ("number", Decimal("1E+308"), 1e308),
    ("number", Decimal("1E+308"), "1e+308"),  # as a query writes it into a CSV
    ("number", 123456789012345678, "1.2345678901234568e+17"),
    ("number", 9007199254740993, Decimal("9007199254740992.0")),  # and into JSON
    ("number", 123456789012345678, Decimal("123456789012345680.0")),
    ("number", Decimal("1E3"), "1000"),
    ("number", "N/A", "N/A"),
    ("number", "12.50", 12.5),  # an API may show its values in forms of its own
    ("date", "2026-01-31T00:00:00Z", date(2026, 1, 31)),
    ("time", "09:30:00", time(9, 30)),
    ("date", "2026-01-31", date(2026, 1, 31)),
    ("date", "31/02/2019", "31/02/2019"),
    ("time", "09:30", time(9, 30)),
    ("time", "09:30:15", "09:30:15"),
    ("option", ["o1", "o2"], "FD60; FD30"),
    ("option", ["o4"], "o4"),
    ("option", ["o3"], "Gap; wide"),  # as by_type shows it
    ("option", ["o4"], "Twin"),
    ("option", ["gone"], "gone"),
    (USERS, ["u1", "u2"], "u2; Ann Lee"),
    ("image", {"url": "https://files.invalid/1", "size": 3}, '{"size": 3, "url": "https://files.invalid/1"}'),
    ("gone", "x", "x"),
    ("status", "notstarted", "notstarted"),
    *((kind, None, "[clear]") for kind in FIELDS),
    ("option", [], "[clear]"),
    ("option", None, []),
    ("option", ["o10"], "FD20"),  # a table shows the label of an option that is offered no more
    ("option", ["o1", "o10"], "FD30; FD20"),
    ("option", ["o10"], "o10"),
]
CLEARED = [(kind, old) for kind, old in (("text", "a"), ("qr", "a"), ("number", 0), ("date", "2026-01-31"))]
CLEARED += [("time", "09:30"), ("text", "")]
OTHER_NUMBERS = [("1.234", "1234"), ("1.000,5", "1000.5"), ("1 234", 1234.0), ("1\u202f234", "1234"), ("12,5", 12.5)]
OTHER_NUMBERS += [("1,234.50", "1234.5"), ("(5)", "-5"), ("5-", "-5"), ("€5", "5"), ("7 %", "7%"), ("1E-3", "0,001")]
OTHER_DATES = [("1-2", "01. Feb"), ("1-2", "01-févr"), ("1/2 ", "01/02/2026"), ("1. Feb", "01.02.2026")]
OTHER_DATES += [("MAR1", "01-Mar"), ("SEPT2", "02-Sep"), ("5. Mai", "05.05.2026"), ("DEC12", "2026-12-12")]
OTHER_TIMES = [("2pm", "14:00:00"), ("2 PM", "02:00:00 PM"), ("10:10:10", "10:10:10 AM")]
REFUSED = [
    ("text", "old", "'0003", "an apostrophe before digits is a sign for a spreadsheet: write 0003"),
    ("text", "0003", "'0003", "write 0003"),
    # of a kind that is wrong
    ("text", "a", ["x"], "a list"),
    ("option", ["o1"], [], "[clear]"),
    (USERS, ["u1"], [], "[clear]"),
    ("number", 1, "tall", "not a number"),
    ("number", 1, "1,234.5", "after a point"),
    ("number", 1, "12,5", "after a point"),
    ("number", 1, "NaN", "not a number"),
    ("number", 1, "1E999", "too large"),
    ("number", 1, True, "not a number"),
    ("number", 1, date(2026, 1, 31), "not a number"),
    ("date", None, "31/01/2026", "2026-01-31"),
    ("date", None, "2026-02-30", "no calendar"),
    ("date", None, MOMENT, "time of day"),
    ("date", None, time(9, 30), "not a date"),
    ("time", None, "25:00", "24-hour"),
    ("time", None, "half past", "24-hour"),
    ("time", None, "13:30 PM", "24-hour"),
    ("time", None, time(9, 30, 15), "seconds"),
    ("time", None, timedelta(days=1, hours=1), "24-hour"),
    ("time", None, date(2026, 1, 31), "not a time of day"),
    # options
    ("option", None, "FD31", "known are FD30, FD60"),
    ("option", None, "FD30; FD31", "'FD31'"),
    ("option", None, "FD30, fd60", "put a semicolon between two options: FD30; fd60"),
    ("option", None, "FD30\nFD60", "put a semicolon"),
    ("option", None, "FD30, FD31", "'FD30, FD31'; known are"),
    (USERS, None, "Ann Lee, u2", "put a semicolon between two users: Ann Lee; u2"),
    ("option", ["o1"], "FD20", "known are FD30, FD60"),  # offered no more
    ("option", None, "Twin", "o4, o5"),
    ("option", None, "A; B", "several ways"),
    ("option", None, date(2026, 1, 2), "a date"),
    (USERS, None, "Bob", "no user"),
    # kinds that nobody can write
    ("image", None, "photo.jpg", "does not show how to write"),
    ("file", {"size": 1}, "[clear]", "does not show how to write"),
    ("pin", None, "here", "does not show how to write"),
    ("gone", "x", "y", "no longer"),
    ("status", "notstarted", "inprogress", "nobody can write"),
    # damaged by a spreadsheet
    *((kind, "1", REF, "#REF!") for kind in FIELDS),
    *((kind, "1", "#REF!", "error of the spreadsheet") for kind in ("text", "number", "date", "time", "option")),
    ("text", "a", "Err:502", "error of the spreadsheet"),
    ("text", None, "caf\ufffd", "a program could not read"),
    ("qr", "cafe", "caf\ufffd", "a program could not read"),
    ("text", "a", "   ", "only spaces"),
    ("text", "a", True, "truth value"),
    ("text", "true", "TRUE", "truth value"),
    ("text", "1-2", date(2026, 1, 2), "a date"),
    ("text", "1-2", "01/02/2026", "a date"),
    ("text", "1-2", "2-Jan", "a date"),
    ("text", "5 Mar", "05-Mar", "a date"),
    ("text", "9:30", "09:30:00", "in its own way"),
    # in the forms of other countries
    *(("text", old, cell, f"{old} the number") for old, cell in OTHER_NUMBERS),
    *(("text", old, cell, f"{old} a date") for old, cell in OTHER_DATES),
    *(("text", old, cell, "in its own way") for old, cell in OTHER_TIMES),
    ("number", Decimal("1.234"), "1234", "write 1234.0"),
    ("number", Decimal("1.234"), 1234.0, "write 1234.0"),
    ("number", 1234, "1.234", "may have written 1234 as 1.234"),
    ("number", Decimal("1000.0"), " 1.000", "write 1.0000"),
    ("number", Decimal("-0.125"), "-125", "write -125.0"),
    ("text", "0012", 12.0, "0012"),
    ("text", "0012", "12", "0012"),
    ("text", "0012", 13.0, "began with a zero"),
    ("text", "0012", "13", "began with a zero"),
    ("text", "12.50", "12.5", "12.50"),
    ("text", "1E5", "100000", "1E5"),
    ("text", LONG, "12345678901234600000", "the number"),
    ("text", LONG, 1.2345678901234567e19, "15 digits"),
    ("text", "a", "4.892E+092", "shortened"),
    ("qr", "a", "4.892E+092", "shortened"),
    ("option", None, "4.892E+092", "shortened"),
    ("number", 1, "1.23457E+11", "shortened"),
    ("number", 1, 1e15, "15 digits"),
    *((kind, None, float(one), "not a number") for kind in ("text", "number", "date") for one in ("nan", "-inf")),
    ("number", 9007199254740993, "9007199254740990", "rounded"),
    ("number", Decimal("3.14159265358979"), "3.141592654", "rounded"),
    ("date", None, "45,231", "number 45,231"),
    ("date", None, "45231", "number 45231"),
    ("date", None, 45231.0, "number 45231"),
    ("time", None, "0.395833333", "number 0.395833333"),
    ("time", None, 0.395833333, "number 0.395833333"),
]


def judged(kind: str, cell: Any, old: Any, *, is_lossy: bool = False) -> Any:
    return planned(cell, FIELDS[kind], old, is_lossy=is_lossy)


@pytest.mark.parametrize(("kind", "old", "cell", "new"), VALID)
def test_a_valid_cell_is_planned(kind: str, old: Any, cell: Any, new: Any) -> None:
    found = judged(kind, cell, old)
    assert (found, str(found)) == (new, str(new))  # every digit


@pytest.mark.parametrize(("kind", "old", "cell"), EMPTY)
def test_an_empty_cell_changes_nothing(kind: str, old: Any, cell: Any) -> None:
    assert judged(kind, cell, old) is KEPT


@pytest.mark.parametrize(("kind", "old", "cell"), UNCHANGED)
def test_a_cell_that_shows_the_old_value_changes_nothing(kind: str, old: Any, cell: Any) -> None:
    assert judged(kind, cell, old) is KEPT


@pytest.mark.parametrize(("kind", "old"), [*CLEARED, ("option", ["o1"]), (USERS, ["u1"])])
@pytest.mark.parametrize("word", ["[clear]", " [Clear] "])
def test_clear_removes_the_value(kind: str, old: Any, word: str) -> None:
    assert judged(kind, word, old) is None


@pytest.mark.parametrize(("kind", "old", "cell", "words"), REFUSED)
def test_a_cell_that_cannot_be_planned_says_why(kind: str, old: Any, cell: Any, words: str) -> None:
    with pytest.raises(CellRefused) as error:
        judged(kind, cell, old)
    assert words in error.value.reason


def test_an_id_that_is_the_label_of_another_option_can_be_written() -> None:
    """Such as the id 2 of the score 1."""
    field = Field("f", "Score", "option", "score", SCORES)
    for one in SCORES:
        cell = shown(field, [one])
        assert planned(cell, field, None) == [one]
        assert planned(field.whole_name(one).upper(), field, None) == [one]
        assert planned(cell, field, [one]) is KEPT
    with pytest.raises(CellRefused, match=r"2 options are called 1: write one of 0 \[1\], 1 \[2\]"):
        planned("1", field, None)


def test_a_number_that_a_spreadsheet_has_made_of_another_label_is_refused() -> None:
    """A CSV has 1.10 as 1.1, and that is the label of a different option."""
    field = Field("f", "Risk", "option", "risk", {"o1": "1.1", "o10": "1.10", "o2": "02", "o3": "2"})
    for old, cell in (("o10", "1.1"), ("o2", "2"), ("o2", 2.0), (None, 1.1), ("o3", 1.1)):
        with pytest.raises(CellRefused, match="write the id of the one that you mean"):
            planned(cell, field, [old] if old else None)
    assert planned(1.1, field, ["o1"]) is planned("2", field, ["o3"]) is KEPT
    assert planned("o1", field, ["o10"]) == planned("1.1", field, ["o3"]) == ["o1"]
    assert planned("1.1; 2", field, ["o10"]) == ["o1", "o3"]
    assert planned("1.1", field, ["o10"], is_exact=True) == ["o1"]


def test_a_plan_names_an_option_with_its_id_if_another_has_the_same_label() -> None:
    assert field_change(FIELDS["option"], ["o1"], ["o5"]).names == {"o1": "FD30", "o5": "Twin [o5]"}


@pytest.mark.parametrize(
    ("old", "cell"),
    [
        ("a\r\nb\x01", "a\nb"),
        ("\ufeffQR1", "QR1"),
        ("0012", "12"),
        ("12.50", "12.5"),
        ("1-2", "01/02/2026"),
        ("Łódź", "?ód?"),
        ("=1", "'=1"),
        (None, "'=1"),
    ],
)
def test_a_query_changes_what_a_spreadsheet_could_have_damaged(old: str | None, cell: str) -> None:
    assert planned(cell, FIELDS["text"], old, is_exact=True) == cell
    assert planned(old, FIELDS["text"], old, is_exact=True) is KEPT


def test_a_query_may_multiply_a_number_by_a_thousand() -> None:
    assert planned(1234.0, FIELDS["number"], Decimal("1.234"), is_exact=True) == 1234


@pytest.mark.parametrize("page", ["cp850", "cp437", "mac_roman"])
def test_a_file_in_an_older_code_page_has_other_letters(page: str) -> None:
    old = "Café à côté"
    for edited in (old, "Café à côté, level 2"):
        cell = edited.encode(page).decode("windows-1252")
        with pytest.raises(CellRefused, match="save it as CSV UTF-8"):
            judged("text", cell, old, is_lossy=True)
        assert judged("text", cell, old) == cell, "in UTF-8, it is what somebody wrote"
    for cell in ("Cafe", "Cafè à côté", "Why?"):
        assert judged("text", cell, old, is_lossy=True) == cell


@pytest.mark.parametrize("page", ["latin-1", "windows-1252", "mac_roman"])
def test_utf8_that_a_program_took_for_an_older_code_is_refused(page: str) -> None:
    for old, edited in (("Café à £5", "Café à £5"), ("Łódź", "Łódź, level 2"), ("🚪 °", "🚪 °"), ("换", "换")):
        cell = edited.encode().decode(page, errors="replace")
        with pytest.raises(CellRefused, match="misread"):
            judged("text", cell, old)
        assert judged("text", old, cell) == old, "somebody corrects it"


def test_a_file_in_windows_1252_has_question_marks_for_other_characters() -> None:
    old = "Łódź — 🚪 №7"
    for cell in ("?ód? — ? ?7", "?ód? — ?? ?7"):
        assert judged("text", cell, old, is_lossy=True) is KEPT
        assert judged("text", cell, old) is KEPT, "somebody may have saved the file as UTF-8 since"
    for is_lossy, cell in ((True, "Which ? is it"), (True, "?ód? 8"), (False, "?ód? — ? ?8"), (False, "in Łód? —")):
        with pytest.raises(CellRefused, match="lacks characters"):
            judged("text", cell, old, is_lossy=is_lossy)
    assert judged("text", "Why?", "Why not?", is_lossy=True) == "Why?"
    assert judged("text", "a?????b", "a№?🚪b", is_lossy=True) is KEPT
    with pytest.raises(CellRefused, match="lacks characters"):
        judged("text", "a??????b", "a№?🚪b", is_lossy=True)


def test_a_long_text_in_another_script_takes_a_moment() -> None:
    old = "Дверь закрыта " * 40 + "门" * 500
    cell = old.encode("windows-1252", errors="replace").decode()
    assert judged("text", cell, old, is_lossy=True) is KEPT
    with pytest.raises(CellRefused, match="lacks characters"):
        judged("text", f"{cell} x", old, is_lossy=True)
    assert judged("text", "Is Łódź good?", old) == "Is Łódź good?"
