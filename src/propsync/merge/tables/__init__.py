"""Builds the tables that people read from history."""

from propsync.merge.tables.builder import build_tables
from propsync.merge.tables.family import tables_of_family
from propsync.merge.tables.unbuilt import unbuilt_tables

__all__ = ["build_tables", "tables_of_family", "unbuilt_tables"]
