"""Run as a program with pyspark: reads every Delta table, answers questions, travels in time; prints it as JSON.

Standard input has a JSON object: `master`, `tables` (their names), `questions`, and `moments` (a list of table, time
and columns). `counts` says whether to count and not to sum. `settings` are Spark's, such as those of S3. `base` is the
folder of the tables or its s3a:// address.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import SparkSession  # type: ignore[import-not-found]  # from a folder of its own

T = TypeVar("T")
_USUAL = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "4",
    "spark.databricks.delta.snapshotPartitions": "2",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "1500m",
}
_AS_TEXT = {
    "timestamp": "cast(unix_micros({}) as string)",
    "double": "if({0} is null, null, format_string('%.9e', {0}))",  # of NULL alone it is a text
}


def main() -> None:
    asked = json.load(sys.stdin)
    spark = _session(asked["master"], asked["settings"])
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
    for table in asked["tables"]:
        schema, _, name = table.partition("/")
        spark.sql(f"create schema if not exists {schema}")
        spark.sql(f"create table {schema}.{name} using delta location '{asked['base']}/{table}'")
    look = _count if asked["counts"] else _sum
    sums = {table: _timed(look, spark, table.replace("/", ".")) for table in asked["tables"]}
    answers = [_timed(_answer, spark, sql) for sql in asked["questions"]]
    travels = [
        _sum(spark, f"{table.replace('/', '.')} timestamp as of '{moment}'", columns)
        for table, moment, columns in asked["moments"]
    ]
    print(json.dumps({"executors": executors, "tables": sums, "answers": answers, "travels": travels}))
    spark.stop()


def _session(master: str, settings: Mapping[str, str]) -> Any:
    jars = ",".join(map(str, sorted((Path(__file__).parents[2] / ".cache" / "spark" / "jars").glob("*.jar"))))
    builder = SparkSession.builder.master(master).appName("propsync").config("spark.jars", jars)
    for name, value in {**_USUAL, **settings}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _timed(act: Callable[..., T], *given: Any) -> tuple[T, float]:
    began = time.monotonic()
    return act(*given), round(time.monotonic() - began, 2)


def _answer(spark: Any, sql: str) -> list[list[Any]]:
    return [list(map(_plain, row)) for row in spark.sql(sql).collect()]


def _sum(spark: Any, table: str, columns: list[str] | None = None) -> list[int]:
    """The number of rows, and a sum over them that changes with any value."""
    frame = spark.sql(f"select * from {table}")
    kinds = {name: kind for name, kind in frame.dtypes if columns is None or name in columns}
    texts = (
        f"coalesce({_AS_TEXT.get(kind, 'cast({} as string)').format(f'`{name}`')}, '-')"
        for name, kind in sorted(kinds.items())
    )
    number = f"cast(conv(substr(md5(concat_ws('|', {', '.join(texts)})), 1, 8), 16, 10) as bigint)"
    frame.createOrReplaceTempView("asked")
    (row,) = spark.sql(f"select count(*), coalesce(sum({number}), 0) from asked").collect()
    return [int(row[0]), int(row[1])]


def _count(spark: Any, table: str) -> list[int]:
    """The number of rows, and of values in each column by name."""
    columns = sorted(spark.sql(f"select * from {table}").columns)
    counts = ", ".join(f"count(`{name}`)" for name in columns)
    (row,) = spark.sql(f"select count(*), {counts} from {table}").collect()
    return [int(number) for number in row]


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else str(value)


if __name__ == "__main__":
    main()
