"""Tables of a bundle that propsync reads from no CSV of it: without a word, they would look as if it had no rows."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from propsync.documents.csv_members import TABLES, is_csv, tables_of, unknown_beside
from propsync.documents.zips.bundle import Bundle
from propsync.warehouse import Warehouse, statement

_log = logging.getLogger("propsync.archive")
NOT_READ = "propsync did not read the CSV"
NONE = "propsync found no such CSV in the bundle"
_ACTIONS = "actions"
_MOST_NAMES = 20
_NEWEST = 50  # bundles: a service may change the names of its CSVs one day


def unread_tables(bundle: Bundle) -> Mapping[str, tuple[str, str]]:
    """Each such table with its issue, and the reason or the names of other CSVs in the bundle.

    A bundle with one of the three CSVs may leave out another that would be empty. But a CSV with an unknown name beside
    one of them may have the actions.
    """
    if bundle.refused is not None:
        return dict.fromkeys(TABLES, (NOT_READ, bundle.refused))
    tables = tables_of(member.name for member in bundle.members)
    csvs = [one.name for one in bundle.members if is_csv(one.name)]
    if not tables:
        return dict.fromkeys(TABLES, (NONE, _listed(csvs)))
    named = [(tables[one.name], one) for one in bundle.members if one.name in tables]
    read = {table for table, one in named if one.sha256}
    refused = {table: (NOT_READ, f"{one.name}: {one.refused}") for table, one in named if one.refused}
    beside = unknown_beside(csvs, tables) if _ACTIONS not in tables.values() else []
    lacking = {_ACTIONS: (NONE, _listed(beside))} if beside else {}
    return lacking | {table: why for table, why in refused.items() if table not in read}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES])


def faults_in_words(faults: Mapping[str, str]) -> list[str]:
    """A line if the disk did not give all bytes of stored documents; `faults` are the reasons by path."""
    if not faults:
        return []
    count = "1 stored document" if len(faults) == 1 else f"{len(faults):,} stored documents"
    path, why = min(faults.items())
    such = f"{path}: {why}" if len(faults) == 1 else f"such as {path}: {why}"
    return [f"the tables lack the contents of {count} ({such}). Run `propsync archive verify`"]


def unread_in_words(warehouse: Warehouse) -> list[str]:
    """A line if propsync reads a table from none of the newest bundles; only a warning if none of them has any CSV."""
    values = {"newest": _NEWEST, "issues": [NOT_READ, NONE]}
    rows = warehouse.rows(statement("documents/unread_csvs"), values)
    if not rows:
        return []
    names, (_, count, has_csv) = " and ".join(name for name, _, _ in rows), rows[0]
    whose = "the only bundle" if count == 1 else f"the newest {count:,} bundles"
    line = f"propsync reads no rows of {names} from {whose}: ops.value_issues says why"
    if has_csv:
        return [line]
    _log.warning("%s", line)
    return []
