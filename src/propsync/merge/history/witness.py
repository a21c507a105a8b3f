"""An older database's history: propsync compares a rebuild with it before it replaces anything."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from propsync.resources import Catalogue, Resource
from propsync.warehouse import Models, OldFile, Warehouse, resource_fragments, stage_rows, statement


class Witness:
    """Keys, times and hashes of every version in one database file, as far as DuckDB can read it."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files

    @classmethod
    def of(cls, path: Path, catalogue: Catalogue, *, name: str, memory_limit: str, folder: Path) -> Witness:
        """Reads a database of any schema version. Raises StateUnusable if DuckDB cannot read it."""
        queries = {f"{name}.{one.name}": _versions(one) for one in catalogue}
        with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
            found = old.write(queries)
        return cls({place.partition(".")[2]: file for place, file in found.items()})

    @property
    def knows_anything(self) -> bool:
        """Whether the database has a history of any resource."""
        return bool(self._files)

    def lost(self, warehouse: Warehouse, name: str) -> dict[str, int]:
        """Versions of a resource that `warehouse` lacks, counted by the run that opened them."""
        if name not in self._files:
            return {}
        stage_rows(warehouse, "witnessed", self._files[name])
        warehouse.execute(
            statement("merge/history/make_rebuilt", query=_versions(warehouse.catalogue[name], warehouse.history(name)))
        )
        Models(warehouse, {}).stage("staging/lost_versions")
        return dict(warehouse.rows(statement("merge/history/lost_versions")))

    def vanished(self, warehouse: Warehouse, name: str) -> list[tuple[str, str, datetime, str, str]]:
        """Key, time, change and run of each version of a resource that `warehouse` does not begin at that time."""
        if name not in self._files:
            return []
        stage_rows(warehouse, "witnessed", self._files[name])
        warehouse.execute(statement("merge/history/make_rebuilt", query=_versions(warehouse.catalogue[name])))
        return [tuple(row) for row in warehouse.rows(statement("merge/erased/vanished"))]


def _versions(resource: Resource, history: str | None = None) -> str:
    """`history` is the relation to read, the table if there is none."""
    given = {"history": history} if history else {}
    return statement("merge/history/versions", **resource_fragments(resource) | given)
