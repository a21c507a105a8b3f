"""The DuckDB file: its connection, its models, its columns and its checks. The only importer of duckdb."""

from propsync.warehouse.checks import run_checks
from propsync.warehouse.columns import OpenColumns, json_path
from propsync.warehouse.connection import CsvUnreadable, Warehouse, bound
from propsync.warehouse.models import Models, coalesced
from propsync.warehouse.names import snake_case, unique_name
from propsync.warehouse.reader import Reader, open_published
from propsync.warehouse.rows import OldFile, add_rows, settle_file, stage_rows, write_rows
from propsync.warehouse.tables import TABLES, Table, comment_on_column, quoted, text

__all__ = [
    "TABLES",
    "CsvUnreadable",
    "Models",
    "OldFile",
    "OpenColumns",
    "Reader",
    "Table",
    "Warehouse",
    "add_rows",
    "bound",
    "coalesced",
    "comment_on_column",
    "json_path",
    "open_published",
    "quoted",
    "run_checks",
    "settle_file",
    "snake_case",
    "stage_rows",
    "text",
    "unique_name",
    "write_rows",
]
