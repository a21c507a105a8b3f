"""From what was landed to the tables: staging → history → current."""

from propsync.merge.base import form_of, has_changed, is_compared_otherwise, merged_forms, read_history, write_history
from propsync.merge.build import Builder
from propsync.merge.carried import CARRIED, Carried, carry_out, latest_run
from propsync.merge.inner import find_inner_shapes
from propsync.merge.known import known_values, listed_keys, note_statuses, statuses_seen
from propsync.merge.marks import mark_tables
from propsync.merge.merger import Merger
from propsync.merge.missing import Missing, is_too_many, sample, to_hold
from propsync.merge.reference import build_reference
from propsync.merge.rehash import rehash
from propsync.merge.shapes import ShapeStore
from propsync.merge.witness import Witness

__all__ = [
    "CARRIED",
    "Builder",
    "Carried",
    "Merger",
    "Missing",
    "ShapeStore",
    "Witness",
    "build_reference",
    "carry_out",
    "find_inner_shapes",
    "form_of",
    "has_changed",
    "is_compared_otherwise",
    "is_too_many",
    "known_values",
    "latest_run",
    "listed_keys",
    "mark_tables",
    "merged_forms",
    "note_statuses",
    "read_history",
    "rehash",
    "sample",
    "statuses_seen",
    "to_hold",
    "write_history",
]
