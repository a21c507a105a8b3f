"""The analyst's desk: marts that answer questions, built from the tables that people read."""

from propsync.desk.choices import DeskChoices
from propsync.desk.chosen import Chosen, choose
from propsync.desk.counted_days import CountedDays
from propsync.desk.faults import AGAINST
from propsync.desk.given import Given
from propsync.desk.inputs import inputs_of_all
from propsync.desk.marts import Marts
from propsync.desk.misfits import note_misfits

__all__ = [
    "AGAINST",
    "Chosen",
    "CountedDays",
    "DeskChoices",
    "Given",
    "Marts",
    "choose",
    "inputs_of_all",
    "note_misfits",
]
