"""A further list of the same API, which propsync.toml names under `[resources]`: no document shows its records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from propsync.errors import SettingsError
from propsync.resources.built_in import BUILT_IN
from propsync.resources.catalogue import Catalogue
from propsync.resources.model import Resource, Role

RESERVED = ("base", "erasures", "pages")
"""Folders of landing beside those of the resources: no list has such a name."""
_KEYS = ("id", "uid", "_id", "uuid", "guid")
_LESS_LIKELY = ("key", "code", "number", "ref", "reference")
_MATCHED = {"property_id": "property_ids"}
"""Known values that a key of this column should have, whatever its member is called."""


@dataclass(frozen=True)
class Definition:
    """The entries of one `[resources.NAME]` in propsync.toml.

    `key` is a member of each record; propsync finds it if it is None. `id_filter` is the parameter that filters the
    list by ids; without one, propsync deletes a record of the list only if a person accepts that.
    """

    path: str
    key: str | None = None
    key_column: str | None = None
    is_paged: bool = True
    id_filter: str | None = None


def catalogue_of(definitions: Mapping[str, Definition]) -> Catalogue:
    """The built-in resources and these lists. Raises SettingsError for a path that propsync already reads."""
    _refuse_twice(definitions)
    return BUILT_IN.with_further(further_resources(definitions))


def further_resources(definitions: Mapping[str, Definition]) -> list[Resource]:
    """Each list as a resource. Earlier runs may have read one path under several names, so each keeps its own."""
    return [_resource(name, definition) for name, definition in definitions.items()]


def _refuse_twice(definitions: Mapping[str, Definition]) -> None:
    read = {resource.path: resource.name for resource in BUILT_IN}
    for name, definition in definitions.items():
        if name in BUILT_IN or definition.path in read:
            other = read.get(definition.path, name)
            step = f"Remove [resources.{name}]: every sync reads {other}"
            raise SettingsError(f"[resources.{name}]", f"propsync has {other} already", step)
        read[definition.path] = name


def _resource(name: str, definition: Definition) -> Resource:
    singular = _singular(name)
    column = definition.key_column or f"{singular}_id"
    words = singular.replace("_", "")
    likely = (*_KEYS, f"{words}id", f"{words}uid", words, *_LESS_LIKELY)
    documented = (definition.key,) if definition.key else ()
    key = Role("id", documented, likely, "unique", required=True, matches=_MATCHED.get(column))
    return Resource(
        name,
        definition.path,
        key=("id",),
        key_columns=(column,),
        roles=(key,),
        is_paged=definition.is_paged,
        id_filter=definition.id_filter,
        scope={"property": definition.id_filter} if definition.id_filter and column in _MATCHED else {},
        is_further=True,
    )


def definition_of(resource: Resource) -> Definition:
    """The inverse: what to keep beside a snapshot, so that a rebuild needs no propsync.toml."""
    documented = resource.role("id").documented
    return Definition(
        resource.path,
        documented[0] if documented else None,
        resource.key_columns[0],
        resource.is_paged,
        resource.id_filter,
    )


def _singular(name: str) -> str:
    """The English singular of a plural name, as far as a rule can tell; `key_column` decides otherwise."""
    for ending, singular in ((r"ies$", "y"), (r"(?<=ss)es$|(?<=[sc]h)es$|(?<=x)es$|(?<=[^oa]us)es$", ""), (r"s$", "")):
        if re.search(ending, name):
            return name if name.endswith("ss") else re.sub(ending, singular, name)
    return name
