"""Builds the tables that people read from history."""

from propsync.merge.tables.builder import build_tables

__all__ = ["build_tables"]
