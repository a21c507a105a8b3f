"""The dictionary has every column, shows nothing personal, and stays fast with many columns."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from kit.browser import Browser
from kit.command_line import CommandLine
from kit.kept import KeptHomes
from kit.needs import skip_without
from kit.sandbox_home import SandboxHome, with_desk

from propsync.desk.dictionary import FORMATS, Entry, entries
from propsync.desk.dictionary.formats import share
from propsync.desk.dictionary.safety import may_show
from propsync.warehouse import PublishedReader

HOSTILE = "</script><script>document.title = 'taken'</script> | \" ' \u202e \x1b[2J שלום 👩‍🚒"
ALL = "select count(*) from duckdb_columns() where not internal and database_name = current_database()"


@pytest.fixture
def home(kept: KeptHomes, tmp_path: Path) -> Iterator[SandboxHome]:
    """A sandbox, and a home that was synced from it."""
    with with_desk(kept, tmp_path / "home") as made:
        yield made


@pytest.fixture
def shown(home: SandboxHome) -> Sequence[Entry]:
    with PublishedReader(home.published) as reader:
        return list(entries(reader))


def changed(home: SandboxHome, *statements: str) -> list[Entry]:
    """The entries after `statements` on a copy of what is published."""
    copy = home.copy_of_published()
    copy.chmod(0o600)
    with duckdb.connect(copy) as connection:
        for one in statements:
            connection.execute(one)
    with PublishedReader(copy) as reader:
        return list(entries(reader))


def test_every_column_has_an_entry_and_every_entry_a_meaning(home: SandboxHome, shown: Sequence[Entry]) -> None:
    assert home.rows(ALL) == [(len(shown),)]
    assert [one for one in shown if not one.meaning or not one.about_table] == []


def test_a_column_of_a_type_says_label_kind_options_and_where_it_is_from(shown: Sequence[Entry]) -> None:
    (rating,) = (one for one in shown if (one.table, one.column) == ("by_type.communal_fire_doors", "fire_rating"))
    assert rating.meaning is not None
    assert re.fullmatch(
        r"Fire rating \(option field; labels joined by '; ', '' for no choice, NULL for no result\)\. Options: .+\. "
        r"Id in the API: .+",
        rating.meaning,
    )
    assert rating.source == rating.meaning.rpartition(" ")[2]
    assert rating.example
    assert rating.example in rating.meaning


@pytest.mark.slow
def test_every_format_has_every_column(home: SandboxHome, shown: Sequence[Entry], tmp_path: Path) -> None:
    propsync = CommandLine(tmp_path, {"PROPSYNC_HOME": str(home.path)})
    written = {name: propsync("dictionary", "--format", name).stdout for name in FORMATS}
    assert [one["column"] for one in json.loads(written["json"])] == [one.column for one in shown]
    assert [one["column"] for one in csv.DictReader(io.StringIO(written["csv"]))] == [one.column for one in shown]
    assert written["html"].count("<tr><td>") == len(shown)
    assert len(re.findall(r"^\| `", written["md"], re.MULTILINE)) == len(shown)
    assert propsync("dictionary").stdout == written["md"]


def test_no_text_is_an_example_but_words_and_options(shown: Sequence[Entry]) -> None:
    texts = {one.column for one in shown if one.example and one.type == "VARCHAR" and one.source is None}
    assert texts <= {"status", "state", "kind", "change", "verdict", "flow", "severity", "due_band", "date_source"}
    of_fields = [
        one for one in shown if one.example and one.type == "VARCHAR" and one.source and "by_type" in one.table
    ]
    assert all("option field" in (one.meaning or "") for one in of_fields)
    assert [one for one in shown if one.table == "users" and one.example] == []


@pytest.mark.parametrize(
    ("schema", "table", "column", "kind", "meaning"),
    [
        ("by_type", "flats", "date_of_birth", "DATE", "Date of birth (date field)"),
        ("by_type", "flats", "n_2", "DOUBLE", "Resident's phone (number field)"),
        ("by_type", "flats", "note", "VARCHAR", "Note (text field)"),
        ("by_type", "flats", "status", "VARCHAR", "Status (text field)"),
        ("by_type", "flats", "picture", "JSON", "Picture (image field)"),
        ("main", "users", "joined_on", "DATE", "joined_on, as in your list"),
        ("main", "assessments", "assessor_name", "VARCHAR", "assessorName, as the API sends it"),
        ("main", "assets", "payload", "JSON", "The asset as received"),
    ],
)
def test_what_may_be_about_a_person_shows_no_example(
    schema: str, table: str, column: str, kind: str, meaning: str
) -> None:
    assert not may_show(schema, table, column, kind, meaning)


def test_a_blank_text_and_an_empty_list_are_not_filled(home: SandboxHome) -> None:
    found = changed(
        home,
        "update schedules set "
        "description = if(rowid = (select min(rowid) from schedules), 'ŷ', ['', '  ', chr(10)][rowid % 3 + 1]), "
        "assigned_users = if(rowid = (select min(rowid) from schedules), ['u'], [])",
    )
    filled = {one.column: one.filled for one in found if one.table == "schedules"}
    assert filled["description"] == filled["assigned_users"] == pytest.approx(1 / len(home.rows("from schedules")))
    assert filled["property_id"] == 1
    assert [share(one) for one in (None, 0, 0.001, 0.5, 0.999, 1)] == ["", "0 %", "<1 %", "50 %", ">99 %", "100 %"]


def test_hostile_labels_stay_texts(home: SandboxHome) -> None:
    words = HOSTILE.replace("'", "''")
    found = changed(home, f"comment on column assets.payload is '{words}'", f"comment on table assets is '{words}'")
    html, markdown = FORMATS["html"](found), FORMATS["md"](found)
    assert html.count("<script>") == html.count("</script>") == 1
    assert "<script>" not in markdown
    assert not set("\u202e\x1b\0") & {*html, *markdown}, "no text turns the page or steers the terminal"
    assert json.loads(FORMATS["json"](found))[0].keys() == {
        "about_table",
        "column",
        "example",
        "filled",
        "meaning",
        "source",
        "table",
        "type",
    }


def test_no_label_is_a_formula_in_the_csv(home: SandboxHome) -> None:
    (one,) = changed(home, "comment on column assets.payload is '=cmd|x'")[:1]
    entries = [replace(one, meaning="=cmd|x", example=example) for example in ("-4.5", "@x", "-x", "plain")]
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"](entries))))
    assert {row["meaning"] for row in rows} == {"'=cmd|x"}
    assert [row["example"] for row in rows] == ["-4.5", "'@x", "'-x", "plain"]
    assert json.loads(FORMATS["json"](entries))[0]["meaning"] == "=cmd|x"


@pytest.mark.release
def test_it_is_fast_with_20_000_columns(home: SandboxHome) -> None:
    columns = ", ".join(f"{place} as field_{place}" for place in range(1_000))
    began = time.process_time()
    found = changed(home, *(f"create table by_type.wide_{n} as select {columns} from range(500)" for n in range(20)))
    html = FORMATS["html"](found)
    assert len(found) > 20_000
    assert len(html) < 8_000_000
    assert time.process_time() - began < 20, "with the time to make the tables"


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_finds_columns_by_words(home: SandboxHome, shown: Sequence[Entry], tmp_path: Path) -> None:
    skip_without("chromium")
    page = tmp_path / "dictionary.html"
    page.write_text(FORMATS["html"](shown), encoding="utf-8")
    with closing(Browser(tmp_path / "browser")) as browser:
        browser.open(page.as_uri())
        search = "words.value = '%s'; search(); found.textContent"
        assert browser.run(search % "FIRE rating").endswith(" columns")
        visible = "[...document.querySelectorAll('tbody tr')].filter(one => one.checkVisibility()).length"
        assert 0 < browser.run(visible) < len(shown) / 4
        assert browser.run(search % "whether each required assessment is in date") != "0 columns", "about a table"
        assert browser.run(search % "no such words") == "0 columns"
        assert browser.run(search % "") == f"{len(shown):,} columns"
