"""The dictionary of a copy: every column, with its source, how full it is, and an example."""

from propsync.desk.dictionary.entries import Entry, entries
from propsync.desk.dictionary.formats import FORMATS

__all__ = ["FORMATS", "Entry", "entries"]
