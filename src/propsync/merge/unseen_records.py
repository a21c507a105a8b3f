"""The known records that a run did not see, and the ones of them that it may delete (docs/completeness.md)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from propsync.resources import Resource
from propsync.sweep import Filters, Key, StagedKeys
from propsync.warehouse import PARTS, Warehouse, key_parts, quoted, statement

FEW = 20
"""A run may always delete up to this many, even if they are all records of a property or type."""

SAMPLE = 100
_ROLES = ("property", "type", "status")
_PERFORMED = "performed"
_ONLY = """case
    when performed_for and not performed_by then 'For'
    when performed_by and not performed_for then 'By'
  end"""
"""The one list of `performed` that showed an assessment, NULL if both did."""


@dataclass(frozen=True)
class Known:
    """A known record: its key, property, type, last known status, and the one list of `performed` that showed it."""

    key: Key
    property_id: str | None
    type_id: str | None
    status: str | None
    performed: str | None


class UnseenRecords:
    """The known records of one resource that `listed` does not show, within a backfill's filters."""

    def __init__(
        self,
        warehouse: Warehouse,
        resource: Resource,
        listed: StagedKeys,
        statuses: Sequence[str],
        filters: Filters = (),
    ) -> None:
        self._warehouse = warehouse
        self._resource = resource
        self._present = warehouse.present(resource.name)
        self._listed = listed
        self._asked = {status.casefold() for status in statuses}
        self._filters = filters
        self._unseen = list(map(_known, self._rows(self._unseen_query())))

    def unlisted(self) -> list[Key]:
        """Those that the requested lists should show."""
        return [one.key for one in self._unseen if self._is_asked_for(one)]

    def are_all(self) -> bool:
        """Whether the run saw no known record, although there are some."""
        return len(self._unseen) == self.total() > 0

    def in_turn(self, most: int, turn: int) -> list[Key]:
        """At most that many records that no requested list shows, different ones in each turn."""
        others = [one.key for one in self._unseen if not self._is_asked_for(one)]
        start = turn * most % len(others) if others else 0
        return [*others, *others][start : start + min(most, len(others))]

    def still_known(self, keys: Iterable[Key]) -> list[Key]:
        """Those of `keys` that are neither seen in this run nor gone already."""
        unseen = {one.key for one in self._unseen}
        return [key for key in keys if key in unseen]

    def total(self) -> int:
        """All records of the resource that are not gone."""
        return int(self._warehouse.value(statement("warehouse/count_rows", table=f"{self._present} as present")))

    def on_both_lists(self) -> int:
        """How many known assessments both lists of `performed` showed."""
        both = f"{self._present} as present where performed_for and performed_by"
        return int(self._warehouse.value(statement("warehouse/count_rows", table=both)))

    def new_on_list(self, performed: str) -> int:
        """How many of the records seen in this run are known from the other list of `performed` alone."""
        others = f"{self._present} as present where {_ONLY} <> '{performed}'"
        known = int(self._warehouse.value(statement("warehouse/count_rows", table=others)))
        return known - sum(one.performed not in (None, performed) for one in self._unseen)

    def groups(self) -> Counter[tuple[str, str]]:
        """How many records each value has that a run may not empty.

        A value is a property, an asset type, a status, or the one list of `performed` that shows the records.
        """
        found: Counter[tuple[str, str]] = Counter()
        for kind, expression in self._kinds():
            query = statement("merge/count_groups", value=expression, present=self._present)
            for value, count in self._warehouse.rows(query):
                found[kind, value] = count
        return found

    def groups_of(self, keys: Collection[Key]) -> dict[Key, list[tuple[str, str]]]:
        """The values of `groups` that each of these records has."""
        found = {}
        for one in self._unseen:
            if one.key in keys:
                values = {"property": one.property_id, "type": one.type_id, "status": one.status}
                groups_of_record = [(self._resource.column(role), values[role]) for role in self._resource.held_by]
                groups_of_record.append((_PERFORMED, one.performed))
                found[one.key] = [(kind, value) for kind, value in groups_of_record if kind and value is not None]
        return found

    def _kinds(self) -> Iterator[tuple[str, str]]:
        """Each kind of value, and its SQL."""
        for column in filter(None, map(self._resource.column, self._resource.held_by)):
            yield column, quoted(column)
        if self._resource.performed:
            yield _PERFORMED, _ONLY

    def _is_asked_for(self, one: Known) -> bool:
        if not self._resource.has_statuses:
            return True
        return one.status is not None and one.status.casefold() in self._asked

    def _unseen_query(self) -> str:
        first, second = key_parts(self._resource)
        return statement(
            "merge/unseen_records",
            present=self._present,
            listed=self._listed.table,
            first=first,
            second=second,
            key_columns=", ".join(map(quoted, self._resource.key_columns)),
            listed_key=", ".join(PARTS[: len(self._resource.key_columns)]),
            scope=self._scope(),
            performed=_ONLY if self._resource.performed else "null",
            **{role: self._column_of(role) for role in _ROLES},
        )

    def _scope(self) -> str:
        return "".join(
            f" and list_contains($filter_{place}, {self._column(name)})"
            for place, (name, values) in enumerate(self._filters)
            if values
        )

    def _column(self, parameter: str) -> str:
        if parameter == self._resource.id_filter:
            return quoted(self._resource.key_columns[0])
        return self._column_of(parameter)

    def _column_of(self, role: str) -> str:
        column = self._resource.column(role)
        return "null" if column is None else quoted(column)

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        values = {f"filter_{place}": list(values) for place, (_, values) in enumerate(self._filters) if values}
        return self._warehouse.rows(query, values if "$filter_" in query else None)


