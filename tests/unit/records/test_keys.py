"""Promises of a key as one text: no two keys have the same one, and SQL writes it as Python does."""

from hypothesis import given
from hypothesis import strategies as st

from propsync.records import record_id
from propsync.resources import SCHEDULES
from propsync.warehouse import Models, Warehouse, resource_fragments

PARTS = st.text(alphabet="ab/\\", min_size=1, max_size=4)
PAIRS = st.tuples(PARTS, PARTS)


@given(PAIRS, PAIRS)
def test_two_pairs_have_one_text_only_if_they_are_one(one, other):
    assert (record_id(one) == record_id(other)) == (one == other)


def test_a_key_of_one_part_is_its_own_text():
    assert record_id(("a/b\\c",)) == "a/b\\c"


def test_a_schedule_s_pair_is_written_alike_in_sql(tmp_path):
    pairs = [(one, other) for one in ("a", "a/b", "\\", "a\\/") for other in ("c", "b/c", "/", "\\\\")]
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        columns = "property_id, assessment_type_id, valid_from"
        for pair in pairs:
            warehouse.execute(f"insert into history.schedules ({columns}) values (?, ?, now())", pair)
        models = Models(warehouse, {"built_through": "1970-01-01"}, resource_fragments(SCHEDULES))
        models.stage("staging/dirty_records")
        found = warehouse.rows("select property_id, assessment_type_id, record_id from staging.dirty_records")
    assert {(one, other): text for one, other, text in found} == {pair: record_id(pair) for pair in pairs}
