"""`python -m benchmarks.queries WAREHOUSE`: how long typical questions take, as JSON."""

import json
import sys
import time
from statistics import median

import duckdb

QUERIES = {
    "a type, grouped": "select fire_rating, count(*), avg(gap_at_head_mm) from by_type.communal_fire_doors "
    "group by all",
    "a type, what is due": "select asset_id, property_id, next_inspection_due from by_type.communal_fire_doors "
    "where next_inspection_due < date '2026-03-02' order by next_inspection_due limit 100",
    "a type, all of it": "select * from by_type.flat_entrance_doors",
    "long, a number by label": "select label, count(value_number), avg(value_number) from asset_field_values "
    "where kind = 'number' group by all",
    "long, one asset": "select label, value_text from asset_field_values "
    "where asset_id = (select min(asset_id) from assets) order by position",
    "long, what is due by month": "select date_trunc('month', value_date), count(*) from asset_field_values "
    "where value_date > date '2026-03-02' group by all",
    "assets and schedules joined": "select asset_type, count(*) from assets join schedules using (property_id) "
    "where due_date < date '2026-06-01' group by all",
}
_TIMES = 5


def main(warehouse: str) -> None:
    """Prints seconds of wall and CPU for each query: the median of a few, after one that warms up."""
    with duckdb.connect(warehouse, read_only=True) as connection:
        print(json.dumps({name: timed(connection, query) for name, query in QUERIES.items()}))


def timed(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[float, float]:
    """Seconds of wall and CPU of a query: the median of a few, after one that warms up."""
    connection.execute(query).fetchall()
    times = [_once(connection, query) for _ in range(_TIMES)]
    return median(wall for wall, _ in times), median(cpu for _, cpu in times)


def _once(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    connection.sql(query).to_arrow_table()
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main(sys.argv[1])
