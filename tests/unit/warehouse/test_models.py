"""Promises of the model runner: a file is a table, values are bound, fragments do no harm."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.records import first_text
from propsync.resources import ASSESSMENTS, SCHEDULES
from propsync.warehouse import Models, coalesced, json_path, quoted, resource_fragments, text
from propsync.warehouse.model_order import sources
from propsync.warehouse.models import grain

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["*", "$", "$type", "a.b", '"', "\\"]
)
TYPES = "create or replace table staging."


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("-- grain: asset_id\nselect 1", ["asset_id"]),
        ("-- grain: a, b ,c\n-- why: x\nselect 1", ["a", "b", "c"]),
        ("-- why: x\n-- grain: a\nselect 1", ["a"]),
        ("-- why: the grain: a\nselect 1", []),
        ("select '-- grain: a'", []),
    ],
)
def test_the_grain_is_what_the_header_says(header, columns):
    assert grain(header) == columns


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("select 1", set()),
        ("select * from assets", {"main.assets"}),
        ("with a as (select * from staging.x) select * from a join b using (id)", {"staging.x", "main.b"}),
        ("with a as (select * from main.a) select * from a", {"main.a"}),
        ("select (select max(x) from ops.runs) from history.assets", {"ops.runs", "history.assets"}),
        (
            "select * from (select * from a union all select * from ops.b) anti join c using (id)",
            {"main.a", "ops.b", "main.c"},
        ),
        (
            "(select id from a except all select id from b) union all select id from main.c",
            {"main.a", "main.b", "main.c"},
        ),
        ('-- from ops.runs\nselect \'from ops.checks\' from "by_type"."fire doors"', {"by_type.fire doors"}),
    ],
)
def test_what_a_select_reads_is_told_by_duckdb_s_own_parser(warehouse, sql, read):
    assert sources(warehouse, sql) == read


def test_what_does_not_parse_reads_nothing_quietly(warehouse):
    with pytest.raises(ValueError, match="syntax error"):
        sources(warehouse, "select from where")


def test_a_pair_of_models_takes_rows_out_by_their_grain_and_puts_new_ones_in_by_name(warehouse):
    warehouse.execute("delete from main.schedules")
    warehouse.execute(
        "insert into main.schedules (property_id, assessment_type_id, status) values "
        "('p', 't', 'old'), ('p', 'u', 'old'), ('q', 't', 'old')"
    )
    warehouse.execute("delete from history.schedules")
    warehouse.execute(
        "insert into history.schedules (property_id, assessment_type_id, valid_from, change, payload) "
        """values ('p', 't', now(), 'update', '{"status":"new","dueDate":"2026-03-02"}')"""
    )
    warehouse.execute(f"{TYPES}dirty_records as select 'p' as property_id, 't' as assessment_type_id")
    warehouse.execute(f"{TYPES}readable_versions as select *, payload as readable from history.schedules")
    models = Models(
        warehouse, {}, {"record_members": "['$.status']", "status": "payload->>'$.status'", "open_columns": ""}
    ).with_fragments(**resource_fragments(SCHEDULES))
    assert models.close("main/records.close", "main.schedules") == 1
    assert models.open("main/schedules.open") == 1
    found = warehouse.rows(
        "select property_id, assessment_type_id, status, due_date::varchar from main.schedules order by all"
    )
    assert found == [("p", "t", "new", "2026-03-02"), ("p", "u", "old", None), ("q", "t", "old", None)]


def test_values_are_bound_and_a_model_is_staged_under_its_name(warehouse):
    warehouse.execute("delete from history.assessments")
    warehouse.execute(
        "insert into history.assessments (assessment_id, valid_from) values ('a', '2026-01-01 00:00+00'), "
        "('b', '2026-01-03 00:00+00'), ('b', '2026-01-04 00:00+00')"
    )
    values = {"built_through": "2026-01-02 00:00+00", "unused": 1}
    models = Models(warehouse, values, resource_fragments(ASSESSMENTS))
    assert models.stage("staging/dirty_records") == 1
    assert warehouse.rows("from staging.dirty_records") == [("b", "b")]
    assert models.stage("staging/dirty_records", "other") == 1
    assert warehouse.rows("from staging.other") == [("b", "b")]


def type_definitions(warehouse, payload):
    warehouse.execute(
        f"{TYPES}type_definitions as select 't' as asset_type_id, 'Doors' as name, 'Door' as name_singular, "
        f"true as is_listed, {text(json.dumps(payload))}::json as payload"
    )
    warehouse.execute(f"{TYPES}type_names as select 't' as asset_type_id, 'doors' as table_name")


def test_a_small_table_is_made_anew_and_keeps_its_comment(warehouse):
    models = Models(warehouse, {}, {"open_columns": ""})
    type_definitions(warehouse, {})
    assert [models.replace("main/asset_types"), models.replace("main/asset_types")] == [1, 1]
    assert warehouse.value("select count(*) from main.asset_types") == 1
    assert warehouse.value(
        "select comment from duckdb_tables() where table_name = 'asset_types' and schema_name = 'main'"
    )


@given(name=names)
def test_a_fragment_may_name_any_member_that_the_api_may_send(warehouse, name):
    type_definitions(warehouse, {name: "v", "other": 1})
    found = f",\n  try_cast(definitions.payload->>{text(json_path((name,)))} as varchar) as name_of_it"
    models = Models(warehouse, {}, {"open_columns": found})
    models.stage("main/asset_types", "result")
    assert warehouse.value("select name_of_it from staging.result") == "v"


def test_fragments_are_added_without_touching_those_before(warehouse):
    before = Models(warehouse, {}, {"open_columns": ", 1 as one"})
    after = before.with_fragments(open_columns=", 2 as two")
    assert ", 1 as one" in before.sql("main/asset_types")
    assert ", 2 as two" in after.sql("main/asset_types")
    with pytest.raises(KeyError):
        Models(warehouse, {}).sql("main/asset_types")


identifiers = st.none() | st.text(st.characters(exclude_categories=["Cs"])) | st.integers(-(10**25), 10**25)
inner = identifiers | st.lists(identifiers, max_size=2) | st.dictionaries(st.sampled_from(["id", "x"]), identifiers)


@given(record=st.fixed_dictionaries({}, optional={"property": inner, "asset": inner, "": inner}))
def test_sql_and_python_read_the_same_identifier_from_a_record(warehouse, record):
    paths = (("property",), ("property", "id"), ("asset",), ("asset", "id"), ("",))
    read = warehouse.value(
        f"select {coalesced('payload', paths)} from (select ?::json as payload)", [json.dumps(record)]
    )
    assert read == first_text(record, paths)


def test_without_a_path_there_is_no_identifier(warehouse):
    assert warehouse.rows(f"select {coalesced('payload', ())}") == [(None,)]


@given(path=st.lists(names, min_size=1, max_size=3))
def test_a_path_leads_to_its_own_member_whatever_it_is_called(warehouse, path):
    record: object = "v"
    for name in reversed(path):
        record = {name: record, f"{name}.": 1, "decoy": {name: 2}}
    found = warehouse.value(f"select ?::json->>{text(json_path(tuple(path)))}", [json.dumps(record)])
    assert found == "v"


@given(
    name=names.filter(lambda name: name and "\0" not in name), value=st.text(st.characters(exclude_categories=["Cs"]))
)
def test_a_quoted_name_and_a_text_are_taken_as_they_are(warehouse, name, value):
    value = value.replace("\0", "")
    cursor = warehouse.execute(f"select {text(value)} as {quoted(name)}")
    assert (cursor.description[0][0], cursor.fetchall()) == (name, [(value,)])


def test_what_an_earlier_model_left_in_staging_is_not_made_again(warehouse):
    models = Models(warehouse, {"time_zone": "UTC", "today": date(2026, 1, 2)})
    warehouse.execute(
        f"{TYPES}dated_assessments as select 'a' as assessment_id, 'p' as property_id, "
        "'t' as assessment_type_id, 'approved' as status, now() as approved_at, date '2026-01-01' as performed_on, "
        "'date' as date_source"
    )
    reads = "staging/due_when_approved"
    assert models.stage_for(reads) == ["staging/assessment_reads", "staging/read_verdicts", "staging/last_approvals"]
    warehouse.execute("delete from staging.dated_assessments")
    assert models.stage_for(reads, made={"staging/last_approvals"}) == ["staging/assessment_reads"]
    assert warehouse.value("select count(*) from staging.last_approvals") == 1
    models.stage_for(reads)
    assert warehouse.value("select count(*) from staging.last_approvals") == 0
