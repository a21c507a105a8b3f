"""`propsync query`: what SQL may be, how rows come out, and what its errors say."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import psutil
import pytest
from kit.command_line import CommandLine, Done
from kit.programs import PROGRAM, Program, environment, wait_until
from variants import daily

Query = Callable[..., Done]


@pytest.fixture
def home(synced_once: Path) -> Path:
    """Where everything is published; a query changes nothing there."""
    return synced_once


@pytest.fixture
def query(home: Path, tmp_path: Path) -> Query:
    """`propsync query …`; `given` is its standard input, keyword arguments are settings."""
    return partial(CommandLine(tmp_path, {"PROPSYNC_HOME": str(home)}), "query")


def as_json(done: Done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# where the SQL comes from


@pytest.mark.parametrize(
    "sql", ["-- what is one\nselect 1 as n", "--n=1\nselect 1 as n", "-- a\n-- b\nselect 1 as n --"]
)
def test_sql_may_open_with_a_comment(query, sql: str):
    assert as_json(query(sql, "--format", "json")) == [{"n": 1}]
    assert as_json(query("--format", "json", sql)) == [{"n": 1}]
    assert as_json(query("--format", "json", "--", sql)) == [{"n": 1}]


def test_an_option_that_there_is_not_is_no_sql(query):
    done = query("--formt", "csv", "select 1")
    assert done.returncode == 2
    assert "no such option: --formt" in done.stderr


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_sql_comes_from_a_file_or_from_standard_input(query, tmp_path: Path, encoding: str):
    sql = "-- Grüße\nselect 'é' as e"
    (tmp_path / "question.sql").write_text(sql, encoding=encoding)
    wanted = [{"e": "é"}]
    assert as_json(query("--file", "question.sql", "--format", "json")) == wanted
    for words in ((), ("-",), ("--file", "-")):
        assert as_json(query(*words, "--format", "json", given=sql.encode(encoding))) == wanted


@pytest.mark.parametrize(
    ("words", "given", "told"),
    [
        (("--file", "none.sql"), b"", "--file none.sql: it cannot be read: No such file or directory"),
        (("--file", "/tmp"), b"", "--file /tmp: it cannot be read: Is a directory"),
        (("-",), b"select '\xff'", "standard input: it is not UTF-8 text"),
        ((), b"", "give one of"),
        (("select 1", "--tables"), b"", "give one of"),
        (("select 1", "--file", "x.sql"), b"", "give the SQL or --file, not both"),
        (("",), b"", "the statement returns no rows"),
        (("-- nothing",), b"", "the statement returns no rows"),
        (("create temp table t as select 1",), b"", "the statement returns no rows"),
        (("select", "1", "from", "x"), b"", "4 words came. Put quotation marks around all of it"),
    ],
)
def test_sql_that_is_not_there_is_told_in_one_line(query, words: tuple[str, ...], given: bytes, told: str):
    done = query(*words, given=given)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_argument_that_is_not_text_is_told(home: Path):
    words = [PROGRAM.encode(), b"query", b"select '\xff'"]
    done = subprocess.run(words, env=environment(PROPSYNC_HOME=str(home)), capture_output=True)
    assert done.returncode == 2
    assert b"not UTF-8 text" in done.stderr


def test_tables_are_listed_though_standard_input_is_a_pipe_that_stays_open(home: Path):
    environ = environment(PROPSYNC_HOME=str(home))
    with subprocess.Popen(
        [PROGRAM, "query", "--tables"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as it:
        assert it.stdout is not None
        assert b"main.assets" in it.stdout.read()


# several statements


def test_every_statement_that_has_rows_is_shown_in_a_table(query):
    first = "create temp table t as select 7 as seven; from t; set variable v = 8;"
    done = query(f"{first} select getvariable('v') as eight; use ops")
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.split("\n\n")
    assert first.split() == ["seven", "─────", "7", "1", "row"]
    assert second.split() == ["eight", "─────", "8", "1", "row"]


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "xlsx"])
def test_a_file_holds_the_rows_of_one_statement(query, kind: str):
    done = query("select 1; select 2", "--format", kind)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"2 statements return rows, and --format {kind} holds those of one" in done.stderr
    assert query("create temp table t as select 1 as a; from t", "--format", "csv").stdout == "a\n1\n"


@pytest.mark.parametrize(
    "sql",
    [
        "describe assets",
        "show tables",
        "summarize assets",
        "pivot assets on asset_type using count(*)",
        "pragma table_info('assets')",
        "values (1)",
        "table assets",
        "(select 1)",
        "with a as (select 1) from a",
        "explain analyze select 1",
    ],
)
@pytest.mark.parametrize("kind", ["table", "csv"])
def test_whatever_reads_has_rows(query, sql: str, kind: str):
    done = query(sql, "--format", kind)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 1


# errors


def test_an_error_keeps_the_line_and_the_caret(query):
    done = query("-- é é\nselect 1;\n\n-- next\nselect\n  1,\n   assetid from assets")
    assert done.returncode == 2
    words, line, caret = done.stderr.splitlines()
    assert 'propsync: query: Binder Error: Referenced column "assetid" not found' in words
    assert line == "LINE 7:    assetid from assets"
    assert caret == "           ^^^^^^^"


@pytest.mark.parametrize(
    ("sql", "line", "caret"),
    [
        ("select 1;\n" * 9 + "selec 2", "LINE 10: selec 2", "         ^^^^^"),
        ("select 1;\n" * 9 + "from asets", "LINE 10: from asets", "              ^^^^^"),
        (
            "\nselect asset_id::int from assets",
            "LINE 2: select asset_id::int from assets",
            "                       ^^^^^",
        ),
    ],
)
def test_errors_of_every_stage_name_the_line_of_the_whole_text(query, sql: str, line: str, caret: str):
    assert query(sql).stderr.splitlines()[1:] == [line, caret]


@pytest.mark.parametrize("kind", ["table", "csv", "json", "parquet", "xlsx"])
def test_an_error_in_a_later_row_is_one_in_the_sql(query, kind: str):
    done = query("select if(n = 9000, 'x', n::varchar)::int as m from range(20000) as t(n)", "--format", kind)
    assert done.returncode == 2
    told, line, _ = done.stderr.splitlines()
    wrong = "Conversion Error: Could not convert string 'x' to INT32"
    assert told == f"propsync: query: {wrong}. Correct the SQL, then run it again"
    assert line.startswith("LINE 1: select if(n = 9000")


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("select 9007199254740993::hugeint as wide", "column wide: Parquet would round 9007199254740993."),
        ("select [-9007199254740993::hugeint] as wide", "column wide: Parquet would round [-9007199254740993]."),
    ],
)
def test_parquet_rounds_no_number(query, sql: str, shown: str):
    done = query(sql, "--format", "parquet")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{shown} Select it as text, with ::varchar" in done.stderr


@pytest.mark.slow
def test_parquet_has_sums_as_they_are(home: Path, tmp_path: Path):
    import pyarrow.parquet as pq

    sql = "select sum(n) as n, [sum(n)] as list, null::hugeint as \"no'ne\", 'a' as a, 2 as a from range(4) as t(n)"
    with (tmp_path / "rows.parquet").open("wb") as target:
        words = [PROGRAM, "query", sql, "--format", "parquet"]
        subprocess.run(words, env=environment(PROPSYNC_HOME=str(home)), stdout=target, check=True)
    rows = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    assert rows == [{"n": 6.0, "list": [6.0], "no'ne": None, "a": "a", "a_1": 2}]


@pytest.mark.parametrize(
    ("sql", "next_step"),
    [
        ("from asset", "Run `propsync query --tables` to see the tables"),
        ("select foo from assets", "Run `propsync query --describe TABLE` to see its columns"),
        ("delete from assets", "the statement returns no rows"),
        ("delete from assets returning *; select 1", "published tables are read-only"),
        ("set timezone = 'UTC'; select 1", "PROPSYNC_TIME_ZONE"),
        ("copy assets to 'x.csv'", "Give the SELECT alone, and add --format csv > rows.csv"),
        ("from read_csv('/etc/passwd')", "reads published tables and nothing else"),
        ("select list(range) from range(900000000)", "Raise PROPSYNC_MEMORY_LIMIT"),
    ],
)
def test_an_error_says_what_to_do_next(query, sql: str, next_step: str):
    done = query(sql, memory_limit="128MB")
    assert done.returncode == 2
    assert next_step in done.stderr
    assert "Traceback" not in done.stderr


def test_at_most_five_suggestions_are_made(query):
    told = query("select strftime(1, 2)").stderr
    assert told.count("-> VARCHAR") == 5
    assert "and 5 more" in told


# what it may read


SECRET = "what nobody may read"


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to '{folder}/x'",
        "copy assets to '{folder}/x'",
        "copy (select 1) to '{published}.wal'",
        "copy (select 1) to '{published}' (use_tmp_file false)",
        "explain analyze copy (select 1) to '{published}.wal'",
        "explain analyze /* */ Copy (select 1) to '{published}.wal'",
        "explain analyze (format json) copy (select 1) to '{published}.wal'",
        "prepare q as copy (select 1) to '{published}.wal'; execute q",
        "copy (pivot assets on asset_type using count(*)) to '{published}.wal'",
        "export database '{folder}/x'",
        "import database '{folder}'",
        "attach '{folder}/x' as x",
        "attach '{published}' as x",
        "create temp table t as select 1; copy t to '{folder}/x'; from t",
        "select 1) to '{folder}/x' (format csv) --",
        "select 1\n) to '{folder}/x' (format csv); --",
        "from read_text('{secret}')",
        "from read_blob('{secret}')",
        "from read_csv('{secret}')",
        "from read_json('{secret}')",
        "from '{secret}'",
        "from glob('{folder}/*')",
        "from sniff_csv('{secret}')",
        "from query('from read_text(''{secret}'')')",
        "install httpfs",
        "load httpfs",
        "from read_text('http://127.0.0.1:9/x')",
        "set enable_external_access = true; from read_text('{secret}')",
        "set allowed_directories = ['/']; from read_text('{secret}')",
        "reset lock_configuration",
        "create persistent secret s (type http); select 1",
        "call enable_logging(storage = 'file', storage_path = '{folder}/x')",
        "select getenv('HOME')",
        "from answer",
        "from statement",
        "detach warehouse",
    ],
)
@pytest.mark.parametrize("kind", ["table", "csv"])
def test_sql_reads_what_is_published_and_nothing_else(query, home: Path, tmp_path: Path, sql: str, kind: str):
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.csv").write_text(SECRET)
    published = home / "published" / "warehouse.duckdb"
    before = (published.read_bytes(), sorted(published.parent.iterdir()))
    done = query(sql.format(folder=folder, published=published, secret=folder / "secret.csv"), "--format", kind)
    assert (done.returncode, done.stdout) == (2, "")
    assert SECRET not in done.stderr
    assert "fault in propsync" not in done.stderr
    assert [path.name for path in folder.iterdir()] == ["secret.csv"]
    assert before == (published.read_bytes(), sorted(published.parent.iterdir()))


# today


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])  # never on the same day
def test_today_is_that_of_the_time_zone(query, zone: str):
    from datetime import datetime
    from zoneinfo import ZoneInfo

    sql = "select current_date::varchar as today, now()::varchar as now, now() as moment"
    (told,) = as_json(query(sql, "--format", "json", time_zone=zone))
    here = datetime.now(ZoneInfo(zone))
    assert told["today"] == f"{here:%Y-%m-%d}"
    offset = "+14" if zone == "Pacific/Kiritimati" else "-11"
    assert told["now"].endswith(offset)
    assert told["moment"].endswith(offset)


def test_today_is_that_of_the_time_zone_in_python_too(home: Path, monkeypatch: pytest.MonkeyPatch):
    import propsync

    for name in [name for name in os.environ if name.startswith("PROPSYNC_")]:
        monkeypatch.delenv(name)
    days = set()
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        monkeypatch.setenv("PROPSYNC_TIME_ZONE", zone)
        with propsync.open(home / "published" / "warehouse.duckdb") as reader:
            [(day,)] = reader.sql("select current_date").fetchall()
            assert reader.rows("select current_date")[1] == [(day,)]
            days.add(day)
            assert str(reader.frame("select now() as now")["now"].dtype).endswith("UTC]")
    assert len(days) == 2


# how rows come out


def test_values_of_every_kind_are_valid_json(query):
    sql = """select 'nan'::double as a, -('inf'::float) as b, {'x': 'inf'::double, 'y': ['nan'::double, 1]} as c,
        'NaN "Infinity \\ -Infinity' as d, 1.50::decimal(9, 2) as e, '\\xAA'::blob as f, interval '1 month 2 days' as g,
        map {'k': 1} as h, timestamp '290000-01-01' as i, date 'infinity' as j, null as k, true as l,
        170141183460469231731687303715884105727::hugeint as m, '{"z": [1]}'::json as n, time '12:00' as o,
        '0044-03-15 (BC)'::date as p, ''as q, 'a'::enum('a') as r, 1 as s, 2 as s"""
    done = query(sql, "--format", "json")
    assert done.returncode == 0, done.stderr
    (told,) = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert (told["a"], told["b"], told["c"]) == (None, None, {"x": None, "y": [None, 1.0]})
    assert told["d"] == 'NaN "Infinity \\ -Infinity'
    assert (told["e"], told["g"], told["m"], told["n"]) == (1.5, "1 month 2 days", 2**127 - 1, {"z": [1]})
    assert (told["k"], told["l"], told["q"], told["s"], told["s_1"]) == (None, True, "", 1, 2)
    table = query(sql)
    assert table.returncode == 0, table.stderr
    assert "0044-03-15 (BC)" in table.stdout


@pytest.mark.parametrize("held", ["123456789012345678901", "0.12345678901234567890", "1e400", "-1.5E-10", "1.10", "-0"])
def test_numbers_inside_json_stay_as_the_api_wrote_them(query, held: str):
    written = f'{{"a":[{held},1],"{held}":"{held} \\"{held}\\\\","b":{{"c":{held}}}}}'
    done = query(f"select '{written}'::json as payload, null::json as n", "--format", "json")
    assert done.stdout == f'[\n\t{{"payload":{written},"n":null}}\n]\n'


def test_no_rows_are_a_file_all_the_same(query):
    sql = "select asset_id, 1.5 as n from assets where false"
    assert query(sql, "--format", "csv").stdout == "asset_id,n\n"
    assert as_json(query(sql, "--format", "json")) == []
    assert query(sql).stdout.splitlines()[-1] == "0 rows"


def test_rows_of_a_table_come_in_order_and_later_ones_may_be_wider(query):
    lines = query("select range as n, repeat('x', range // 1000) as x from range(10000)").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:-1]] == [str(number) for number in range(10_000)]
    assert lines[-1] == "10,000 rows"


def on_a_terminal(home: Path, *words: str) -> str:
    ours, its = pty.openpty()
    shown: list[bytes] = []

    def read() -> None:
        try:
            while piece := os.read(ours, 1 << 16):
                shown.append(piece)
        except OSError:  # nobody has the terminal open any more
            pass

    environ = environment(PROPSYNC_HOME=str(home), COLUMNS="100")
    reading = threading.Thread(target=read)
    reading.start()
    subprocess.run([PROGRAM, *words], env=environ, stdin=its, stdout=its, stderr=its, check=False)
    os.close(its)
    reading.join()
    os.close(ours)
    return b"".join(shown).decode().replace("\r\n", "\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (100, "100 rows"),
        (101, "The first 100 of 101 rows. For all of them add: --format csv > rows.csv"),
        (2_345, "The first 100 of 2,345 rows. For all of them add: --format csv > rows.csv"),
        (9_000_000_000, "The first 100 of more than 100,000 rows. For all of them add: --format csv > rows.csv"),
    ],
)
def test_a_terminal_gets_a_hundred_rows_and_a_word_about_the_rest(home: Path, rows: int, last: str):
    lines = on_a_terminal(home, "query", f"from range({rows})").splitlines()
    assert len(lines) == 103
    assert lines[-1] == last


@pytest.mark.release
@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_terminal_gets_a_hundred_rows_in_other_formats_too(home: Path, kind: str):
    shown = on_a_terminal(home, "query", "from range(101)", "--format", kind)
    rows, _, told = shown.rpartition("propsync: ")
    assert told == f"these are the first 100 rows. For all of them add: > rows.{kind}\n"
    assert len(json.loads(rows) if kind == "json" else rows.splitlines()[1:]) == 100
    assert "propsync:" not in on_a_terminal(home, "query", "from range(100)", "--format", kind)


def test_a_pipe_gets_all_rows(query):
    assert len(query("from range(2345)").stdout.splitlines()) == 2_348
    assert len(list(csv.reader(io.StringIO(query("from range(2345)", "--format", "csv").stdout)))) == 2_346


_MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[2:], stdout=open(sys.argv[1], 'wb'), check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak(home: Path, tmp_path: Path, kind: str, rows: int) -> int:
    """Megabytes that a query with wide rows takes at most; checks that all of them came."""
    import pyarrow.parquet as pq

    target = tmp_path / f"rows.{kind}"
    sql = f"select range as n, repeat('x', 150) || range as a, random() as b, now() as c from range({rows})"
    words = [sys.executable, "-c", _MEASURED, str(target), PROGRAM, "query", sql, "--format", kind]
    environ = environment(PROPSYNC_HOME=str(home), PROPSYNC_MEMORY_LIMIT="200MB")
    done = subprocess.run(words, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if kind == "parquet":
        assert pq.ParquetFile(target).metadata.num_rows == rows
    elif kind == "xlsx":
        with zipfile.ZipFile(target) as parts, parts.open("xl/worksheets/sheet1.xml") as sheet:
            assert f'<autoFilter ref="A1:D{rows + 1}"/>'.encode() in sheet.read()[-1_000:]
    else:
        with target.open("rb") as lines:
            assert sum(1 for _ in lines) == rows + {"csv": 1, "json": 2, "table": 3}[kind]
    target.unlink()
    return int(done.stdout) // 1024


@pytest.mark.costly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "rows"),
    [("csv", 3_000_000), ("json", 3_000_000), ("parquet", 3_000_000), ("table", 900_000), ("xlsx", 300_000)],
)
def test_millions_of_rows_take_no_more_memory_than_a_tenth_of_them(home: Path, tmp_path: Path, kind: str, rows: int):
    few, many = peak(home, tmp_path, kind, rows // 10), peak(home, tmp_path, kind, rows)
    assert many < few + 120, (few, many)  # held in memory, they would take 700 MB and more


_STARTED, _AT_THE_QUERY = 0.5, 0.5
"""Seconds that a program computes until it has opened the file, and from then on."""

_COUNTS = "select count(*) as n from range(100000) as a, range(1000000) as b"
_TRICKLES = "select a.range as n from range(100000) as a, range(1000000) as b where a.range * b.range % 1000000007 = 7"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "kind"),
    daily(
        [(_COUNTS, "table"), *((_TRICKLES, kind) for kind in ("table", "csv", "json", "parquet", "xlsx"))],
        2,
        is_row=True,
    ),
    ids=lambda given: "rows" if given == _TRICKLES else "none yet" if given == _COUNTS else given,
)
def test_ctrl_c_ends_a_query_at_any_stage_in_any_format(home: Path, tmp_path: Path, sql: str, kind: str):
    with Program(tmp_path, {"PROPSYNC_HOME": str(home)}).started("query", sql, "--format", kind) as process:
        wait_until(lambda: is_at_work(process.pid, home / "published" / "warehouse.duckdb"), 60, Path(os.devnull))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors == "propsync: interrupted: the published tables are whole. Run the same command again\n"


def is_at_work(pid: int, file: Path) -> bool:
    """Whether the program has opened the file, and has computed for as long since as only a query does."""
    times = psutil.Process(pid).cpu_times()
    is_open = str(file) in (one.path for one in psutil.Process(pid).open_files())
    return is_open and times.user + times.system > _STARTED + _AT_THE_QUERY


# describing


@pytest.mark.parametrize(
    "name",
    ["passenger_lifts", "Passenger_Lifts", "by_type.passenger_lifts", "BY_TYPE.Passenger_Lifts", "Passenger lifts"],
)
def test_a_table_of_a_type_is_described_without_its_schema_and_in_any_case(query, name: str):
    described = query("--describe", name)
    assert described.returncode == 0, described.stderr
    assert described.stdout == query("--describe", "by_type.passenger_lifts").stdout
    assert "property_id" in described.stdout


@pytest.mark.parametrize(("name", "column"), [("assets", "asset_type_id"), ("ASSETS", "changed_at"), ("runs", "flow")])
def test_a_name_without_a_schema_is_the_main_table_or_the_only_one(query, name: str, column: str):
    assert column in query("--describe", name).stdout


def test_a_table_that_there_is_not_has_five_suggestions_at_most(query):
    done = query("--describe", "asset")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    suggested = done.stderr.partition("Did you mean ")[2].partition("?")[0].split(", ")
    assert "main.assets" in suggested
    assert len(suggested) <= 5


def test_a_part_of_a_name_suggests_the_table_that_has_it(query):
    assert "Did you mean by_type.passenger_lifts" in query("--describe", "lifts").stderr


MACROS = "select distinct function_name from duckdb_functions() where not internal and function_type = 'table_macro'"


def test_every_macro_is_described_like_the_table_that_it_gives(query, home: Path):
    with duckdb.connect(home / "published" / "warehouse.duckdb", read_only=True) as published:
        macros = [name for (name,) in published.execute(MACROS).fetchall()]
    assert {"assets_as_of", "changes_between"} <= {*macros}
    for name in macros:
        described = as_json(query("--describe", name, "--format", "json"))
        assert {"column", "type", "meaning"} == {*described[0]}, name


@pytest.mark.parametrize("name", ["assets_as_of", "Assets_As_Of", "assets_as_of(ts)", "main.assets_as_of"])
def test_a_column_of_a_macro_keeps_the_meaning_that_it_has_in_its_table(query, name: str):
    described = {row["column"]: row["meaning"] for row in as_json(query("--describe", name, "--format", "json"))}
    assert described["asset_id"] == "The asset's id in the API"


def test_each_column_of_the_differences_between_two_moments_has_a_meaning(query):
    described = as_json(query("--describe", "changes_between", "--format", "json"))
    assert [row["column"] for row in described if not row["meaning"]] == []


def test_a_macro_nearly_named_is_suggested_with_its_parameters(query):
    assert "changes_between(a, b)" in query("--describe", "changes_betwen").stderr
