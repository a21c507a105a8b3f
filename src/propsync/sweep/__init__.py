"""Sweeps: whole lists read page by page, landed as received, and certified (correctness.md §1)."""

from propsync.sweep.listed import Listed, set_aside
from propsync.sweep.resource import Sweeper, Swept, cutter_of

__all__ = ["Listed", "Sweeper", "Swept", "cutter_of", "set_aside"]
