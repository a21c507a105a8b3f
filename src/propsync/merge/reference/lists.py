"""People's own lists of names and addresses, from their files to tables; a mistake in one leaves the last good list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from propsync.merge.freshness import mark_tables
from propsync.merge.reference.headings import other_headings
from propsync.merge.reference.list_file import MANAGED, Mistake, ReferenceList, read_list
from propsync.merge.reference.list_table import (
    NAMES,
    add_list_columns,
    is_of_api,
    key_of,
    list_columns,
    list_schema,
    list_target,
    remove_unnamed,
)
from propsync.merge.reference.managed_days import PROPERTIES, check_managed
from propsync.merge.reference.requirements import REQUIREMENTS, TYPE, Known, check_requirements, unused_columns
from propsync.merge.reference.staged_lists import StagedLists
from propsync.warehouse import TABLES, Models, Warehouse, comment_on_column, comment_on_table, quoted, statement, texts

_TYPED = dict.fromkeys(("homes", "height_m", "built_year"), "number") | dict.fromkeys(MANAGED, "day")
"""Columns of a list of properties that marts.properties has with their types."""
_API_IDS = {"properties": "merge/reference/ids_of_properties", "users": "merge/reference/ids_of_users"}


def build_reference(warehouse: Warehouse, run_id: str, files: Mapping[str, Path]) -> list[str]:
    """Makes `main.properties`, `main.users`, …: a VARCHAR column for each column of the list.

    A list with a mistake stays as it was; `ops.reference_issues` has the fault. `finish_reference` builds the list of
    requirements. A list that `files` lacks goes. Returns a line for each such list.
    """
    warehouse.execute(statement("merge/reference/forget_issues"))
    removed = remove_unnamed(warehouse, run_id, files)
    for table, path in files.items():
        if table != REQUIREMENTS:
            found = read_list(table, path, key_of(warehouse, table))
            found.mistakes += _not_of_the_api(warehouse, table, found, files)
            found.mistakes += _unread_days(warehouse, table, found)
            found.notes += [] if is_of_api(warehouse, table) else other_headings(table, found)
            _settle(warehouse, run_id, table, path, found)
            add_list_columns(warehouse, run_id, table)
    return removed


def finish_reference(warehouse: Warehouse, run_id: str, files: Mapping[str, Path]) -> None:
    """Makes `main.requirements`, and notes ids that only a list or only the API has.

    Call it after building the API's tables: rows of requirements name its types and properties.
    """
    if not files:
        return
    lists = StagedLists(warehouse, Models(warehouse, {}), files)
    lists.stage_api_properties()
    if path := files.get(REQUIREMENTS):
        found = read_list(REQUIREMENTS, path, column=TYPE)
        found.mistakes += check_requirements(found, _known(warehouse, files))
        found.notes += unused_columns(found)
        _settle(warehouse, run_id, REQUIREMENTS, path, found)
    _note_orphans(warehouse, run_id, files)
    _note_gaps(warehouse, run_id, files, lists)


def _note_gaps(warehouse: Warehouse, run_id: str, files: Mapping[str, Path], lists: StagedLists) -> None:
    """Notes cells that are no numbers, and requirements that fit no property, or an unknown number of them."""
    notes = {"properties": ("listed_misfits",), REQUIREMENTS: ("requirement_notes", "requirement_orphans")}
    if not notes.keys() & files.keys():
        return
    models = Models(warehouse, {"run_id": run_id})
    lists.stage_properties()
    is_stated = lists.stage_requirements()
    for table in sorted(notes.keys() & files.keys() - (set() if is_stated else {REQUIREMENTS})):
        for note in notes[table]:
            models.with_values(file=str(files[table])).open(f"staging/reference/{note}", "ops.reference_issues")


def _known(warehouse: Warehouse, files: Mapping[str, Path]) -> Known:
    types = warehouse.rows(statement("merge/reference/ids_of_types"))
    ids = statement("merge/reference/ids_of_properties_ever")
    properties = {name for (name,) in warehouse.rows(ids)}
    for table in ("properties", REQUIREMENTS):
        properties |= _listed_properties(warehouse, table) if table in files else set()
    columns = list_columns(warehouse, "properties") if "properties" in files else []
    return Known({name for (name,) in types}, properties, columns)


def _listed_properties(warehouse: Warehouse, table: str) -> set[str]:
    """Those of people's list; a property that the last good list of requirements named is no typing error."""
    column = key_of(warehouse, table) or "property_id"
    if column not in list_columns(warehouse, table):
        return set()
    listed = statement("merge/reference/listed_ids", key=quoted(column), table=list_target(warehouse, table))
    return {name for (name,) in warehouse.rows(listed)}


