"""Promises of how tables are kept: little room, no ways tried that were ruled out, and no log beside them."""

import pytest

from propsync.warehouse import TABLES, Warehouse

MANY = 150_000
LONG = 300_000
VALUES = "main.asset_field_values"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("compression") / "state.duckdb"


@pytest.fixture(scope="module")
def warehouse(path):
    with Warehouse(path, memory_limit="300MB", folder=path.parent) as warehouse:
        yield warehouse


@pytest.fixture(scope="module")
def filled(warehouse):
    rows = (
        "select 'asset ' || (i // 12) as asset_id, 'property ' || (i % 5000) as property_id, 'type' as asset_type_id, "
        "'field ' || (i % 12) as field_id, 'Label ' || (i % 12) as label, 'text' as kind, "
        "'note ' || hash(i) || ' of ' || hash(i + 1) as value_text, null as value_json "
        f"from range({MANY}) as r(i)"
    )
    with warehouse.transaction():
        warehouse.execute(f"insert into {VALUES} by name {rows}")
    return warehouse


def ways(warehouse, table):
    """How each column of texts is kept."""
    return dict(
        warehouse.rows(
            "select column_name, list_sort(list(distinct compression)) from pragma_storage_info(?) "
            "where segment_type = 'VARCHAR' and compression not in ('Constant', 'Empty Validity') group by column_name",
            [table],
        )
    )


def test_texts_are_kept_by_zstd_and_what_repeats_by_a_dictionary(filled):
    told = ways(filled, VALUES)
    assert told["value_text"] == ["ZSTD"]
    assert told["property_id"] == told["asset_id"] == told["field_id"] == told["label"] == ["Dictionary"]


def test_a_large_commit_leaves_nothing_of_it_in_a_log(warehouse, path):
    log = path.with_name(f"{path.name}.wal")
    payload = "'{\"note\":\"' || repeat(hash(i)::varchar, 100) || '\"}'"
    with warehouse.transaction():
        warehouse.execute(
            "insert into history.assets (asset_id, valid_from, payload) "
            f"select 'asset ' || i, now(), {payload} from range(20000) as r(i)"
        )
    assert warehouse.value("select sum(strlen(payload)) from history.assets") > 30_000_000
    assert not log.exists() or log.stat().st_size < 100_000


@pytest.mark.parametrize("column", ["label", "value_text", "asset_id"])
def test_however_long_a_text_is_it_is_kept_whole(warehouse, path, column):
    for long in ("x" * LONG, "é" * LONG, "".join(map(chr, range(32, 50_000)))):
        with warehouse.transaction():
            warehouse.execute(f"insert into {VALUES} ({column}, field_id) values (?, 'long')", [long])
        warehouse.checkpoint()
        query = f"select {column} from {VALUES} where field_id = 'long'"
        assert warehouse.rows(query) == [(long,)]
        warehouse.execute(f"delete from {VALUES} where field_id = 'long'")


def test_every_column_of_texts_is_told_how_to_be_kept():
    for table in TABLES.values():
        kinds = [kind for kind, _ in table.columns.values()]
        told = table.ddl()[0].count("using compression")
        assert told == sum(kind in ("VARCHAR", "JSON") for kind in kinds), table.full_name
