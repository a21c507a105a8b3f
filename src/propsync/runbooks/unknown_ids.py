"""Ids of a backfill that no record has or had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from propsync.settings import Settings
from propsync.warehouse import open_published, statement

_MOST_NAMED = 5


def unknown_ids(settings: Settings, given: Mapping[str, Sequence[str]]) -> str | None:
    """A note about ids, by kind, that none of the published records has or had; None if each has one."""
    pairs = dict.fromkeys((kind, one.strip()) for kind, ids in given.items() for one in ids)
    values = {"kinds": [kind for kind, _ in pairs], "ids": [one for _, one in pairs]}
    with open_published(settings.published / "warehouse.duckdb") as reader:
        _, found = reader.rows(statement("runbooks/unknown_ids"), values)
    if not found:
        return None
    shown = [f"{kind.replace('_', ' ')} {one}" for kind, one in found[:_MOST_NAMED]]
    more = [f"{len(found) - _MOST_NAMED:,} more"] if len(found) > _MOST_NAMED else []
    return f"propsync knows no {', '.join([*shown, *more])}; check that you gave ids, spelt as in the API"