def _settle(warehouse: Warehouse, run_id: str, table: str, path: Path, found: ReferenceList) -> None:
    if found.mistakes:
        _note(warehouse, run_id, table, path, found.mistakes, are_mistakes=True)
        _keep(warehouse, run_id, table, path)
    else:
        _note(warehouse, run_id, table, path, found.notes, are_mistakes=False)
        _replace(warehouse, run_id, table, found, path)


def _note_orphans(warehouse: Warehouse, run_id: str, files: Mapping[str, Path]) -> None:
    warehouse.execute(statement("merge/reference/make_listed_ids"))
    warehouse.execute(statement("merge/reference/make_api_ids"))
    for one in warehouse.catalogue.further:
        ids = statement("merge/reference/add_api_ids", key=quoted(one.key_columns[0]), table=quoted(one.name))
        warehouse.execute(ids, {"list": one.name})
    for table, path in files.items():
        if (key := key_of(warehouse, table)) and _exists(warehouse, table):
            target = list_target(warehouse, table)
            ids = statement("merge/reference/add_listed_ids", key=quoted(key), table=target)
            warehouse.execute(ids, {"list": table, "file": str(path)})
    Models(warehouse, {"run_id": run_id}).open("staging/reference_orphans", "ops.reference_issues")
    warehouse.execute(statement("merge/reference/drop_listed_ids"))
    warehouse.execute(statement("merge/reference/drop_api_ids"))


def lists_left_behind(warehouse: Warehouse, run_id: str) -> list[str]:
    """A line for each list with a mistake: file, line, reason."""
    rows = warehouse.rows(statement("merge/reference/mistakes"), {"run_id": run_id})
    counts = Counter(name for name, *_ in rows)
    first = {name: (file, line, issue) for name, file, line, issue in reversed(rows)}
    return [_mistake_line(warehouse, name, *first[name], more=count - 1) for name, count in sorted(counts.items())]


def described(path: str | Path, line: int | None, issue: str) -> str:
    """The place in a file, and the fault."""
    return f"{path}{f' line {line}' if line is not None else ''}: {issue}"


def _mistake_line(warehouse: Warehouse, name: str, file: str, line: int | None, issue: str, *, more: int) -> str:
    state = "stays as it was" if _exists(warehouse, name) else "does not exist yet"
    rest = f", and {more} more in ops.reference_issues" if more else ""
    return f"the list {name} {state}: {described(file, line, issue)}{rest}. Correct the list; the next sync reads it"


def _not_of_the_api(warehouse: Warehouse, table: str, found: ReferenceList, files: Mapping[str, Path]) -> list[Mistake]:
    """Keys that Excel seems to have changed, except those that the API has exactly so."""
    if not found.suspects:
        return []
    StagedLists(warehouse, Models(warehouse, {}), files).stage_api_properties()
    real = {name for query in _api_ids(warehouse, table) for (name,) in warehouse.rows(query)}
    return [one for one in found.suspects if one.key not in real]


def _unread_days(warehouse: Warehouse, table: str, found: ReferenceList) -> list[Mistake]:
    key = key_of(warehouse, table)
    return check_managed(found, key) if table == PROPERTIES and key else []


