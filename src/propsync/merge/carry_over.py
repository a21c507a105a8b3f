"""Carries over the rows that a rebuild cannot find in landing: the journal, permanent names, documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from propsync.merge.carried_columns import make_columns
from propsync.merge.carried_rows import (
    CARRIED,
    CHANGES,
    DOCUMENTS,
    HIDDEN_NAMES,
    ISSUES,
    JOURNAL,
    LISTS,
    NAMES,
    SHAPES,
    OldRows,
)
from propsync.merge.hiding import DOCUMENT_ISSUES, HiddenField, Hiding, mark_of
from propsync.merge.reference.list_table import list_schema
from propsync.merge.tables.by_type import comment_on_types
from propsync.merge.tables.naming import GIVEN_FIELDS, GIVEN_TYPES
from propsync.storage import PARTIAL
from propsync.warehouse import Models, Warehouse, add_rows, quoted, stage_rows, statement, text, write_rows


class Carried:
    """Files of rows from an older database, or from a base; none if there is neither."""

    def __init__(
        self,
        files: Mapping[str, Path],
        *,
        is_older: bool = False,
        kept: Mapping[str, Path] | None = None,
        mark: str = "",
    ) -> None:
        """`is_older` says that another version of propsync wrote them; `kept` are rows about hidden parts.

        `mark` tells the lines of `[privacy] hide` at that time (`mark_of`).
        """
        self._mark = mark
        self._kept = dict(kept or {})
        self._hidden_names = self._kept.pop(HIDDEN_NAMES, None)
        self._files = {name: path for name, path in files.items() if name in CARRIED or name.startswith(LISTS)}
        self._is_older = is_older

    @classmethod
    def from_database(
        cls, path: Path, *, memory_limit: str, folder: Path, state: Path | None = None, lists: Iterable[str] = ()
    ) -> Carried:
        """From a database of any schema version, with people's own `lists`; `state` has the file of hidden rows.

        Raises StateUnusable if DuckDB cannot read it.
        """
        old = OldRows.read(path, memory_limit=memory_limit, folder=folder, state=state, lists=lists)
        return cls(old.files, is_older=old.is_older, kept=old.kept, mark=old.mark)

    def hides_other(self, hiding: Hiding | None) -> bool:
        """Whether the older state hides other types than `hiding`, so that its columns may come from them alone."""
        return hiding is not None and hiding.hides_types and self._is_other(hiding)

    def _is_other(self, hiding: Hiding) -> bool:
        return self._mark != mark_of(hiding.lines)

    def hidden_before(self, warehouse: Warehouse, hiding: Hiding) -> set[HiddenField]:
        """The fields and types that the older state hid by lines of today."""
        lines = {line.text for line in hiding.lines}
        if self._hidden_names is None:
            return set()
        rows = warehouse.rows(statement("merge/hidden/names_before", file=text(str(self._hidden_names))))
        return {(line, field_id, label) for line, field_id, label in rows if line in lines}

    def erase(self, rewrite: Callable[[str, Path], int]) -> None:
        """Rewrites each file without what was erased since the database was current."""
        names = {HIDDEN_NAMES: self._hidden_names} if self._hidden_names else {}
        for files in (self._files, self._kept, names):
            for name, path in files.items():
                rewrite(name, path)

    @property
    def has_names(self) -> bool:
        """Whether it includes the names of tables and columns."""
        return self._files.keys() >= {*NAMES, "ops.columns"}

    def write_into(self, warehouse: Warehouse, hiding: Hiding | None = None) -> None:
        """Gives a new database the journal and the names; the rebuild finds shapes again in landing.

        Rows that tell of anything hidden go into the second file.
        """
        if hiding:
            hiding.note_tables(self._names_of_types(warehouse))
        columns = self._files.get("ops.columns") if hiding and self._is_other(hiding) else None
        hidden = hiding.conditions(columns) if hiding else {}
        late = hiding.named_by_key() if hiding else {}
        for name in JOURNAL:
            if name not in {*late, ISSUES}:
                self._add(warehouse, name, hidden)
        self._add_issues(warehouse, hidden, has_late=bool(late))
        warehouse.execute(statement("merge/make_runs_told"))
        self._stage(warehouse, "names.types", GIVEN_TYPES)
        self._stage(warehouse, "names.fields", GIVEN_FIELDS)
        self._add_hidden_names(warehouse, hidden)
        if self.has_names:
            self._stage(warehouse, "names.layout", "layout")
            make_columns(warehouse)
        for name in self._files:
            if name.startswith(LISTS):
                self._make_list(warehouse, name.removeprefix(LISTS))
        self._add_documents(warehouse, ["main.documents"] if late else DOCUMENTS)

    def write_late(self, warehouse: Warehouse, hiding: Hiding | None) -> None:
        """Adds rows that name records by key, once all of history shows which records are of hidden types.

        propsync reads their documents when they are shown again.
        """
        late = hiding.named_by_key() if hiding else {}
        if hiding is None or not late:
            return
        for table in late:
            self._add(warehouse, table, late)
        unopened = hiding.unopened()
        for table in DOCUMENTS:
            if table in self._files and table != "main.documents":
                add_rows(warehouse, table, self._files[table], f"({unopened[table]}) is not true")
        if ISSUES in self._files:
            of_shown = f"{DOCUMENT_ISSUES} and ({unopened[ISSUES]}) is not true"
            add_rows(warehouse, ISSUES, self._files[ISSUES], of_shown)
        warehouse.execute(statement("merge/hidden/read_documents_later", hidden=unopened["main.documents"]))

    def _add_documents(self, warehouse: Warehouse, tables: Iterable[str]) -> None:
        for table in tables:
            if table in self._files:
                add_rows(warehouse, table, self._files[table])
        if not self.has_names or self._is_older:
            warehouse.execute(statement("merge/read_documents_again"))

    def _add_hidden_names(self, warehouse: Warehouse, hidden: Mapping[str, str]) -> None:
        for name, table in (("names.types", GIVEN_TYPES), ("names.fields", GIVEN_FIELDS)):
            if name in self._kept:
                add_rows(warehouse, f"staging.{table}", self._kept[name])
            for path in filter(None, (one.get(name) for one in (self._files, self._kept))):
                _keep_hidden(warehouse, name, path, hidden)

    def _names_of_types(self, warehouse: Warehouse) -> list[tuple[str, str]]:
        """The types of assets and their tables, as the older database had them."""
        found = (one.get("names.types") for one in (self._files, self._kept))
        queries = (statement("merge/hidden/tables_of_types", file=text(str(path))) for path in found if path)
        return [(type_id, table) for query in queries for type_id, table in warehouse.rows(query)]

    def _add(self, warehouse: Warehouse, name: str, hidden: Mapping[str, str]) -> None:
        is_made_again = name == "ops.columns"  # with the column itself
        for files in (self._files, {} if is_made_again else self._kept):
            if path := files.get(name):
                add_rows(warehouse, name, path, f"({hidden[name]}) is not true" if name in hidden else "true")
                _keep_hidden(warehouse, name, path, hidden)

    def _add_issues(self, warehouse: Warehouse, hidden: Mapping[str, str], *, has_late: bool) -> None:
        """Adds values that do not fit. With `has_late`, those of documents wait for all of history."""
        path, kept = self._files.get(ISSUES), self._kept.get(ISSUES)
        if path and kept:
            path = _both_issues(warehouse, path, kept)
        if path:
            is_here = f"not ({DOCUMENT_ISSUES}) and " if has_late else ""
            is_shown = f"({hidden[ISSUES]}) is not true" if hidden else "true"
            add_rows(warehouse, ISSUES, path, is_here + is_shown)
            _keep_hidden(warehouse, ISSUES, path, hidden)

    def _make_list(self, warehouse: Warehouse, name: str) -> None:
        file = text(str(self._files[f"{LISTS}{name}"]))
        warehouse.execute(
            statement("merge/make_list", table=f"{list_schema(warehouse, name)}.{quoted(name)}", file=file)
        )

    def write_shapes(self, warehouse: Warehouse) -> None:
        """Gives a new database the earlier shapes, for a landing that does not begin at the beginning."""
        if SHAPES in self._files:
            add_rows(warehouse, SHAPES, self._files[SHAPES])

    def settle_changes(self, warehouse: Warehouse, run_id: str, hiding: Hiding | None = None) -> None:
        """Keeps a run's original notes of changes, and discards new notes in its name.

        Adds the differences between the earlier shapes and the present ones. The tables of types name former labels.
        """
        self._stage(warehouse, SHAPES, "shapes_before")
        hidden = hiding.conditions() if hiding else {}
        for path in filter(None, (one.get(CHANGES) for one in (self._files, self._kept))):
            _keep_hidden(warehouse, CHANGES, path, hidden)
        with warehouse.transaction():
            warehouse.execute(statement("merge/forget_changes_told"))
            for path in filter(None, (one.get(CHANGES) for one in (self._files, self._kept))):
                add_rows(warehouse, CHANGES, path, f"({hidden[CHANGES]}) is not true" if hidden else "true")
            again = statement("merge/forget_changes_again", hidden=hidden.get(CHANGES, "false"))
            warehouse.execute(again, {"run_id": run_id})
            if SHAPES in self._files:
                Models(warehouse, {"run_id": run_id}).open("staging/shape_changes", CHANGES)
        comment_on_types(warehouse)

    def _stage(self, warehouse: Warehouse, name: str, table: str) -> None:
        if name in self._files:
            stage_rows(warehouse, table, self._files[name])


def _keep_hidden(warehouse: Warehouse, name: str, path: Path, hidden: Mapping[str, str]) -> None:
    """Keeps the rows that tell of anything hidden, for the day on which it is shown again."""
    if name in hidden and name != "ops.columns":
        given = {"table": f"hidden.{quoted(name)}", "file": text(str(path))}
        warehouse.execute(statement("merge/hidden/make_kept", **given))
        warehouse.execute(statement("merge/hidden/keep_rows", condition=hidden[name], **given))


def _both_issues(warehouse: Warehouse, path: Path, kept: Path) -> Path:
    """A file with the rows of both: propsync may have found a kept one again, and its first run counts."""
    both = kept.with_name(f"both.{ISSUES}.parquet{PARTIAL}")
    files = ", ".join(text(str(one)) for one in (path, kept))
    write_rows(warehouse, statement("merge/hidden/both_issues", files=f"[{files}]"), both)
    return both
