"""Merges a snapshot into history, compares histories, and hashes their versions again."""

from propsync.merge.history.merger import Merger
from propsync.merge.history.rehash import rehash
from propsync.merge.history.witness import Witness

__all__ = ["Merger", "Witness", "rehash"]
