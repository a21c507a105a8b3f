"""People's own lists of names and addresses: propsync reads their files, checks them, and makes tables of them."""

from propsync.merge.reference.list_file import Mistake, read_list
from propsync.merge.reference.lists import build_reference, described, finish_reference, lists_left_behind

__all__ = ["Mistake", "build_reference", "described", "finish_reference", "lists_left_behind", "read_list"]
