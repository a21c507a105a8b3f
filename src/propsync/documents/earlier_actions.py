"""The actions of earlier bundles: what was open in them says when an action was closed."""

from __future__ import annotations

from collections.abc import Collection

from propsync.warehouse import Warehouse, comment_on_column, quoted, statement

EARLIER = "history.bundle_actions"
_LATEST = "main.bundle_actions"


class EarlierActions:
    """Moves rows of `main.bundle_actions` to `history.bundle_actions`, inside the caller's transaction."""

    def __init__(self, warehouse: Warehouse, run_id: str) -> None:
        self._warehouse = warehouse
        self._run_id = run_id

    def forget(self, versions: Collection[tuple[str, str]]) -> None:
        """Deletes the rows of versions, by assessment and hash, that are read again."""
        read = {"assessment_ids": [key for key, _ in versions], "hashes": [sha256 for _, sha256 in versions]}
        if versions:
            self._warehouse.execute(statement("documents/forget_earlier"), read)

    def keep(self, assessments: Collection[str]) -> None:
        """Copies the rows of bundles that are not the latest of these assessments."""
        if assessments:
            self._widen()
            self._warehouse.execute(statement("documents/keep_earlier"), {"assessment_ids": list(assessments)})

    def remove(self, assessments: Collection[str]) -> None:
        """Deletes these rows from the table of the latest bundles."""
        if assessments:
            self._warehouse.execute(statement("documents/remove_earlier"), {"assessment_ids": list(assessments)})

    def _widen(self) -> None:
        """Makes the columns that a CSV has brought to the table of the latest bundles."""
        known = {name for name, _ in self._columns(EARLIER)}
        for name, comment in self._columns(_LATEST):
            if name not in known:
                self._make(name, comment)

    def _make(self, name: str, comment: str) -> None:
        schema, _, table = EARLIER.partition(".")
        self._warehouse.execute(statement("warehouse/add_column", table=EARLIER, column=quoted(name), type="VARCHAR"))
        self._warehouse.execute(comment_on_column(EARLIER, name, comment))
        source = comment.removesuffix(", as in the CSV")
        self._warehouse.add("ops.columns", [(schema, table, name, source, "VARCHAR", self._run_id, self._run_id)])
        moved = statement("documents/move_further", table=EARLIER, column=quoted(name))
        self._warehouse.execute(moved, {"name": name})

    def _columns(self, table: str) -> list[tuple[str, str]]:
        schema, _, name = table.partition(".")
        of_table = {"schema": schema, "table": name}
        return [
            (column, comment or column)
            for column, comment in self._warehouse.rows(statement("documents/commented_columns"), of_table)
        ]
