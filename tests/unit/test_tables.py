"""Tables on standard output: nothing is cut, and what is too long for a terminal is wrapped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from propsync.cli.terminal.tables import print_table, say

LONG = " ".join(f"word{number}" for number in range(60))
ID = "0f2b7c1e9d8a4b6c5d3e2f10"


@pytest.fixture
def lines_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """The lines of a table on a terminal of 80 columns."""

    def lines(columns: list[str], rows: list[Any]) -> list[str]:
        with monkeypatch.context() as patch:
            patch.setattr(sys.stdout, "isatty", lambda: True)
            patch.setenv("COLUMNS", "80")
            print_table(columns, rows)
        return capsys.readouterr().out.splitlines()

    return lines


def test_elsewhere_than_on_a_terminal_nothing_is_cut_or_wrapped(capsys: pytest.CaptureFixture[str], monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    print_table(["id", "meaning"], [(ID, LONG), (ID, "short")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == [f"{ID}  {LONG}", f"{ID}  short"]


def test_on_a_terminal_long_texts_wrap_and_nothing_is_lost(lines_of):
    lines = lines_of(["id", "meaning", "n"], [(ID, LONG, 7), (ID, "short", 12)])
    assert max(map(len, lines)) <= 80
    body = lines[2:-1]
    assert " ".join(line[26:76].strip() for line in body).split() == LONG.split()
    assert body[0].startswith(ID)
    assert body[0].endswith("   7")
    assert not any(line[:26].strip() for line in body[1:])
    assert lines[-1].split() == [ID, "short", "12"]


def test_a_word_that_is_longer_than_its_column_is_broken_not_cut(lines_of):
    lines = lines_of(["id", "hash"], [(ID, "abcdefghij" * 20)])
    assert max(map(len, lines)) <= 80
    assert "".join(line[26:] for line in lines[2:]) == "abcdefghij" * 20


def test_what_fits_a_terminal_is_left_as_it_is(lines_of):
    assert lines_of(["a", "b"], [("x", None), ("y y", 3)]) == ["a    b", "───  ─", "x", "y y  3"]


def test_a_terminal_that_is_too_narrow_for_the_columns_gets_a_line_for_each_value(lines_of):
    lines = lines_of([f"column_{number}" for number in range(6)], [[LONG] * 6, [ID, None, "", 3, "x y", ID]])
    assert max(map(len, lines)) <= 80
    names = [line[:8] for line in lines if line[:8].strip()]
    assert names == [f"column_{number}" for number in range(6)] * 2
    first = lines[: lines.index("")]
    assert " ".join(line[10:] for line in first).split() == LONG.split() * 6
    assert lines[len(first) + 1 :] == [
        f"column_0  {ID}", "column_1", "column_2", "column_3  3", "column_4  x y", f"column_5  {ID}", ""
    ]  # fmt: skip


def test_without_rows_such_a_table_still_shows_its_columns(lines_of):
    columns = [f"a_column_with_a_name_{number}" for number in range(6)]
    assert lines_of(columns, [])[0].split() == columns


def test_no_line_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["na\x1b[31mme"], [["\x1b]0;title\x07"], ["a\x9bb"], ["\u202etxt"]])
    say("no column is called \x1b[2J")
    shown = capsys.readouterr()
    assert not set("\x1b\x07\x9b\u202e") & set(shown.out + shown.err)
    assert r"\u001b]0;title\u0007" in shown.out, "it is shown as JSON has it"
    assert shown.err == "propsync: no column is called \\u001b[2J\n"
