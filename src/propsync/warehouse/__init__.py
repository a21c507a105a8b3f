"""The DuckDB file: its connection, its models, its columns and its checks. The only importer of duckdb."""

from propsync.warehouse.arrow import documents, lot, texts, whole_numbers
from propsync.warehouse.checks import run_checks
from propsync.warehouse.columns import OpenColumns
from propsync.warehouse.connection import Warehouse
from propsync.warehouse.declared_tables import TABLES, Table, comment_on_column, compressed, quoted, text
from propsync.warehouse.macros import macros_for_people
from propsync.warehouse.models import Models, coalesced
from propsync.warehouse.names import snake_case, unique_name
from propsync.warehouse.published_copy import make_published_copy
from propsync.warehouse.reader import PublishedReader, check_published, open_published
from propsync.warehouse.resource_sql import FACTS, PARTS, key_parts, resource_fragments
from propsync.warehouse.rows import OldFile, add_rows, settle_file, stage_rows, write_rows
from propsync.warehouse.scalars import MOST, MOST_BELOW, json_path
from propsync.warehouse.statements import statement

__all__ = [
    "FACTS",
    "MOST",
    "MOST_BELOW",
    "PARTS",
    "TABLES",
    "Models",
    "OldFile",
    "OpenColumns",
    "PublishedReader",
    "Table",
    "Warehouse",
    "add_rows",
    "check_published",
    "coalesced",
    "comment_on_column",
    "compressed",
    "documents",
    "json_path",
    "key_parts",
    "lot",
    "macros_for_people",
    "make_published_copy",
    "open_published",
    "quoted",
    "resource_fragments",
    "run_checks",
    "settle_file",
    "snake_case",
    "stage_rows",
    "statement",
    "text",
    "texts",
    "unique_name",
    "whole_numbers",
    "write_rows",
]
