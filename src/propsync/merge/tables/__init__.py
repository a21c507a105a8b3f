"""Builds the tables that people read from history."""

from propsync.merge.tables.builder import Builder

__all__ = ["Builder"]
