"""The whole documented API as a real HTTP server over loopback, with made-up data. It shares no code with propsync."""

from .changes import Change, ChangeLog
from .fault_checks import FaultPlanError
from .faults import FaultPlan, read_fault_plan
from .hints import HintPlan, HintPlanError, read_hint_plan
from .journal import Entry, Journal
from .night import live_through_a_night
from .reference import write_reference
from .sandbox import Sandbox
from .shelf import Key, Record
from .world import RESOURCES, TODAY, World

__all__ = [
    "RESOURCES",
    "TODAY",
    "Change",
    "ChangeLog",
    "Entry",
    "FaultPlan",
    "FaultPlanError",
    "HintPlan",
    "HintPlanError",
    "Journal",
    "Key",
    "Record",
    "Sandbox",
    "World",
    "live_through_a_night",
    "read_fault_plan",
    "read_hint_plan",
    "write_reference",
]
