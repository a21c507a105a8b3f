"""The DuckDB file: its connection, its models, its columns and its checks. The only importer of duckdb."""

from propsync.warehouse.arrow import documents, lot, texts, whole_numbers
from propsync.warehouse.blocks import is_short, refuse_damaged, refuse_unreadable
from propsync.warehouse.check_run import CORRECT_IT, Findings, in_short, run_checks, run_mart_checks
from propsync.warehouse.columns import OpenColumns
from propsync.warehouse.comments import write_comments
from propsync.warehouse.connection import SCHEMA_VERSION, Warehouse, Whole
from propsync.warehouse.declared_tables import (
    MARTS,
    TABLES,
    Table,
    comment_on_column,
    comment_on_table,
    compressed,
    quoted,
    text,
)
from propsync.warehouse.foreign import ForeignTables, Sought, Values
from propsync.warehouse.further_tables import check_further
from propsync.warehouse.macros import macros_for_people, meanings_of
from propsync.warehouse.model_order import tables_read
from propsync.warehouse.models import Models, coalesced
from propsync.warehouse.names import snake_case, unique_name
from propsync.warehouse.published_copy import Earlier, in_published, make_published_copy, renew_views
from propsync.warehouse.query_cells import safe_in_sheet
from propsync.warehouse.reader import PublishedReader, check_published, open_published
from propsync.warehouse.resource_sql import FACTS, PARTS, key_parts, resource_fragments
from propsync.warehouse.rows import OldFile, add_rows, settle_file, stage_rows, write_rows
from propsync.warehouse.scalars import LONGEST, MOST, MOST_BELOW, json_path
from propsync.warehouse.statements import statement
from propsync.warehouse.typed_versions import TypedVersions
from propsync.warehouse.view import View
from propsync.warehouse.views import view_sources, views

__all__ = [
    "CORRECT_IT",
    "FACTS",
    "LONGEST",
    "MARTS",
    "MOST",
    "MOST_BELOW",
    "PARTS",
    "SCHEMA_VERSION",
    "TABLES",
    "Earlier",
    "Findings",
    "ForeignTables",
    "Models",
    "OldFile",
    "OpenColumns",
    "PublishedReader",
    "Sought",
    "Table",
    "TypedVersions",
    "Values",
    "View",
    "Warehouse",
    "Whole",
    "add_rows",
    "check_further",
    "check_published",
    "coalesced",
    "comment_on_column",
    "comment_on_table",
    "compressed",
    "documents",
    "in_published",
    "in_short",
    "is_short",
    "json_path",
    "key_parts",
    "lot",
    "macros_for_people",
    "make_published_copy",
    "meanings_of",
    "open_published",
    "quoted",
    "refuse_damaged",
    "refuse_unreadable",
    "renew_views",
    "resource_fragments",
    "run_checks",
    "run_mart_checks",
    "safe_in_sheet",
    "settle_file",
    "snake_case",
    "stage_rows",
    "statement",
    "tables_read",
    "text",
    "texts",
    "unique_name",
    "view_sources",
    "views",
    "whole_numbers",
    "write_comments",
    "write_rows",
]
