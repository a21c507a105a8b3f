"""Where a flag has its history."""

from __future__ import annotations

from collections.abc import Sequence

from propsync.merge.tables.fragments import json_at
from propsync.records import Path


def history_at(paths: Sequence[Path], column: str = "payload") -> str:
    """The first list with entries at one of `paths`: flags may name their history differently; a piece of SQL."""
    tried = [json_at([path], column) for path in paths]
    if len(tried) < 2:
        return json_at(paths, column)
    branches = " ".join(f"when len(staging.listed_entries({one})) > 0 then {one}" for one in tried)
    return f"case {branches} end"