def _known(row: tuple[Any, ...]) -> Known:
    first, second, *facts = row
    return Known((first, second) if second else (first,), *facts)


def some_known(warehouse: Warehouse, resource: Resource, most: int) -> list[Key]:
    """At most that many keys of records that are not gone."""
    key_columns, present = ", ".join(map(quoted, resource.key_columns)), warehouse.present(resource.name)
    query = statement("merge/some_known", key_columns=key_columns, present=present)
    return [tuple(key) for key in warehouse.rows(query, {"most": most})]


def is_too_many(count: int, total: int, limit: float) -> bool:
    """Whether a run would delete more than `limit` of a resource and more than a few."""
    return count > FEW and count > limit * total


def sample(keys: Sequence[Key], run_id: str) -> list[Key]:
    """A hundred at random, the same for the same run."""
    dice = random.Random(run_id)  # noqa: S311 - keeps nothing secret
    return sorted(dice.sample(list(keys), min(SAMPLE, len(keys))))


def to_hold(gone: Collection[Key], missing: UnseenRecords, limit: float, earlier: int = 0) -> dict[Key, str]:
    """The gone records that need somebody's approval before their delete, each with the reason.

    `earlier` are deletes of earlier runs, which count towards the limit too.
    """
    total = missing.total()
    if gone and len(gone) >= total:
        return dict.fromkeys(gone, "this would delete every record of the resource")
    if gone and is_too_many(earlier + len(gone), earlier + total, limit):
        count = f"{len(gone)} of {total}" + (f", after {earlier} since the last night" if earlier else "")
        return dict.fromkeys(gone, f"this would delete {count}, more than PROPSYNC_DELETE_LIMIT allows")
    return _whole_groups(gone, missing)


def _whole_groups(gone: Collection[Key], missing: UnseenRecords) -> dict[Key, str]:
    of_key = missing.groups_of(gone)
    going = Counter(group for groups in of_key.values() for group in groups)
    had = missing.groups()
    whole = {group for group, count in going.items() if count > FEW and count >= had[group]}
    held = {}
    for key, groups in of_key.items():
        for kind, value in groups:
            if (kind, value) in whole:
                held[key] = f"this would delete all {had[kind, value]} records of {kind} {value}"
    return held
