"""History as of a run, written and read back; versions compared again; what goes from one file to another."""

from datetime import UTC, datetime

import pytest

from propsync.errors import StateUnusable
from propsync.merge import CARRIED, Carried, has_changed, is_compared_otherwise, read_history, rehash, write_history
from propsync.records import HASH_VERSION, bytes_hash
from propsync.resources import ASSESSMENTS, ASSETS
from propsync.shapes import Shape
from propsync.warehouse import Warehouse

DAYS = [datetime(2026, 3, day, 2, 30, 0, 123456, tzinfo=UTC) for day in range(1, 6)]


@pytest.fixture
def make(tmp_path):
    """Makes an empty state database."""
    opened = []

    def new(name):
        opened.append(Warehouse(tmp_path / f"{name}.duckdb", memory_limit="300MB", folder=tmp_path))
        return opened[-1]

    yield new
    for warehouse in opened:
        warehouse.close()


def version(key, start, end, change, payload, payload_hash="b"):
    return (key, f"1:{payload}", DAYS[start], None if end is None else DAYS[end], change, "run", payload_hash, payload)


def fill(warehouse, rows):
    warehouse.add("history.assets", rows)


def rows(warehouse):
    return warehouse.rows("from history.assets order by asset_id, valid_from")


def test_history_as_of_a_run_has_nothing_of_later_ones(make, tmp_path):
    old, new = make("old"), make("new")
    fill(
        old,
        [
            version("a", 0, 1, "insert", '{"id":"a","n":1}'),
            version("a", 1, 3, "update", '{"id":"a","n":2}'),
            version("a", 3, None, "delete", '{"id":"a","n":2}'),
            version("b", 2, None, "insert", '{"id":"b","big":12345678901234567890.0,"u":"\\u00e9"}'),
            version("c", 4, None, "insert", "{}"),
        ],
    )
    path = tmp_path / "history.parquet"
    write_history(old, "assets", DAYS[2], path)
    read_history(new, "assets", path)
    assert rows(new) == [
        version("a", 0, 1, "insert", '{"id":"a","n":1}'),
        version("a", 1, None, "update", '{"id":"a","n":2}'),  # open again: what closed it came later
        version("b", 2, None, "insert", '{"id":"b","big":12345678901234567890.0,"u":"\\u00e9"}'),
    ]
    assert [has_changed(old, "assets", DAYS[since], DAYS[2]) for since in (1, 2)] == [True, False]


def test_versions_that_are_the_same_when_compared_anew_become_one(make):
    warehouse = make("state")
    fill(
        warehouse,
        [
            version("a", 0, 1, "insert", '{"id":"a","link":1}'),
            version("a", 1, 2, "update", '{"id":"a","link":2}'),
            version("a", 2, 3, "update", '{"id":"a","link":3}'),
            version("a", 3, None, "update", '{"id":"a","link":3,"x":1}'),
            version("b", 0, 1, "insert", '{"id":"b","link":1}'),
            version("b", 1, 2, "delete", '{"id":"b","link":1}'),
            version("b", 2, None, "insert", '{"id":"b","link":2}'),  # a return is a version, whatever it looks like
        ],
    )
    assert rehash(warehouse, ASSETS, Shape("assets", volatile=frozenset({"link"}))) == 2
    kept = [(row[0], row[2], row[3], row[4], row[7]) for row in rows(warehouse)]
    assert kept == [
        ("a", DAYS[0], DAYS[3], "insert", '{"id":"a","link":1}'),
        ("a", DAYS[3], None, "update", '{"id":"a","link":3,"x":1}'),
        ("b", DAYS[0], DAYS[1], "insert", '{"id":"b","link":1}'),
        ("b", DAYS[1], DAYS[2], "delete", '{"id":"b","link":1}'),
        ("b", DAYS[2], None, "insert", '{"id":"b","link":2}'),
    ]


