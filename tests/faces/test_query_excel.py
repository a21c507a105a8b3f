"""`propsync query` for spreadsheets: a workbook with real dates and with texts that stay texts, and CSV for Excel."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from faces.test_query import on_a_terminal
from kit.command_line import CommandLine, Done
from kit.needs import needs
from kit.programs import PROGRAM, environment
from python_calamine import CalamineWorkbook

Query = Callable[..., Done]
HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "=cmd|' /C calc'!A0", "==", "-"]
TEXTS = [
    *HOSTILE,
    *("007", "0012345678901234567890", "1E5", "2026-03-02", "TRUE", "3/4", "£5", "+44 7700 900123"),
    *(
        "<b>&amp;</b>",
        'say "it"',
        " lead ",
        "a\nb",
        "a\r\nb",
        "_x0041_",
        "\x01\x1f",
        "é ŷ 日 🏠 \u202eabc",
    ),
]


@pytest.fixture
def home(synced_once: Path) -> Path:
    """Where everything is published; a query changes nothing there."""
    return synced_once


@pytest.fixture
def query(home: Path, tmp_path: Path) -> Query:
    return partial(CommandLine(tmp_path, {"PROPSYNC_HOME": str(home)}), "query")


@pytest.fixture
def book(home: Path, tmp_path: Path) -> Callable[[str], Path]:
    """`propsync query … --format xlsx > rows.xlsx`, as a program: its output is no text."""

    def made(sql: str, **settings: str) -> Path:
        path = tmp_path / "rows.xlsx"
        (tmp_path / "q.sql").write_text(sql, encoding="utf-8")
        environ = environment(PROPSYNC_HOME=str(home), **settings)
        words = [PROGRAM, "query", "--file", str(tmp_path / "q.sql"), "--format", "xlsx"]
        with path.open("wb") as target:
            subprocess.run(words, env=environ, stdout=target, check=True)
        return path

    return made


def rows_of(path: Path) -> list[list[Any]]:
    return CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()


def literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


VALUES = [
    ("'007'", "007"),
    ("date '2026-03-02'", date(2026, 3, 2)),
    ("date '1900-03-01'", date(1900, 3, 1)),
    ("date '1899-12-31'", "1899-12-31"),  # a sheet has no such day
    ("date '0044-03-15 (BC)'", "0044-03-15 (BC)"),
    ("date 'infinity'", "infinity"),
    ("timestamptz '2026-07-01 23:30:00+00'", datetime.fromisoformat("2026-07-02T00:30")),  # it is summer in London
    ("timestamp '2026-01-01 12:00:01'", datetime.fromisoformat("2026-01-01T12:00:01")),
    ("timestamp '290000-01-01'", "290000-01-01 00:00:00"),
    ("time '07:05:09'", time(7, 5, 9)),
    ("time '24:00:00'", "24:00:00"),
    ("1", 1.0),
    ("-2.50::decimal(9, 2)", -2.5),
    ("0.1::float", 0.1),
    ("0.1::double + 0.2::double", 0.30000000000000004),
    ("1.7976931348623157e308::double", 1.7976931348623157e308),
    ("999999999999999", 999999999999999.0),
    ("1234567890123456", "1234567890123456"),  # a sheet keeps 15 digits
    ("-170141183460469231731687303715884105727::hugeint", "-170141183460469231731687303715884105727"),
    ("12345678901234.56::decimal(18, 2)", "12345678901234.56"),
    ("'nan'::double", "nan"),
    ("'-inf'::double", "-inf"),
    ("true", True),
    ("false", False),
    ("null", ""),
    ("''", ""),
    ("['a', 'b; c']", "a; b; c"),
    ("[]::varchar[]", ""),
    ("{'a': 1}", "{'a': 1}"),
    ("'{\"a\": [1]}'::json", '{"a": [1]}'),
    ("'\\xAA'::blob", "\\xAA"),
    ("interval 2 days", "2 days"),
    ("'b'::enum('a', 'b')", "b"),
]


def test_a_cell_has_the_value_and_not_what_a_sheet_makes_of_it(book: Callable[[str], Path]):
    names = ", ".join(f"{sql} as c{number}" for number, (sql, _) in enumerate(VALUES))
    (_, found) = rows_of(book(f"select {names}"))
    assert found == [value for _, value in VALUES]
    assert [type(one) for one in found] == [type(value) for _, value in VALUES]


def test_a_text_stays_a_text_and_no_cell_is_a_formula(book: Callable[[str], Path]):
    values = ", ".join(f"({number}, {literal(text)})" for number, text in enumerate(TEXTS))
    path = book(f'select t as "=name", length(t) as n from (values {values}) as v(i, t) order by i')
    (head, *found) = rows_of(path)
    assert head == ["=name", "n"]
    assert [[text, n] for text, n in found] == [[text, float(len(text))] for text in TEXTS]
    sheet = sheet_of(path)
    assert "<f>" not in sheet
    assert "<f " not in sheet
    assert sheet.count('t="inlineStr"') == len(TEXTS) + 2


def sheet_of(path: Path) -> str:
    with zipfile.ZipFile(path) as parts:
        return parts.read("xl/worksheets/sheet1.xml").decode()


def test_the_head_stays_in_view_with_a_filter_and_columns_have_room(book: Callable[[str], Path]):
    sheet = sheet_of(book("select asset_id, asset_type, payload from assets limit 20"))
    assert re.search(r'<pane ySplit="1" topLeftCell="A2"[^>]* state="frozen"/>', sheet)
    assert '<autoFilter ref="A1:C21"/>' in sheet
    widths = [float(width) for width in re.findall(r' width="([\d.]+)"', sheet)]
    assert 20 < widths[0] < 30
    assert max(widths) < 62


def test_a_moment_is_local_in_the_time_zone(book: Callable[..., Path]):
    path = book("select timestamptz '2026-03-02 12:00:00+00' as t", PROPSYNC_TIME_ZONE="Pacific/Kiritimati")
    assert rows_of(path)[1] == [datetime.fromisoformat("2026-03-03T02:00")]


def test_no_rows_are_a_workbook_with_its_head(book: Callable[[str], Path]):
    path = book("select asset_id, 1 as n from assets where false")
    assert rows_of(path) == [["asset_id", "n"]]
    assert '<autoFilter ref="A1:B1"/>' in sheet_of(path)


@pytest.mark.release
@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("select repeat('x', 32768) as long", "a text of 32,768 characters in long, and a cell holds 32,767"),
        ("select repeat('🏠', 16384) as long", "a text of 16,384 characters in long, and a cell holds 32,767"),
        (f"select {', '.join(f'1 as c{number}' for number in range(16_385))}", "16,385 columns, and a sheet holds"),
        pytest.param("from range(1048576)", "more than 1,048,575 rows, and a sheet holds", marks=pytest.mark.slow),
    ],
    ids=["text", "wide text", "columns", "rows"],
)
def test_what_no_sheet_holds_is_an_error_and_no_file(query: Query, sql: str, told: str):
    done = query(sql, "--format", "xlsx")
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "give --format csv or parquet" in done.stderr


def test_a_workbook_does_not_go_to_a_terminal(home: Path):
    assert "Add > rows.xlsx" in on_a_terminal(home, "query", "select 1", "--format", "xlsx")


# CSV


def test_csv_for_excel_has_no_formula_and_numbers_stay_numbers(query: Query):
    values = ", ".join(f"({number}, {literal(text)})" for number, text in enumerate(TEXTS))
    sql = f'select t, -1 as n, -0.5 as d, t as "=name" from (values {values}) as v(i, t) order by i'
    done = query(sql, "--format", "csv", "--excel")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("\ufeff")
    (head, *found) = csv.reader(io.StringIO(done.stdout.removeprefix("\ufeff"), newline=""))
    assert head == ["t", "n", "d", "'=name"]
    safe = [f"'{text}" if text[0] in "=+-@\t\r\n＝＋－＠" else text for text in TEXTS]
    assert [row[0] for row in found] == safe
    assert {(row[1], row[2]) for row in found} == {("-1", "-0.5")}
    assert sum(text.startswith("'") for text in safe) == len(HOSTILE) + 1


def test_csv_for_excel_has_local_times_without_a_zone(query: Query):
    sql = """select timestamptz '2026-07-01 23:30:00.123456+00' as t, time '07:05:09.5' as c, date '2026-03-02' as d,
        ['=a', 'b'] as l, '-inf'::double as f, null as x, true as b, '{}'::json as j"""
    done = query(sql, "--format", "csv", "--excel")
    assert done.stdout.splitlines()[1] == "2026-07-02 00:30:00,07:05:09,2026-03-02,'=a; b,'-inf,,true,{}"


def test_csv_for_excel_without_rows_has_its_head(query: Query):
    done = query("select asset_id, 1 as n from assets where false", "--format", "csv", "--excel")
    assert done.stdout == "\ufeffasset_id,n\n"


@pytest.mark.parametrize("words", [(), ("--format", "json"), ("--format", "xlsx")])
def test_excel_is_a_form_of_csv_alone(query: Query, words: tuple[str, ...]):
    done = query("select 1", "--excel", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--excel: it is a form of CSV. Add --format csv" in done.stderr


# a spreadsheet opens it

_AS_CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false"  # UTF-8, texts in quotes, as shown


@pytest.mark.slow
@needs("soffice")
def test_libreoffice_opens_it_with_every_text_and_date_unharmed(book: Callable[[str], Path], tmp_path: Path):
    values = ", ".join(f"({number}, {literal(text)})" for number, text in enumerate(TEXTS))
    columns = "t, date '2026-03-02' + i as d, timestamp '2026-03-02 10:30:01' as m, time '07:05:09' as c, i - 5 as n"
    path = book(f"select {columns} from (values {values}) as v(i, t) order by i")
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    words = ["soffice", "--headless", profile, "--convert-to", _AS_CSV, "--outdir", str(tmp_path), str(path)]
    subprocess.run(words, check=True, capture_output=True, timeout=120)
    shown = path.with_suffix(".csv").read_text(encoding="utf-8")
    assert '"007",2026-' in shown, "an id is a text, a date is none"
    (head, *found) = csv.reader(io.StringIO(shown, newline=""))
    assert head == ["t", "d", "m", "c", "n"]
    assert [unbroken(row[0]) for row in found] == [unbroken(text) for text in TEXTS]
    dates = [f"2026-{3 + (1 + number) // 31:02d}-{(1 + number) % 31 + 1:02d}" for number in range(len(TEXTS))]
    assert [row[1] for row in found] == dates
    assert {tuple(row[2:4]) for row in found} == {("2026-03-02 10:30:01", "07:05:09")}
    assert [row[4] for row in found] == [str(number - 5) for number in range(len(TEXTS))]


def unbroken(text: str) -> str:
    """LibreOffice has one sign for the end of a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
