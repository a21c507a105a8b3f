"""The intervals of erased versions, which stay in history. A rebuild adds them: landing no longer has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from propsync.merge.hiding import KEPT
from propsync.merge.history.witness import Witness
from propsync.resources import Resource
from propsync.suppression import BEGUN, FORGOTTEN, Erasure, SameVersion, Suppression
from propsync.warehouse import OldFile, Warehouse, key_parts, quoted, resource_fragments, statement, text

_LISTS = ("in_force", "forgotten", "known")
_COUNTS = ("versions", "bodies", "rows", "documents", "files")


def keep_erased(warehouse: Warehouse, erasures: Iterable[Erasure], *, hides: bool) -> None:
    """Adds what is left of erasures to a new history, and `ops.erasures`. Doing so twice changes nothing.

    `hides` says that a second file has the records as they came.
    """
    known = list(erasures)
    with warehouse.transaction():
        for one in known:
            _add_versions(warehouse, one)
    for resource in warehouse.catalogue:
        # a later erasure names versions that an earlier one made equal too
        same = {
            (same.key, same.valid_from): same for one in known for same in one.same if same.resource == resource.name
        }
        if same:
            _split(warehouse, resource, same.values(), hides=hides)
    note_erasures(warehouse, known)


def note_erasures(warehouse: Warehouse, erasures: Iterable[Erasure]) -> None:
    """Brings `ops.erasures` up to date."""
    rows = [
        (
            one.erasure_id,
            one.erased_at,
            one.kind,
            one.reason,
            *(one.counts.get(name, 0) for name in _COUNTS),
            one.state == FORGOTTEN,
        )
        for one in erasures
    ]
    with warehouse.transaction():
        warehouse.execute(statement("merge/erased/forget"))
        warehouse.add("ops.erasures", rows)


@dataclass(frozen=True)
class ErasuresOfFile:
    """The erasures of a database file of any version.

    They are the facts of those in force, the ids of those that somebody ended, and all ids.
    """

    in_force: list[tuple[Any, ...]]
    ended: list[tuple[Any, ...]]
    known: frozenset[str]

    @classmethod
    def of(cls, path: Path, *, memory_limit: str, folder: Path) -> ErasuresOfFile:
        """Raises StateUnusable."""
        with OldFile(path, memory_limit=memory_limit, folder=folder) as old:
            in_force, ended, known = (old.rows(statement(f"merge/erased/{one}")) for one in _LISTS)
        return cls(in_force, ended, frozenset(erasure_id for (erasure_id,) in known))

    def lacks(self, erasures: Iterable[Erasure]) -> bool:
        """Whether the database is older than any of the erasures."""
        return not {one.erasure_id for one in erasures} <= self.known


def knows_erasures(warehouse: Warehouse, erasures: Iterable[Erasure]) -> bool:
    """Whether the open state is not older than any finished erasure."""
    wanted = {one.erasure_id for one in erasures if one.state != BEGUN}
    return wanted <= {erasure_id for (erasure_id,) in warehouse.rows(statement("merge/erased/known"))}


def lost_erasures(rows: Iterable[Sequence[Any]], erasures: Iterable[Erasure]) -> list[Erasure]:
    """The erasures in force that lost their files, with the facts that `rows` of `merge/erased/in_force` have."""
    known = {one.erasure_id for one in erasures}
    return [
        Erasure(erasure_id, kind, erased_at, reason)
        for erasure_id, kind, erased_at, reason in rows
        if erasure_id not in known
    ]


def revived_erasures(ids: Iterable[Sequence[Any]], erasures: Iterable[Erasure]) -> list[Erasure]:
    """The erasures that somebody ended, as `ids` of `merge/erased/forgotten` say, and whose files say otherwise."""
    ended = {erasure_id for (erasure_id,) in ids}
    return [one for one in erasures if one.erasure_id in ended and one.state != FORGOTTEN]


def same_versions(witness: Witness, warehouse: Warehouse, suppression: Suppression) -> tuple[list[SameVersion], int]:
    """Versions of the witness that are now equal to the one before, so that the new history lacks them.

    The number counts versions that it lacks for any other reason.
    """
    same: list[SameVersion] = []
    others = 0
    for resource in warehouse.catalogue:
        for first, second, valid_from, change, run_id in witness.vanished(warehouse, resource.name):
            if suppression.erased_key(first, resource.name):
                continue
            if change == "update":
                key = (first, second)[: len(resource.key_columns)]
                same.append(SameVersion(resource.name, key, valid_from, run_id))
            else:
                others += 1
    return same, others


def _add_versions(warehouse: Warehouse, erasure: Erasure) -> None:
    for one in erasure.versions:
        resource = warehouse.catalogue[one.resource]
        names = {"table": quoted(resource.name), "key": quoted(resource.key_columns[0])}
        given = {
            "pseudonym": erasure.pseudonym,
            "valid_from": one.valid_from,
            "valid_to": one.valid_to,
            "run_id": one.run_id,
        }
        warehouse.execute(statement("merge/erased/add_version", **names), given)
    for name in {one.resource for one in erasure.versions}:
        names = {"table": quoted(name), "key": quoted(warehouse.catalogue[name].key_columns[0])}
        warehouse.execute(statement("merge/erased/close_versions", **names), {"pseudonym": erasure.pseudonym})


def _split(warehouse: Warehouse, resource: Resource, same: Iterable[SameVersion], *, hides: bool) -> None:
    warehouse.execute(statement("merge/erased/make_splits"))
    warehouse.add("staging.splits", [(*(*one.key, "")[:2], one.valid_from, one.run_id) for one in same])
    warehouse.execute(statement("merge/erased/make_split_keys"))
    first, second = key_parts(resource)
    is_same = " and ".join(f"versions.{quoted(name)} = followed.{quoted(name)}" for name in resource.key_columns)
    names = resource_fragments(resource) | {"parts_only": f"{first}, {second}", "is_same": is_same}
    if hides:
        of_resource = {"kept": KEPT, "resource": text(resource.name)}
        warehouse.execute(statement("merge/erased/split_kept", **names, **of_resource))
    with warehouse.transaction():
        warehouse.execute(statement("merge/erased/split", **names))
        warehouse.execute(statement("merge/erased/follow", **names))
