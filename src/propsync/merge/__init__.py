"""From landing to the tables: staging → history → current."""

from propsync.merge.carry_over import CARRIED, Carried, carry_out, latest_run
from propsync.merge.freshness import mark_tables
from propsync.merge.history.merger import Merger
from propsync.merge.history.rehash import rehash
from propsync.merge.history.witness import Witness
from propsync.merge.history_files import (
    form_of,
    has_changed,
    is_compared_otherwise,
    merged_forms,
    read_history,
    write_history,
)
from propsync.merge.known import (
    is_mostly_changed,
    known_fields,
    known_values,
    listed_keys,
    note_statuses,
    statuses_seen,
)
from propsync.merge.reference.list_file import Mistake, read_list
from propsync.merge.reference.lists import build_reference, described, lists_left_behind, note_orphans
from propsync.merge.shape_store import ShapeStore
from propsync.merge.tables import build_tables
from propsync.merge.unseen_records import UnseenRecords, is_too_many, sample, to_hold

__all__ = [
    "CARRIED",
    "Carried",
    "Merger",
    "Mistake",
    "ShapeStore",
    "UnseenRecords",
    "Witness",
    "build_reference",
    "build_tables",
    "carry_out",
    "described",
    "form_of",
    "has_changed",
    "is_compared_otherwise",
    "is_mostly_changed",
    "is_too_many",
    "known_fields",
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
