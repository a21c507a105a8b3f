"""From people's lists to tables: what is replaced, what stays, and which ids are on one side only."""

import os

import pytest

from propsync.merge import build_reference, finish_reference, lists_left_behind
from propsync.resources import BUILT_IN, Definition, further_resources
from propsync.warehouse import Warehouse


@pytest.fixture
def warehouse(tmp_path):
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        yield warehouse


@pytest.fixture
def lists(tmp_path):
    def save(**contents):
        files = {}
        for name, content in contents.items():
            files[name] = tmp_path / f"{name}.csv"
            files[name].write_text(content)
            os.utime(files[name], (1_000_000_000, 1_000_000_000))
        return files

    return save


def wrong(warehouse):
    return warehouse.rows("select list, line, record_id, is_mistake from ops.reference_issues order by all")


def test_ids_that_look_changed_by_excel_are_right_where_the_api_has_just_these(warehouse, lists):
    warehouse.execute("insert into main.assets (asset_id, property_id) values ('a1', '2-Mar'), ('a2', '1E+12')")
    warehouse.execute("insert into main.schedules (property_id, assigned_users) values ('2-Mar', ['7E+11'])")
    build_reference(warehouse, "r1", lists(properties="property_id\n2-Mar\n1E+12\n", users="user_id\n7E+11\n"))
    assert wrong(warehouse) == []
    build_reference(warehouse, "r2", lists(properties="property_id\n2-Mar\n3-Mar\n"))
    assert wrong(warehouse) == [("properties", 3, "3-Mar", True)]
    assert warehouse.rows("from main.properties order by 1") == [("1E+12",), ("2-Mar",)]


def test_such_ids_of_a_further_list_of_the_api_are_judged_by_that_list(tmp_path, lists):
    further = further_resources({"contractors": Definition("/contractors")})
    catalogue = BUILT_IN.with_further(further)
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path, catalogue=catalogue) as warehouse:
        warehouse.execute("insert into main.contractors (contractor_id) values ('1E+12')")
        build_reference(warehouse, "r1", lists(contractors="contractor_id,phone\n1E+12,1\n2-Mar,2\n"))
        assert wrong(warehouse) == [("contractors", 3, "2-Mar", True)]


def test_ids_of_one_side_only_are_noted_from_the_list_that_stays_too(warehouse, lists):
    warehouse.execute("insert into main.assets (asset_id, property_id) values ('a1', 'p1'), ('a2', 'p2'), ('a3', null)")
    build_reference(warehouse, "r1", lists(properties="property_id\np1\np9\n", users="user_id\nu1\n"))
    files = lists(properties="property_id\np1\np1\n", users="user_id\nu1\n")
    build_reference(warehouse, "r2", files)
    finish_reference(warehouse, "r2", files)
    assert wrong(warehouse) == [
        ("properties", 3, "p1", True),
        ("properties", None, "p2", False),
        ("properties", None, "p9", False),
    ], "users of whom the API names none are not noted"
    assert len(lists_left_behind(warehouse, "r2")) == 1
    assert lists_left_behind(warehouse, "r1") == []


def test_an_error_of_a_spreadsheet_is_noted_and_the_list_is_used(warehouse, lists):
    build_reference(warehouse, "r1", lists(properties="property_id,name\np1,#N/A\n"))
    assert wrong(warehouse) == [("properties", 2, None, False)]
    assert warehouse.rows("from main.properties") == [("p1", None)]
    assert lists_left_behind(warehouse, "r1") == []


def test_a_column_says_that_it_is_text_and_where_its_number_is(warehouse, lists):
    build_reference(warehouse, "r1", lists(properties="property_id,name,height_m\np1,One,9.9\n"))
    comments = (
        "select column_name, comment from duckdb_columns() where table_name = 'properties' and schema_name = 'main'"
    )
    assert dict(warehouse.rows(comments)) == {
        "property_id": "Column of properties.csv, as text",
        "name": "Column of properties.csv, as text",
        "height_m": "Column of properties.csv, as text; marts.properties has the number",
    }


def test_a_list_that_was_carried_over_gets_its_comments(warehouse, lists):
    warehouse.execute("create table main.users as select 'u1' as user_id, 'Ann' as name")
    build_reference(warehouse, "r1", lists(users="user_id,name\nu1,Ann\n"))
    comments = "select comment from {} where table_name = 'users' and schema_name = 'main'"
    assert warehouse.rows(comments.format("duckdb_tables()")) == [("From users.csv, your own list",)]
    assert set(warehouse.rows(comments.format("duckdb_columns()"))) == {("Column of users.csv, as text",)}


def test_a_list_that_stays_the_same_is_not_made_again(warehouse, lists):
    files = lists(properties="property_id,name\np1,One\n")
    build_reference(warehouse, "r1", files)
    build_reference(warehouse, "r2", files)
    marks = "select changed_run_id from ops.tables where table_name = 'properties'"
    assert warehouse.rows(marks) == [("r1",)]
    build_reference(warehouse, "r3", lists(properties="property_id,name,region\np1,One,North\n"))
    assert warehouse.rows(marks) == [("r3",)]
    assert warehouse.rows("select region from main.properties") == [("North",)]


def test_a_column_may_be_called_like_anything(warehouse, lists):
    build_reference(warehouse, "r1", lists(properties='property_id,select,"a ""b""",Größe,table,self\np1,1,2,3,4,5\n'))
    assert wrong(warehouse) == []
    assert warehouse.rows("from main.properties") == [("p1", "1", "2", "3", "4", "5")]
