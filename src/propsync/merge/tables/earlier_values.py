"""How long each field of an asset had the same value: intervals that ended, and when the present ones began."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from propsync.merge.freshness import mark_tables
from propsync.merge.tables.latest_versions import stage_chosen_versions, stage_readable_versions
from propsync.resources import ASSETS
from propsync.shapes import Shape
from propsync.shapes.results.shape import value_paths
from propsync.warehouse import Models, Warehouse, quoted, statement

VALUE_TABLES = ("asset_field_values_earlier", "asset_field_value_starts")
"""The tables of intervals that ended, and of values that are younger than their asset, in the schema history."""
_STAGED = "earlier_values"
_RESULT = re.compile(r"fields\[([^\]]*)\](.*)")
_IN_ARRAY = re.compile(r"\[[^\[\]]*\]")


class EarlierValues:
    """The values of versions that closed since the last build, typed by the models of the current tables.

    Building them twice gives the same intervals as building them once.
    """

    def __init__(self, warehouse: Warehouse, run_id: str) -> None:
        self._warehouse = warehouse
        self._run_id = run_id
        self._count = 0

    def stage(self, models: Models, record_fragments: dict[str, str]) -> None:
        """Makes `staging.earlier_values`. It uses the staging tables of the current tables' models, so call it before
        those are made, and before the current assets are renewed.
        """
        self._count = models.stage("staging/touched_assets")
        models.stage("staging/value_versions")
        if not self._count:
            return
        history = f"{quoted(self._warehouse.database)}.history.{quoted(ASSETS.name)}"
        query = statement("merge/tables/versions_as_assets", history=history)
        stage_chosen_versions(self._warehouse, query, history, self._count)
        stage_readable_versions(self._warehouse, ASSETS)
        models.with_fragments(**record_fragments).stage("main/assets.open", "placed_versions")
        models = models.with_fragments(placed="staging.placed_versions")
        models.stage_for("main/asset_field_values.open")
        models.stage("main/asset_field_values.open", _STAGED)

    @property
    def staged(self) -> str | None:
        """The table that `stage` made, None if it made none."""
        return f"staging.{_STAGED}" if self._count else None

    def stage_intervals(self, models: Models, shape: Shape) -> None:
        """Makes `staging.value_intervals`, once the current tables are renewed."""
        if self._count:
            found = list(_volatile(shape))
            places = {"volatile_kinds": [kind for kind, _ in found], "volatile_places": [place for _, place in found]}
            models.with_values(**places).stage("staging/value_intervals")

    def renew(self, built_through: datetime) -> None:
        """Puts the intervals in their place, inside the caller's transaction."""
        if not self._count:
            return
        since = {"built_through": built_through}
        self._warehouse.execute(statement("merge/tables/values/forget_closed"), since)
        self._warehouse.execute(statement("merge/tables/values/add_closed"))
        self._warehouse.execute(statement("merge/tables/values/forget_starts"))
        self._warehouse.execute(statement("merge/tables/values/add_starts"))
        mark_tables(self._warehouse, self._run_id, "history", VALUE_TABLES)


def _volatile(shape: Shape) -> Iterator[tuple[str, str]]:
    """The places inside field values that propsync never compares: the kind of the value, and the path from it."""
    paths = value_paths(shape)
    for leaf in sorted(shape.volatile or ()):
        if found := _RESULT.fullmatch(leaf):
            places = [".".join(path) for path in paths.get(found[1], (("value",),))]
            value = next((one for one in places if re.match(rf"\.{re.escape(one)}(?=[.\[]|$)", found[2])), places[0])
            yield found[1], _IN_ARRAY.sub("[]", found[2].removeprefix(f".{value}") if value else found[2])
