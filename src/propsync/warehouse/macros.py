"""The macros under `sql/macros/`: those for people, for one resource or all, and those for staging."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from propsync.resources import SYNCED, Resource
from propsync.shipped import shipped
from propsync.warehouse.resource_sql import resource_fragments

_FRAGMENT = re.compile(r"\{\{(\w+)\}\}")
_PART = re.compile(r"^ *\{\{(\w+)\}\}", re.MULTILINE)


def macros(folder: str = "") -> list[str]:
    """The statements of each file in `folder`; macros for people replace those of the same name."""
    return [_whole(path) for path in sorted((shipped("sql") / "macros" / folder).glob("*.sql"))]


def macros_for_people(resources: Iterable[Resource] = SYNCED) -> list[str]:
    """The macros of the published file: for each resource, and for all."""
    of_each = [filled(sql, resource_fragments(one)) for one in resources for sql in macros("each_resource")]
    return [*of_each, *macros()]


def filled(sql: str, fragments: Mapping[str, str]) -> str:
    """A template under `sql/` with its `{{fragments}}` in place."""
    return _FRAGMENT.sub(lambda found: fragments[found[1]], sql)


def _whole(path: Path) -> str:
    """A long macro has parts: files in a folder with the macro's name, each in place of its own `{{name}}`."""
    written, parts = path.read_text(encoding="utf-8"), path.with_suffix("")
    if not parts.is_dir():
        return written
    return _PART.sub(lambda found: (parts / f"{found[1]}.sql").read_text(encoding="utf-8").rstrip(), written)
