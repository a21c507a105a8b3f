"""Rows that wait in a Parquet file come back as they were."""

from __future__ import annotations

import re
from pathlib import Path

from propsync.warehouse import Warehouse
from propsync.warehouse.rows import add_rows, stage_rows, write_rows

ROOT = Path(__file__).parents[3]


def test_the_name_of_a_folder_adds_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "n=7"
    folder.mkdir()
    with Warehouse(folder / "state.duckdb", memory_limit="100MB", folder=folder) as warehouse:
        write_rows(warehouse, "select 1 as id", folder / "rows.parquet")
        stage_rows(warehouse, "given", folder / "rows.parquet")
        assert warehouse.rows("from staging.given") == [(1,)]
        warehouse.execute("create table main.t (id integer, n integer)")
        add_rows(warehouse, "main.t", folder / "rows.parquet")
        assert warehouse.rows("from main.t") == [(1, None)]


def test_every_reading_of_a_parquet_file_takes_its_columns_from_the_file_alone() -> None:
    files = [path for folder in ("sql", "src/propsync") for path in (ROOT / folder).rglob("*.*")]
    texts = {path: path.read_text(encoding="utf-8") for path in files if path.suffix in (".sql", ".py")}
    readings = [(path, call) for path, text in texts.items() for call in re.findall(r"read_parquet\(.*", text)]
    assert len(readings) > 10
    assert [one for one in readings if "hive_partitioning = false" not in one[1]] == []
