"""From landing to the tables: staging → history → current."""

from propsync.merge.carried_rows import CARRIED, carry_out, knows_run, latest_run
from propsync.merge.carry_over import Carried
from propsync.merge.differing import differ, take_differing
from propsync.merge.erased_rows import ErasedRows
from propsync.merge.erased_versions import (
    ErasuresOfFile,
    keep_erased,
    knows_erasures,
    lost_erasures,
    note_erasures,
    revived_erasures,
    same_versions,
)
from propsync.merge.freshness import NEVER, mark_tables
from propsync.merge.hiding import HIDDEN_FILES, Hiding, Unmatched, check_lines, forget_contents, mark_of, remembered
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
from propsync.merge.reference.headings import other_headings
from propsync.merge.reference.list_file import Mistake, ReferenceList, read_list
from propsync.merge.reference.list_table import KEYS, api_lists, dropped
from propsync.merge.reference.lists import build_reference, described, finish_reference, lists_left_behind
from propsync.merge.reference.managed_days import PROPERTIES, check_managed
from propsync.merge.reference.requirements import (
    REQUIREMENTS,
    TYPE,
    Known,
    check_requirements,
    unused_columns,
)
from propsync.merge.reference.staged_lists import StagedLists
from propsync.merge.shape_store import ShapeStore, overridden, stored_shape
from propsync.merge.tables import build_tables, tables_of_family, unbuilt_tables
from propsync.merge.tables.fragments import definition_fragments
from propsync.merge.tables.latest_versions import stage_readable, stage_readable_types
from propsync.merge.unseen_records import UnseenRecords, is_too_many, sample, some_known, to_hold

__all__ = [
    "CARRIED",
    "HIDDEN_FILES",
    "KEYS",
    "NEVER",
    "PROPERTIES",
    "REQUIREMENTS",
    "TYPE",
    "Carried",
    "ErasedRows",
    "ErasuresOfFile",
    "Hiding",
    "Known",
    "Merger",
    "Mistake",
    "ReferenceList",
    "ShapeStore",
    "StagedLists",
    "Unmatched",
    "UnseenRecords",
    "Witness",
    "api_lists",
    "build_reference",
    "build_tables",
    "carry_out",
    "check_lines",
    "check_managed",
    "check_requirements",
    "definition_fragments",
    "described",
    "differ",
    "dropped",
    "finish_reference",
    "forget_contents",
    "form_of",
    "has_changed",
    "is_compared_otherwise",
    "is_mostly_changed",
    "is_too_many",
    "keep_erased",
    "known_fields",
    "known_values",
    "knows_erasures",
    "knows_run",
    "latest_run",
    "listed_keys",
    "lists_left_behind",
    "lost_erasures",
    "mark_of",
    "mark_tables",
    "merged_forms",
    "note_erasures",
    "note_statuses",
    "other_headings",
    "overridden",
    "read_history",
    "read_list",
    "rehash",
    "remembered",
    "revived_erasures",
    "same_versions",
    "sample",
    "some_known",
    "stage_readable",
    "stage_readable_types",
    "statuses_seen",
    "stored_shape",
    "tables_of_family",
    "take_differing",
    "to_hold",
    "unbuilt_tables",
    "unused_columns",
    "write_history",
]
