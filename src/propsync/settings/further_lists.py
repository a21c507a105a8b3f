"""The rules for `[resources.NAME]`, a further list of the same API."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_KINDS: dict[str, type] = {"path": str, "key": str, "key_column": str, "is_paged": bool, "id_filter": str}
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@/-]+")
_PARAMETER = re.compile(r"[A-Za-z0-9._~\[\]-]+")
_TAKEN = ("page", "limit")
"""Parameters with another meaning."""


def check_lists(lists: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The same lists; raises ValueError with the place of the first mistake."""
    for name, written in lists.items():
        if why := _wrong_name(name) or _wrong_entry(written) or _wrong_value(written):
            raise ValueError(f"[resources.{name}] {why}")
    return lists


def _wrong_name(name: str) -> str | None:
    if _NAME.fullmatch(name):
        return None
    return "cannot be the name of a table: write small letters, digits and _ alone"


def _wrong_entry(written: Mapping[str, Any]) -> str | None:
    for entry, value in written.items():
        if entry not in _KINDS:
            return f"has an entry {entry}, and propsync knows {', '.join(_KINDS)}"
        if not isinstance(value, _KINDS[entry]) or value == "":
            return f"{entry} is {value!r}, and it must be {'true or false' if _KINDS[entry] is bool else 'a text'}"
    return None if "path" in written else "has no path"


def _wrong_value(written: Mapping[str, Any]) -> str | None:
    path, id_filter = written["path"], written.get("id_filter", "id")
    if not _PATH.fullmatch(path) or not {".", ".."}.isdisjoint(path.split("/")):
        return f"path is {path!r}, and it must be the list's path after the address of the API, such as /properties"
    if not _NAME.fullmatch(written.get("key_column", "id")):
        return f"key_column is {written['key_column']!r}: write small letters, digits and _ alone"
    if not _PARAMETER.fullmatch(id_filter) or id_filter in _TAKEN:
        return f"id_filter is {id_filter!r}, and it must be the name of a parameter that filters by ids"
    return None