def test_an_assessment_compared_anew_keeps_what_its_lists_told(make):
    warehouse = make("state")
    payload = '{"id":"a","link":1}'
    row = ("a", "approved", True, False, "1:x", DAYS[0], None, "insert", "run", "b", payload)
    hidden = ("b", None, True, False, "1:hidden", DAYS[0], None, "update", "run", "", payload)
    warehouse.add("history.assessments", [row, hidden])
    rehash(warehouse, ASSESSMENTS, Shape("assessments", volatile=frozenset({"link"})))
    expected = warehouse.value(f"select '{HASH_VERSION}:' || md5('{bytes_hash(payload.encode())}|approved|true|false')")
    found = warehouse.rows("select record_hash from history.assessments order by assessment_id")
    assert found == [(expected,), ("1:hidden",)]


@pytest.mark.parametrize(
    ("volatile", "forms", "is_other"),
    [
        (None, [{"version": HASH_VERSION, "volatile": ["x"], "result_field": []}], False),
        (["x"], [{"version": HASH_VERSION, "volatile": ["x"], "result_field": []}], False),
        (["x"], [{"version": HASH_VERSION, "volatile": [], "result_field": []}], True),
        ([], [{"version": HASH_VERSION, "volatile": ["x"], "result_field": []}], True),
        (None, [{"version": HASH_VERSION - 1, "volatile": [], "result_field": []}], True),
        (["x"], [], False),
    ],
)
def test_only_what_is_decided_now_asks_for_another_comparison(volatile, forms, is_other):
    decided = Shape("assets", volatile=None if volatile is None else frozenset(volatile))
    assert is_compared_otherwise(forms, decided) is is_other


def test_what_is_carried_is_named_by_what_both_files_have(make, tmp_path):
    old = make("old")
    old.add("ops.runs", [("1", "nightly", DAYS[0], DAYS[1], "ok", None)])
    old.execute("alter table ops.runs drop column error")
    old.execute("alter table ops.runs add column another integer")
    old.execute("drop table ops.sweeps")
    old.close()
    carried = Carried.from_database(tmp_path / "old.duckdb", memory_limit="300MB", folder=tmp_path)
    assert carried.has_names
    new = make("new")
    carried.write_into(new)
    assert new.rows("from ops.runs") == [("1", "nightly", DAYS[0], DAYS[1], "ok", None)]


def test_what_is_no_database_carries_nothing(tmp_path):
    path = tmp_path / "old.duckdb"
    path.write_bytes(b"not a database")
    with pytest.raises(StateUnusable):
        Carried.from_database(path, memory_limit="300MB", folder=tmp_path)


def test_columns_are_made_in_their_old_order_with_their_comments(make, tmp_path):
    old = make("old")
    for name in ("zeta", "alpha"):
        old.execute(f"alter table main.assets add column {name} double; comment on column main.assets.{name} is 'so'")
        old.add("ops.columns", [("main", "assets", name, name, "DOUBLE", "1", "1")])
    old.execute("create table by_type.doors (asset_id varchar, property_id varchar, width double, age varchar)")
    for name, kind in (("width", "DOUBLE"), ("age", "VARCHAR")):
        old.add("ops.columns", [("by_type", "doors", name, f"f-{name}", kind, "1", "1")])
    old.close()
    carried = Carried.from_database(tmp_path / "old.duckdb", memory_limit="300MB", folder=tmp_path)
    new = make("new")
    carried.write_into(new)
    described = new.rows("select column_name, column_type from (describe main.assets)")
    assert described[-2:] == [("zeta", "DOUBLE"), ("alpha", "DOUBLE")]
    assert [name for (name,) in new.rows("select column_name from (describe by_type.doors)")] == [
        "asset_id",
        "property_id",
        "width",
        "age",
    ]
    told = "select comment from duckdb_columns() where table_name = 'assets' and column_name = 'zeta'"
    assert new.rows(told + " and schema_name = 'main'") == [("so",)]


def test_everything_carried_can_be_asked_for(make):
    warehouse = make("state")
    for query in CARRIED.values():
        warehouse.rows(query)
