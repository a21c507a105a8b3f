"""From what was landed to the tables: staging → history → current."""

from propsync.merge.build import Builder
from propsync.merge.inner import find_inner_shapes
from propsync.merge.known import known_values, listed_keys, note_statuses, statuses_seen
from propsync.merge.merger import Merger
from propsync.merge.missing import Missing, is_too_many, sample, to_hold
from propsync.merge.reference import build_reference
from propsync.merge.shapes import ShapeStore

__all__ = [
    "Builder",
    "Merger",
    "Missing",
    "ShapeStore",
    "build_reference",
    "find_inner_shapes",
    "is_too_many",
    "known_values",
    "listed_keys",
    "note_statuses",
    "sample",
    "statuses_seen",
    "to_hold",
]
