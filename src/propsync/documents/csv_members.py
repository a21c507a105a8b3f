"""The members of a bundle that are its tables."""

from __future__ import annotations

_TABLES = frozenset(("actions", "controls", "elements"))


def table_of(name: str) -> str | None:
    """`actions`, `controls` or `elements` for such a CSV at the top or in one folder, in any case; else None."""
    *folders, file_name = [part for part in name.lower().split("/") if part != "."] or [""]
    stem = file_name.removesuffix(".csv")
    return stem if len(folders) <= 1 and stem != file_name and stem in _TABLES else None
