"""Sweeps: whole lists read page by page, landed as received, and certified (correctness.md §1)."""

from propsync.sweep.asking import Answers, Key
from propsync.sweep.ladder import Sweeper, Swept
from propsync.sweep.listed import Listed, set_aside
from propsync.sweep.lookups import LookUps
from propsync.sweep.second_reading import find_new_volatile
from propsync.sweep.shaping import cutter_of
from propsync.sweep.wanted import Filters, Wanted

__all__ = [
    "Answers",
    "Filters",
    "Key",
    "Listed",
    "LookUps",
    "Sweeper",
    "Swept",
    "Wanted",
    "cutter_of",
    "find_new_volatile",
    "set_aside",
]
