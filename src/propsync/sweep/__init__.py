"""Sweeps: propsync reads whole lists page by page, lands them as received, and certifies them."""

from propsync.sweep.ladder import Sweeper, Swept, unswept
from propsync.sweep.list_check import ListCheck
from propsync.sweep.lookups import Answers, Key, LookUps
from propsync.sweep.scope import Filters, SweepScope
from propsync.sweep.second_reading import find_new_volatile
from propsync.sweep.staged_keys import StagedKeys

__all__ = [
    "Answers",
    "Filters",
    "Key",
    "ListCheck",
    "LookUps",
    "StagedKeys",
    "SweepScope",
    "Sweeper",
    "Swept",
    "find_new_volatile",
    "unswept",
]
