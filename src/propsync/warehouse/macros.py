"""The macros under `sql/macros/`: those for people, for one resource or all, and those for staging."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterable
from pathlib import Path

from propsync.resources import ASSETS, BUILT_IN, Resource
from propsync.shipped import shipped
from propsync.warehouse.declared_tables import text
from propsync.warehouse.resource_sql import resource_fragments
from propsync.warehouse.templates import filled, without_comments

_PART = re.compile(r"^ *\{\{(\w+)\}\}", re.MULTILINE)


def macros(folder: str = "") -> list[str]:
    """The statements of each file in `folder`; macros for people replace those of the same name."""
    return [_written(path) for path in _files(folder)]


def macros_for_people(resources: Iterable[Resource] = BUILT_IN.families) -> list[str]:
    """The macros of the published file: for each resource, and for all."""
    chosen = tuple(resources)
    of_each = [filled(sql, _as_of(one)) for one in chosen for sql in macros("each_resource")]
    return [*of_each, *(_whole(path, chosen) for path in _files(""))]


def meanings_of(macro: str) -> dict[str, str]:
    """The meanings of a macro's columns, from a file beside it; none if its columns mean what those of tables mean."""
    path = shipped("sql") / "macros" / f"{macro}.toml"
    stated: dict[str, str] = tomllib.loads(_written(path))["columns"] if path.is_file() else {}
    return stated


def _as_of(resource: Resource) -> dict[str, str]:
    """The names of a resource, and the moment that its macro takes for `ts`."""
    return resource_fragments(resource) | {"asked": _asked(resource, f"{resource.name}_as_of")}


def _asked(resource: Resource, macro: str) -> str:
    """The moment that a macro about a resource takes for `ts`, which it refuses before the first run."""
    names = resource_fragments(resource) | {"macro": macro, "moment": moment("given")}
    asked = _written(shipped("sql") / "macros" / "each_resource" / "as_of" / "asked.sql")
    return filled(asked, names).rstrip()


def moment(given: str) -> str:
    """The moment that people mean by `given`: a day, a time with a zone or one without, or any of them as text."""
    written = _written(shipped("sql") / "macros" / "moments" / "moment.sql")
    return filled(without_comments(written), {"given": given}).strip()


def _whole(path: Path, resources: Iterable[Resource]) -> str:
    """A long macro has parts: files in a folder with the macro's name, each in place of its own `{{name}}`.

    A file under `each_resource` there is a select for one resource; their union replaces its `{{name}}`.
    """
    written, parts = _written(path), path.with_suffix("")
    if not parts.is_dir():
        return filled(written, {"asked": _asked(ASSETS, path.stem)})
    unions = {one.stem: _union(_written(one), resources) for one in (parts / "each_resource").glob("*.sql")}
    joined = _PART.sub(lambda found: _written(parts / f"{found[1]}.sql").rstrip(), written)
    moments = {"moment_a": moment("given_a"), "moment_b": moment("given_b")}
    return filled(joined, unions | moments | {"of_two_parts": _of_two_parts(resources)})


def _union(select: str, resources: Iterable[Resource]) -> str:
    of_each = (filled(select, resource_fragments(one)).strip() for one in resources)
    return textwrap.indent("\nunion all\n".join(of_each), "  ").strip()


def _of_two_parts(resources: Iterable[Resource]) -> str:
    """The resources whose keys have two parts, as literals."""
    return ", ".join(text(one.name) for one in resources if len(one.key_columns) > 1)


def _files(folder: str) -> list[Path]:
    return sorted((shipped("sql") / "macros" / folder).glob("*.sql"))


def _written(path: Path) -> str:
    return path.read_text(encoding="utf-8")
