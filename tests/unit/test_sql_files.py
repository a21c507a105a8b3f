"""Promises of the files under sql/: each says what it is for, and is what it says."""

import re
from pathlib import Path

import duckdb
import pytest

from propsync.publish.table_files import BY_CLOCK
from propsync.resources import SCHEDULES
from propsync.warehouse import TABLES, Warehouse, resource_fragments, views
from propsync.warehouse.model_order import sources
from propsync.warehouse.models import grain

SQL = Path(__file__).parents[2] / "sql"
FILES = {str(path.relative_to(SQL)): path.read_text(encoding="utf-8") for path in sorted(SQL.rglob("*.sql"))}
CHECKS = sorted(name for name in FILES if name.startswith("checks/"))
MACROS = sorted(name for name in FILES if name.startswith("macros/"))
STATEMENTS = sorted(name for name in FILES if name.startswith("statements/"))
PARTS = sorted(name for name in MACROS if name.removesuffix(".sql").rpartition("/")[0] + ".sql" in FILES)
DASHBOARD = sorted(name for name in FILES if name.startswith("dashboard/"))
MODELS = sorted(set(FILES) - set(CHECKS) - set(MACROS) - set(STATEMENTS) - set(DASHBOARD))
FOR_EACH = (
    "history/versions.open.sql",
    "main/records.close.sql",
    "main/records.open.sql",
)  # whose table is that of any resource
BUILT = [name for name in MODELS if name.startswith(("main/", "history/", "ops/", "marts/")) and name not in FOR_EACH]
MANY_ROWS_A_KEY = "staging/value_issues/"  # two things may be wrong with one value


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory):
    folder = tmp_path_factory.mktemp("warehouse")
    with Warehouse(folder / "state.duckdb", memory_limit="300MB", folder=folder) as warehouse:
        yield warehouse


def table_of(name):
    return name.removesuffix(".sql").removesuffix(".open").removesuffix(".close").replace("/", ".")


def filled(name):
    """A piece of SQL in the place of each fragment: more columns, a table's name, or a value."""
    filling = resource_fragments(SCHEDULES)
    filling |= {
        "open_columns": "",
        "by_asset": "by_asset as (from field_values)",
        "of_dirty": "",
        "lot": "lot",
        "listed": "staging.listed",
        "placed": "main.assets",
        "assessments": "main.assessments",
        **dict.fromkeys(("kept_columns", "earlier_columns", "names"), ""),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: filling.get(found[1], "null"), FILES[name]).rstrip().rstrip(";")


