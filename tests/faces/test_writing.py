"""Every text of the project is in plain English, and the lint that says so finds faults, and no others."""

from __future__ import annotations

import pytest
from faces.english import texts
from faces.english.__main__ import main
from faces.english.rules import Passage, faults

LONG = " ".join(["word"] * 26)


def _phrases(text: str) -> list[str]:
    return [fault.phrase for fault in faults([Passage(1, text)])]


@pytest.mark.slow
def test_pages_docstrings_comments_and_sql_headers_are_in_plain_english(capsys: pytest.CaptureFixture[str]):
    assert main() == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The run is told to stop.", "told"),
        ("Read the list Anew.", "Anew"),
        ("The old file stands in for the new one.", "stands in"),
        ("Use a mirror, e.g. your own.", "e.g."),
        (f"Short. {LONG.capitalize()}.", f"{LONG.capitalize()}."),
        ("What the API sends on a bad day is refused here.", "What the API sends on a bad day is refused here."),
    ],
)
def test_a_fault_is_found(text: str, phrase: str):
    assert _phrases(text) == [phrase]


@pytest.mark.parametrize(
    "text",
    [
        "propsync deletes the record and reports it.",
        "An untold number of olives.",
        "What does the API send on a bad day, and when?",
        f"{LONG.rsplit(' ', 1)[0]}. Short.",
    ],
)
def test_plain_english_has_no_fault(text: str):
    assert not _phrases(text)


def test_a_page_is_read_without_its_examples():
    page = "# Title\n\nTwo\nlines of `told`.\n\n```\ntold\n```\n\n- An item.\n\n| one | two |\n"
    assert [(passage.line, passage.words) for passage in texts.markdown(page) if passage.words] == [
        *((1, "Title"), (3, "Two lines of X."), (10, "An item."), (12, "one"), (12, "two"))
    ]


def test_messages_are_read_with_their_values_as_x_and_without_sql():
    code = (
        '''"""Told in a docstring."""\nx = f"one {y} three `told`"\nz = "select told from a table"\nw = "two words"\n'''
    )
    assert list(texts.messages(code)) == [Passage(2, "one X three X")]


def test_values_of_toml_are_read():
    text = 'a = "two words"\n[b]\nc = ["VARCHAR", "What is told here"]\n'
    assert list(texts.values(text)) == [Passage(1, "What is told here")]


def test_python_is_read_by_its_docstrings_and_comments():
    code = '''"""Title.\n\n    told\n\nText.\n"""\nx = "told"  # noqa: S105\n# One\n# comment.\ny = 1  # Another.\n'''
    assert [(passage.line, passage.words) for passage in texts.python(code)] == [
        *((1, "Title."), (5, "Text."), (8, "One comment."), (10, "Another."))
    ]


def test_sql_is_read_by_its_comments():
    model = "-- grain: a, b\n-- why: One\n-- reason.\nselect '-- told' as x  -- Another.\n"
    assert [(passage.line, passage.words) for passage in texts.sql(model)] == [(2, "One reason."), (4, "Another.")]
