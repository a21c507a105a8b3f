"""The latest versions in history, of all records or of those to build again."""

from __future__ import annotations

from collections.abc import Sequence

from propsync.records import SUSPECT, readable
from propsync.resources import Resource
from propsync.warehouse import Warehouse, documents, quoted, statement, texts

DIRTY_PAYLOADS = statement("merge/tables/dirty_payloads")
"""A query for the payloads of the versions that `show_versions` shows."""

_FEW = 20  # times as many records as are read once and kept


def latest_payloads(resource: Resource) -> str:
    """A query for the payloads of all records that are not gone."""
    return statement("merge/tables/latest_payloads", table=quoted(resource.name))


def dirty_versions(warehouse: Warehouse, resource: Resource, dirty: int) -> str:
    """A query for the versions of the `dirty` records in `staging.dirty_records` that are not gone.

    It stays valid as long as that table does.
    """
    keys = ", ".join(map(quoted, resource.key_columns))
    history = f"{quoted(warehouse.database)}.history.{quoted(resource.name)}"
    query = statement("merge/tables/dirty_versions", history=history, key_columns=keys)
    return _chosen_versions(warehouse, query, history, dirty, "few_dirty_versions")


def stage_chosen_versions(warehouse: Warehouse, query: str, history: str, count: int) -> None:
    """Makes `staging.dirty_versions` from a query for about `count` versions of `history`."""
    show_versions(warehouse, _chosen_versions(warehouse, query, history, count, "few_versions"))


def show_versions(warehouse: Warehouse, query: str) -> None:
    """Shows the versions of a query as `staging.dirty_versions`, which models read."""
    warehouse.execute(statement("merge/tables/show_dirty_versions", query=query))


def _chosen_versions(warehouse: Warehouse, query: str, history: str, count: int, kept: str) -> str:
    """A query for the versions of another one.

    If they are few, it reads them once and keeps them: each further read of their payloads would unpack all payloads
    beside them. If they are many, models read them in place.
    """
    if count * _FEW >= warehouse.value(statement("warehouse/count_rows", table=history)):
        return query
    warehouse.execute(statement("merge/tables/keep_few_versions", kept=kept, query=query))
    return statement("merge/tables/few_versions", kept=kept)


def stage_readable_versions(warehouse: Warehouse, resource: Resource) -> None:
    """Makes `staging.readable_versions`: the dirty versions with `readable`, from which SQL reads exact numbers."""
    stage_readable(warehouse, "readable_versions", "staging.dirty_versions", (*resource.key_columns, "valid_from"))


def stage_readable_types(warehouse: Warehouse, types: Resource) -> None:
    """Makes `staging.readable_types`: every version of a list of types, in the same way."""
    history = f"{quoted(warehouse.database)}.history.{quoted(types.name)}"
    stage_readable(warehouse, "readable_types", history, (*types.key_columns, "valid_from"))


def stage_readable(warehouse: Warehouse, view: str, source: str, key: Sequence[str]) -> None:
    """Makes `staging.<view>`, the rows of `source` with `readable`.

    Copies only payloads that DuckDB would write differently (see `records.reading`).
    """
    copies = f"staging.{view}_copies"
    parts = [f"key_{place}" for place, _ in enumerate(key)]
    columns = ", ".join(f"{part} varchar" for part in parts)
    warehouse.execute(statement("merge/tables/make_copies", copies=copies, columns=columns))
    named = ", ".join(f"{quoted(column)}::varchar" for column in key)
    query = statement("merge/tables/suspects", named=named, versions=source)
    for lot in warehouse.batches(query, SUSPECT):
        *keys, payloads = zip(*lot, strict=True)
        shown = {part: texts(list(values)) for part, values in zip(parts, keys, strict=True)}
        warehouse.append(copies, **shown, copy=documents([readable(payload).encode() for payload in payloads]))
    is_same = " and ".join(
        f"copies.{part} = versions.{quoted(column)}::varchar" for part, column in zip(parts, key, strict=True)
    )
    names = {"view": f"staging.{view}", "versions": source, "copies": copies}
    warehouse.execute(statement("merge/tables/show_readable", is_same=is_same, **names))
