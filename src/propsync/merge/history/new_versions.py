"""Opens the new versions of a merge, inside its transaction: whole, or without what is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from propsync.merge.freshness import mark_tables
from propsync.merge.hiding import KEPT, Apart, Hiding, lot_of, note_latest
from propsync.merge.history.new_payloads import NewPayloads
from propsync.records import Shears
from propsync.resources import ASSESSMENT_TYPES, ASSET_TYPES, Resource
from propsync.shapes import Shape
from propsync.warehouse import (
    PARTS,
    Models,
    Warehouse,
    documents,
    lot,
    quoted,
    resource_fragments,
    statement,
    whole_numbers,
)

_ALL = range(1, 2**62)


class NewVersions:
    """The versions in `staging.changed` of one resource: the one before closes, the next one opens."""

    def __init__(
        self, warehouse: Warehouse, resource: Resource, models: Models, shape: Shape, hiding: Hiding | None
    ) -> None:
        self._warehouse, self._resource, self._models = warehouse, resource, models
        self._shape, self._hiding = shape, hiding

    def write(self, readings: NewPayloads) -> None:
        """Closes and opens, and marks the table as changed."""
        hiding, resource = self._hiding, self._resource
        if hiding and resource in (ASSET_TYPES, ASSESSMENT_TYPES):
            hiding.learn(resource, (one for _, payloads in readings.payloads() for one in payloads), self._shape)
        shears = hiding.shears(resource, self._shape) if hiding else None
        apart = hiding.apart(resource, self._shape) if hiding else None
        if apart is None:
            self._close()
        if hiding and (shears or apart):
            self._write_cut(readings, hiding, shears or Shears(()), apart)
        else:
            self._write_whole(readings)
        mark_tables(self._warehouse, str(self._models.values["run_id"]), "history", [resource.name])

    def _write_cut(self, readings: NewPayloads, hiding: Hiding, shears: Shears, apart: Apart | None) -> None:
        """Opens versions without what is hidden. The second file has the whole records before anybody can miss them."""
        of_run = {"resource": self._resource.name, "run_time": self._models.values["run_time"]}
        hashes = hiding.hashes(self._resource)
        with self._warehouse.beside() as keep:
            keep(statement("merge/hidden/forget_versions"), of_run)
            note_latest(self._warehouse, keep, hiding.file, **of_run)
            if apart:
                apart.forget(keep, self._models.values)
            for is_concluded, places, payloads in self._payloads(readings):
                if apart:
                    places, payloads = apart.keep(
                        keep, self._models.values, places, payloads, is_concluded=is_concluded
                    )
                of_lot = of_run | {"is_concluded": is_concluded}
                with self._warehouse.showing(lot_of(shears, places, payloads)):
                    keep(statement("merge/hidden/keep_versions", kept=KEPT, lot="lot"), of_lot)
                    self._open(_ALL, is_concluded=is_concluded, lot="lot", **hashes)
        if apart:
            apart.settle(self._models.values)
        hiding.note_met(self._resource, shears)

    def _payloads(self, readings: NewPayloads) -> Iterator[tuple[bool, Sequence[int], list[bytes]]]:
        for rows in self._warehouse.batches(statement("merge/history/concluded_payloads")):
            yield True, [place for place, _ in rows], [payload.encode() for _, payload in rows]
        for first, payloads in readings.payloads():
            yield False, range(first, first + len(payloads)), payloads

    def _write_whole(self, readings: NewPayloads) -> None:
        self._open(is_concluded=True, lot=f"({statement('merge/history/concluded_payloads')})")
        for first, payloads in readings.payloads():
            places = range(first, first + len(payloads))
            with self._warehouse.showing(lot(place=whole_numbers(places), payload=documents(payloads))):
                self._open(places, lot="lot")

    def _open(self, places: range = _ALL, *, is_concluded: bool = False, **fragments: str) -> None:
        """Opens the versions that have these places in `staging.changed`."""
        shown = self._models.with_fragments(**resource_fragments(self._resource) | fragments)
        shown = shown.with_values(first=places[0], last=places[-1], is_concluded=is_concluded)
        shown.open("history/versions.open", f"history.{quoted(self._resource.name)}")

    def _close(self) -> None:
        closed = statement(
            "merge/history/close_versions", table=quoted(self._resource.name), is_same=is_same_key(self._resource)
        )
        self._warehouse.execute(closed, {"run_time": self._models.values["run_time"]})


def is_same_key(resource: Resource) -> str:
    """In SQL, whether a row of `changed` and one of `versions` are of one record."""
    pairs = zip(resource.key_columns, PARTS, strict=False)
    return " and ".join(f"changed.{part} = versions.{quoted(column)}" for column, part in pairs)
