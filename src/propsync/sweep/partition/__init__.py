"""Reads one list in parts that each fit in one response (rung 2)."""

from propsync.sweep.partition.known_ids import KnownIds
from propsync.sweep.partition.reader import RUNG, Partition

__all__ = ["RUNG", "KnownIds", "Partition"]