def _api_ids(warehouse: Warehouse, table: str) -> Iterator[str]:
    """Queries that give the ids of the API for people's list; a further list of the API has its own."""
    if table in _API_IDS:
        yield statement(_API_IDS[table])
    if is_of_api(warehouse, table):
        key = quoted(warehouse.catalogue[table].key_columns[0])
        yield statement("merge/reference/ids_of_further", key=key, table=quoted(table))


def _note(
    warehouse: Warehouse, run_id: str, table: str, path: Path, issues: list[Mistake], *, are_mistakes: bool
) -> None:
    rows = [(table, str(path), one.line, one.key, one.issue, are_mistakes, run_id) for one in issues]
    warehouse.add("ops.reference_issues", rows)


def _keep(warehouse: Warehouse, run_id: str, table: str, path: Path) -> None:
    """Marks and describes a list that was carried over into a new database, as it was."""
    named = {"schema": list_schema(warehouse, table), "table": table}
    if _exists(warehouse, table) and not warehouse.value(statement("merge/reference/is_described"), named):
        with warehouse.transaction():
            _describe(warehouse, run_id, table, path)


def _replace(warehouse: Warehouse, run_id: str, table: str, found: ReferenceList, path: Path) -> None:
    target = list_target(warehouse, table)
    columns = ", ".join(f"{quoted(name)} varchar" for name in found.columns)
    warehouse.execute(statement("merge/reference/make_reference", columns=columns))
    values = zip(*found.rows, strict=True)
    warehouse.append("staging.reference", **dict(zip(found.columns, map(texts, values), strict=True)))
    if _exists(warehouse, table) and _is_same(warehouse, target):
        _keep(warehouse, run_id, table, path)
    else:
        with warehouse.transaction():
            if table == "users":
                _note_passed_on(warehouse, run_id, found.columns)
            warehouse.execute(statement("merge/reference/replace_list", table=target))
            _describe(warehouse, run_id, table, path)
    warehouse.execute(statement("merge/reference/drop_reference"))


def _note_passed_on(warehouse: Warehouse, run_id: str, now: Collection[str]) -> None:
    """Notes names that other users had in the list before."""
    key, before = key_of(warehouse, "users"), list_columns(warehouse, "users")
    name = next((one for one in NAMES if one in now), None)
    if key in before and name in before:
        columns = {"key": quoted(key), "name": quoted(name), "table": list_target(warehouse, "users")}
        warehouse.execute(statement("merge/reference/note_passed_on", **columns), {"run_id": run_id})


def _describe(warehouse: Warehouse, run_id: str, table: str, path: Path) -> None:
    target = list_target(warehouse, table)
    warehouse.execute(comment_on_table(target, f"From {path.name}, your own list"))
    for column in _columns(warehouse, target):
        typed = _TYPED.get(column) if table == PROPERTIES else None
        place = f"; marts.properties has the {typed}" if typed else ""
        warehouse.execute(comment_on_column(target, column, f"Column of {path.name}, as text{place}"))
    mark_tables(warehouse, run_id, list_schema(warehouse, table), [table])


def _exists(warehouse: Warehouse, table: str) -> bool:
    """Whether such a list exists; propsync's own tables are none."""
    named = {"schema": list_schema(warehouse, table), "table": table}
    return f"main.{table}" not in TABLES and bool(warehouse.value(statement("merge/reference/is_there"), named))


def _is_same(warehouse: Warehouse, target: str) -> bool:
    """Whether `staging.reference` has the same columns and rows."""
    if _columns(warehouse, target) != _columns(warehouse, "staging.reference"):
        return False
    return not warehouse.value(statement("merge/reference/count_differences", table=target))


def _columns(warehouse: Warehouse, table: str) -> list[str]:
    return [name for name, _ in warehouse.rows(statement("warehouse/describe", table=table))]
