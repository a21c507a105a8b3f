"""The DuckDB file: its connection, its models, its columns and its checks. The only importer of duckdb."""

from propsync.warehouse.columns import OpenColumns, json_path
from propsync.warehouse.connection import CsvUnreadable, Warehouse
from propsync.warehouse.models import Models, coalesced, in_order, sources
from propsync.warehouse.names import snake_case, unique_name
from propsync.warehouse.reader import Reader, open_published
from propsync.warehouse.tables import TABLES, Table, comment_on_column, quoted, shipped, text

__all__ = [
    "TABLES",
    "CsvUnreadable",
    "Models",
    "OpenColumns",
    "Reader",
    "Table",
    "Warehouse",
    "coalesced",
    "comment_on_column",
    "in_order",
    "json_path",
    "open_published",
    "quoted",
    "shipped",
    "snake_case",
    "sources",
    "text",
    "unique_name",
]
