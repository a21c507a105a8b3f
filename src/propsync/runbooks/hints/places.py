"""Properties that hints name: the records there, before and after a run read them again."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence

from propsync.errors import RequestRefused, ResourceFailed
from propsync.resources import Resource
from propsync.runbooks.resource_sync import ResourceSync
from propsync.runbooks.workspace import Workspace
from propsync.sweep import Key
from propsync.warehouse import quoted, statement

_log = logging.getLogger("propsync.hints")


class Place(ResourceSync):
    """A resource's records at some properties. A property that the API does not know is no failure here. Nor are errors
    in place of its few records: the next night counts them among all.
    """

    fails_of_errors = False
    is_refused = False
    """Whether the API refused the request that names the properties: one of them may be the only cause."""

    def failed(self, error: ResourceFailed) -> str:
        """Notes a failure; returns why, nothing if the API knows no such property or refuses several at once."""
        self.is_refused = error.says_not_found or isinstance(error, RequestRefused)
        is_alone = all(len(values) == 1 for _, values in self._filters)
        if not error.says_not_found and (is_alone or not self.is_refused):
            return super().failed(error)
        _log.info("%s: the API refuses these properties, or knows none of them: %s", self.name, error.what)
        return ""


class Places:
    """Which of some properties have records, and which have new versions of records since this object was made."""

    def __init__(self, workspace: Workspace, resources: Iterable[Resource], properties: Collection[str]) -> None:
        self._workspace = workspace
        self._resources = {one.name: one for one in resources}
        self._properties = list(properties)
        self._before = {name: self._placed(one) for name, one in self._resources.items()}

    def changed(self, run_id: str) -> set[str]:
        """The properties of records that a run added, changed, moved or deleted."""
        found: set[str] = set()
        for name, resource in self._resources.items():
            after = self._placed(resource)
            for key in changed_keys(self._workspace, run_id, resource):
                found.update(place[key] for place in (self._before[name], after) if key in place)
        return found

    def known(self) -> set[str]:
        """The properties that have or had records."""
        placed = [*self._before.values(), *map(self._placed, self._resources.values())]
        return {property_id for one in placed for property_id in one.values()}

    def _placed(self, resource: Resource) -> dict[Key, str]:
        fragments = {
            "property": quoted(_property_column(resource)),
            "present": self._workspace.warehouse.present(resource.name),
        }
        query = statement("hints/placed", key_columns=_key_columns(resource), **fragments)
        rows = self._workspace.warehouse.rows(query, {"properties": self._properties})
        return {tuple(key): property_id for property_id, *key in rows}


def changed_keys(workspace: Workspace, run_id: str, resource: Resource) -> set[Key]:
    """The keys of which a run opened a version."""
    query = statement(
        "hints/changed", key_columns=_key_columns(resource), history=workspace.warehouse.history(resource.name)
    )
    return {tuple(key) for key in workspace.warehouse.rows(query, {"run_id": run_id})}


def _key_columns(resource: Resource) -> str:
    columns: Sequence[str] = resource.key_columns
    return ", ".join(map(quoted, columns))


def _property_column(resource: Resource) -> str:
    """The column with the property; in a list of properties it is the key."""
    return resource.column("property") or resource.key_columns[0]
