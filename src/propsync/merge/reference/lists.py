"""People's own lists of names and addresses, from their files to tables; a mistake in one leaves the last good list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from propsync.merge.freshness import mark_tables
from propsync.merge.reference.list_file import KEYS, Mistake, ReferenceList, read_list
from propsync.warehouse import TABLES, Models, Warehouse, comment_on_column, quoted, text, texts

_API_IDS = {
    "properties": "select property_id from main.assets union select property_id from main.assessments "
    "union select property_id from main.schedules",
    "users": "select unnest(assigned_users) from main.schedules",
}


def build_reference(warehouse: Warehouse, run_id: str, files: Mapping[str, Path]) -> None:
    """Makes `main.properties`, `main.users`, …: a VARCHAR column for each column of the list.

    A list with a mistake stays as it was; `ops.reference_issues` has the fault.
    """
    warehouse.execute("delete from ops.reference_issues")
    for table, path in files.items():
        found = read_list(table, path)
        found.mistakes += _not_of_the_api(warehouse, table, found)
        if found.mistakes:
            _note(warehouse, run_id, table, path, found.mistakes)
            _keep(warehouse, run_id, table, path)
        else:
            _replace(warehouse, run_id, table, found, path)


def note_orphans(warehouse: Warehouse, run_id: str, files: Mapping[str, Path]) -> None:
    """Notes ids that only a list or only the API has; call it after building the API's tables."""
    warehouse.execute("create or replace table staging.listed_ids (list varchar, file varchar, record_id varchar)")
    for table, path in files.items():
        if table in KEYS and _exists(warehouse, table):
            ids = f"select ?, ?, {quoted(KEYS[table])} from main.{quoted(table)}"
            warehouse.execute(f"insert into staging.listed_ids {ids}", [table, str(path)])
    Models(warehouse, {"run_id": run_id}).open("staging/reference_orphans", "ops.reference_issues")
    warehouse.execute("drop table staging.listed_ids")


def lists_left_behind(warehouse: Warehouse, run_id: str) -> list[str]:
    """A line for each list with a mistake: file, line, reason."""
    query = "select list, file, line, issue from ops.reference_issues where is_mistake and run_id = ? order by all"
    rows = warehouse.rows(query, [run_id])
    counts = Counter(name for name, *_ in rows)
    first = {name: (file, line, issue) for name, file, line, issue in reversed(rows)}
    return [_told(warehouse, name, *first[name], more=count - 1) for name, count in sorted(counts.items())]


def described(path: str | Path, line: int | None, issue: str) -> str:
    """The place in a file, and the fault."""
    return f"{path}{f' line {line}' if line is not None else ''}: {issue}"


def _told(warehouse: Warehouse, name: str, file: str, line: int | None, issue: str, *, more: int) -> str:
    state = "stays as it was" if _exists(warehouse, name) else "is not there yet"
    rest = f", and {more} more in ops.reference_issues" if more else ""
    return f"the list {name} {state}: {described(file, line, issue)}{rest}. Correct the list; the next sync takes it"


def _not_of_the_api(warehouse: Warehouse, table: str, found: ReferenceList) -> list[Mistake]:
    """Keys that Excel seems to have changed, except those that the API has exactly so."""
    if not found.suspects:
        return []
    real = {name for (name,) in warehouse.rows(_API_IDS[table])}
    return [one for one in found.suspects if one.key not in real]


def _note(warehouse: Warehouse, run_id: str, table: str, path: Path, mistakes: list[Mistake]) -> None:
    rows = [(table, str(path), one.line, one.key, one.issue, True, run_id) for one in mistakes]
    warehouse.add("ops.reference_issues", rows)


def _keep(warehouse: Warehouse, run_id: str, table: str, path: Path) -> None:
    """Marks a list carried over into a new database, as it was."""
    marked = "select count(*) from ops.tables where table_schema = 'main' and table_name = ?"
    if _exists(warehouse, table) and not warehouse.value(marked, [table]):
        with warehouse.transaction():
            _describe(warehouse, run_id, table, path)


def _replace(warehouse: Warehouse, run_id: str, table: str, found: ReferenceList, path: Path) -> None:
    target = f"main.{quoted(table)}"
    columns = ", ".join(f"{quoted(name)} varchar" for name in found.columns)
    warehouse.execute(f"create or replace table staging.reference ({columns})")
    values = zip(*found.rows, strict=True)
    warehouse.append("staging.reference", **dict(zip(found.columns, map(texts, values), strict=True)))
    if not (_exists(warehouse, table) and _is_same(warehouse, target, "from staging.reference")):
        with warehouse.transaction():
            warehouse.execute(f"create or replace table {target} as from staging.reference")
            _describe(warehouse, run_id, table, path)
    warehouse.execute("drop table staging.reference")


def _describe(warehouse: Warehouse, run_id: str, table: str, path: Path) -> None:
    target = f"main.{quoted(table)}"
    warehouse.execute(f"comment on table {target} is {text(f'From {path.name}, which people keep themselves')}")
    for (column,) in warehouse.rows(f"select column_name from (describe {target})"):
        warehouse.execute(comment_on_column(target, column, f"Column of {path.name}"))
    mark_tables(warehouse, run_id, "main", [table])


def _exists(warehouse: Warehouse, table: str) -> bool:
    """Whether such a list exists; propsync's own tables are none."""
    query = (
        "select count(*) from duckdb_tables() where database_name = current_database() and schema_name = 'main' "
        "and table_name = ?"
    )
    return f"main.{table}" not in TABLES and bool(warehouse.value(query, [table]))


def _is_same(warehouse: Warehouse, target: str, query: str) -> bool:
    old = warehouse.rows(f"select column_name from (describe {target})")
    new = warehouse.rows(f"select column_name from (describe {query})")
    if old != new:
        return False
    differing = (
        f"select count(*) from ((from {target} except all ({query})) union all (({query}) except all from {target}))"
    )
    return not warehouse.value(differing)