def without_comments_and_texts(sql):
    return re.sub(r"--[^\n]*|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "", sql)


def test_there_is_something_to_look_at():
    assert len(MODELS) > 20
    assert len(CHECKS) > 4
    assert MACROS


@pytest.mark.parametrize("name", MODELS)
def test_a_column_that_reads_the_clock_is_in_no_file(name):
    """A file would keep what the column was at the run."""
    clock = r"(?<![$.\w])(?:(?:now|today|get_current_\w+)\(|current_\w*(?:date|time|timestamp)\b).*? as (\w+)"
    found = re.findall(clock, without_comments_and_texts(FILES[name]))
    assert tuple(found) == tuple(BY_CLOCK.get(table_of(name).removeprefix("views."), ()))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_opens_with_its_grain_and_why_it_is_there(name):
    lines = FILES[name].splitlines()
    if not name.startswith(MANY_ROWS_A_KEY):
        assert re.fullmatch(r"-- grain: (\w+|{{key_columns}})(, \w+)*", lines.pop(0))
    assert re.fullmatch(r"-- why: .{10,}", lines[0])


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_opens_with_its_severity_and_why_it_is_there(name):
    severity, why = FILES[name].splitlines()[:2]
    assert severity in ("-- severity: fail", "-- severity: warn")
    assert re.fullmatch(r"-- why: .{10,}", why)


@pytest.mark.parametrize("name", DASHBOARD)
def test_a_query_of_the_dashboard_opens_with_its_title_its_mart_and_why_it_is_there(name):
    headers = dict(re.findall(r"^-- (\w+): (.+)$", FILES[name], re.MULTILINE))
    assert {"title", "of", "why"} <= headers.keys()


@pytest.mark.parametrize("name", [*STATEMENTS, *PARTS])
def test_a_statement_or_a_part_of_a_macro_opens_with_why_it_is_there(name):
    assert re.fullmatch(r"-- why: .{10,}", FILES[name].splitlines()[0])


@pytest.mark.parametrize("name", PARTS)
def test_a_part_of_a_macro_is_short_and_stands_in_its_macro_once(name):
    folder, _, part = name.removesuffix(".sql").rpartition("/")
    # the moment stands beside the versions, and again where no filter of theirs can leave it out
    times = 2 if part == "asked" else 1
    assert FILES[f"{folder}.sql"].count(f"{{{{{part}}}}}") == times
    assert len(FILES[name].splitlines()) <= 100


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_file_is_one_statement_that_duckdb_takes(name):
    filling = {"file": "'x'", "comment": "'x'", "type": "varchar", "query": "select 1", "scope": "", "table": "main.x"}
    filling |= {"columns": "x" if name.endswith("wanted.sql") else "x varchar", "new_values": "x = 1", "ids": "from x"}
    written = re.sub(r"\{\{(\w+)\}\}", lambda found: filling.get(found[1], "x"), FILES[name])
    assert len(duckdb.extract_statements(written.replace("main.main.", "main."))) == 1


@pytest.mark.parametrize("name", FILES)
def test_nothing_but_texts_is_in_capitals(name):
    assert re.findall(r"\b\w*[A-Z]\w*", without_comments_and_texts(FILES[name])) == []


@pytest.mark.parametrize("name", FILES)
def test_lines_are_of_a_length_that_can_be_read_and_end_cleanly(name):
    text = FILES[name]
    assert text.endswith("\n")
    assert "\t" not in text
    assert [line for line in text.splitlines() if line != line.rstrip() or len(line) > 160] == []


@pytest.mark.parametrize("name", BUILT)
def test_a_model_has_its_table_whose_key_is_its_grain(name):
    key = TABLES[table_of(name)].key
    columns = tuple(grain(FILES[name]))
    assert columns == key or (".close." in name and columns == key[: len(columns)])  # all rows of an asset at once


@pytest.mark.parametrize("name", [name for name in MODELS if ".close." in name and name not in FOR_EACH])
def test_what_takes_rows_out_has_a_fellow_that_puts_them_in(name):
    assert name.replace(".close.", ".open.") in FILES
    assert grain(FILES[name])


@pytest.mark.parametrize("name", [*MODELS, *CHECKS])
def test_duckdb_takes_it_and_what_it_reads_is_a_table_of_ours_or_staged(warehouse, name):
    read = sources(warehouse, filled(name))
    assert read or "unnest($" in FILES[name]  # a list that Python binds
    ours = {*TABLES, *views(), "main.lot"}  # the rows that Python shows (Warehouse.showing)
    strangers = {table for table in read if not table.startswith("staging.") and table not in ours}
    assert strangers == set()


@pytest.mark.parametrize("name", [name for name in CHECKS if not name.startswith("checks/compared/")])
def test_a_check_finds_nothing_in_an_empty_warehouse(warehouse, name):
    assert warehouse.rows(filled(name)) == []


@pytest.mark.parametrize("name", MODELS)
def test_steps_have_names_that_say_something(name):
    steps = re.findall(r"^(?:with )?(\w+) as (?:materialized )?\($", FILES[name], re.MULTILINE)
    assert len(steps) == len(set(steps))
    assert not set(steps) & {"data", "tmp", "temp", "final", "result", "base", "cte", "source"}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_declared_table_and_its_columns_say_what_they_are(table):
    words = [table.comment, *(comment for _, comment in table.columns.values())]
    assert all(re.fullmatch(r"\S.*[^.\s]", word) for word in words)
    assert set(table.key) <= set(table.columns)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in (table.schema, table.name, *table.columns))
    moments = {name for name, (kind, _) in table.columns.items() if kind == "TIMESTAMPTZ"}
    assert all(name.endswith(("_at", "_from", "_to", "_through")) for name in moments)


def test_what_is_declared_is_what_is_there_with_its_comments(warehouse):
    columns = "select schema_name || '.' || table_name, list([column_name, data_type, comment] order by column_index) "
    there = dict(
        warehouse.rows(f"{columns} from duckdb_columns() where database_name <> 'staging' and not internal group by 1")
    )
    ours = TABLES | views()
    declared = {name: [[c, kind, said] for c, (kind, said) in one.columns.items()] for name, one in ours.items()}
    assert {name: [[c, _short(kind), said] for c, kind, said in found] for name, found in there.items()} == declared


def _short(kind):
    return {"TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ"}.get(kind, kind)
