"""A state with other tables needs another schema version: propsync never migrates one, and would lack a table."""

from __future__ import annotations

import hashlib
from pathlib import Path

from propsync.warehouse import SCHEMA_VERSION, Warehouse

_COLUMNS = """
select table_schema, table_name, column_name, data_type
from information_schema.columns
where table_catalog = current_database()
order by all
"""


def test_other_tables_have_another_schema_version(tmp_path: Path) -> None:
    """If this fails, raise SCHEMA_VERSION by one, and write both here."""
    with Warehouse(tmp_path / "state.duckdb", memory_limit="300MB", folder=tmp_path) as warehouse:
        columns = repr(warehouse.rows(_COLUMNS))
    assert (SCHEMA_VERSION, hashlib.sha256(columns.encode()).hexdigest()[:16]) == (22, "cfa09f9e94131bc5")
