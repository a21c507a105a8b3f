"""Types the versions that a current table no longer shows, once each, by the model that makes the current table."""

from __future__ import annotations

from collections.abc import Mapping

from propsync.merge.freshness import mark_tables
from propsync.merge.tables.latest_versions import stage_chosen_versions, stage_readable_versions
from propsync.resources import Resource
from propsync.warehouse import Models, TypedVersions, Warehouse, quoted, resource_fragments, statement


class EarlierVersions:
    """The typed columns of one resource's earlier versions and tombstones (see `warehouse.typed_versions`)."""

    def __init__(self, warehouse: Warehouse, run_id: str, resource: Resource) -> None:
        self._warehouse = warehouse
        self._run_id = run_id
        self._resource = resource
        self._versions = TypedVersions(resource, warehouse.rows)
        self._count = 0

    def follow_columns(self) -> None:
        """Gives earlier versions the columns of the present ones, before the transaction that fills them."""
        if missing := self._versions.missing():
            with self._warehouse.transaction():
                self._warehouse.execute(";\n".join(missing))
                self._warehouse.execute(";\n".join(self._versions.view().ddl()))

    def stage(self, models: Models, fragments: Mapping[str, str]) -> int:
        """Makes `staging.earlier_records`: the versions that closed since the last build. Returns how many.

        It uses the staging tables of the current table's model, so call it before those are made.
        """
        of_resource = resource_fragments(self._resource)
        self._count = models.with_fragments(**of_resource).stage("staging/earlier_keys")
        if self._count:
            history = f"{quoted(self._warehouse.database)}.history.{quoted(self._resource.name)}"
            query = statement("merge/tables/earlier_versions", history=history, key_columns=of_resource["key_columns"])
            stage_chosen_versions(self._warehouse, query, history, self._count)
            stage_readable_versions(self._warehouse, self._resource)
            own = f"main/{self._resource.name}.open"
            model = own if models.has(own) else "main/records.open"
            models.with_fragments(**of_resource | dict(fragments)).stage(model, "earlier_records")
        return self._count

    def renew(self) -> None:
        """Puts the staged versions in their place, inside the caller's transaction."""
        if not self._count:
            return
        names = {"table": self._versions.target, "key_columns": resource_fragments(self._resource)["key_columns"]}
        columns = "".join(f", {quoted(one.name)} as {quoted(one.kept_as)}" for one in self._versions.kept())
        self._warehouse.execute(statement("merge/tables/forget_earlier", **names))
        self._warehouse.execute(statement("merge/tables/add_earlier", table=names["table"], kept=columns))
        mark_tables(self._warehouse, self._run_id, "history", [f"{self._resource.name}_earlier"])
