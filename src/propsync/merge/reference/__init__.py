"""People's own lists of names and addresses: read from their files, checked, and made into tables."""

from propsync.merge.reference.list_file import Mistake, read_list
from propsync.merge.reference.lists import build_reference, described, lists_left_behind, note_orphans

__all__ = ["Mistake", "build_reference", "described", "lists_left_behind", "note_orphans", "read_list"]
