"""Promises of the scratch database."""


def test_emptied_staging_holds_no_rows_and_keeps_its_macros(warehouse):
    warehouse.execute("""create table staging."all ""kinds""\t" as from range(200000)""")
    held = "select sum(memory_usage_bytes) from duckdb_memory() where tag = 'IN_MEMORY_TABLE'"
    assert warehouse.value(held) > 1_000_000
    warehouse.empty_staging()
    assert warehouse.rows("select table_name from duckdb_tables() where database_name = 'staging'") == []
    assert warehouse.value(held) < 100_000
    assert warehouse.value("select staging.pointer('a/b')") == "/a~1b"
    assert warehouse.value("select count(*) from main.assets") == 0
