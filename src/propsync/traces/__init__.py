"""Looks for a text or an id in every file, unpacked: the proof of an erasure, which shares no code with erasing."""

from propsync.traces.findings import CLEAN, FOUND, NOT_SHOWN, Findings, Place
from propsync.traces.looking import Equipment, look
from propsync.traces.needle import Needle
from propsync.traces.places import look_below, look_in_bucket

__all__ = [
    "CLEAN",
    "FOUND",
    "NOT_SHOWN",
    "Equipment",
    "Findings",
    "Needle",
    "Place",
    "look",
    "look_below",
    "look_in_bucket",
]
