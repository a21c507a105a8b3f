"""From what was landed to the tables: staging → history → current."""

from propsync.merge.base import form_of, has_changed, is_compared_otherwise, merged_forms, read_history, write_history
from propsync.merge.build import Builder
from propsync.merge.carried import CARRIED, Carried, carry_out, latest_run
from propsync.merge.inner import find_inner_shapes
from propsync.merge.known import is_mostly_changed, known_values, listed_keys, note_statuses, statuses_seen
from propsync.merge.marks import mark_tables
from propsync.merge.merger import Merger
from propsync.merge.missing import Missing, is_too_many, sample, to_hold
from propsync.merge.people_list import Mistake, read_list
from propsync.merge.reference import build_reference, described, lists_left_behind, note_orphans
from propsync.merge.rehash import rehash
from propsync.merge.shapes import ShapeStore
from propsync.merge.witness import Witness

__all__ = [
    "CARRIED",
    "Builder",
    "Carried",
    "Merger",
    "Missing",
    "Mistake",
    "ShapeStore",
    "Witness",
    "build_reference",
    "carry_out",
    "described",
    "find_inner_shapes",
    "form_of",
    "has_changed",
    "is_compared_otherwise",
    "is_mostly_changed",
    "is_too_many",
    "known_values",
    "latest_run",
    "listed_keys",
    "lists_left_behind",
    "mark_tables",
    "merged_forms",
    "note_orphans",
    "note_statuses",
    "read_history",
    "read_list",
    "rehash",
    "sample",
    "statuses_seen",
    "to_hold",
    "write_history",
]
