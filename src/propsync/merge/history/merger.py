"""Merges a snapshot into history: one transaction, in which a version that changed closes and the next one opens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

from propsync.landing import Landed, Manifest, PageStore
from propsync.merge.hiding import Hiding, cut_rejected
from propsync.merge.history.new_payloads import NewPayloads
from propsync.merge.history.new_versions import NewVersions
from propsync.merge.history.types_read import TypesRead
from propsync.merge.shape_store import ShapeStore
from propsync.records import HASH_VERSION, CanonicalForm, Cutter
from propsync.resources import ASSETS, Resource
from propsync.runs import Journal, ResourceCounts, Verdict
from propsync.shapes import Shape, cutter_of
from propsync.shapes.sampling import BESIDE, types_beside, types_of
from propsync.sweep import StagedKeys
from propsync.warehouse import (
    Models,
    Warehouse,
    resource_fragments,
    statement,
)


class Merger:
    """Merges landed snapshots. Each merge is one transaction and leaves its row in `ops.run_resources`."""

    def __init__(
        self,
        warehouse: Warehouse,
        pages: PageStore,
        journal: Journal,
        shapes: ShapeStore,
        hiding: Hiding | None = None,
    ) -> None:
        self._warehouse = warehouse
        self._pages = pages
        self._journal = journal
        self._shapes = shapes
        self._types: dict[str, tuple[TypesRead, int]] = {}
        """The types of the last merge, and how many records they were, if it rejected none."""
        self._hiding = hiding

    def merge(
        self, resource: Resource, manifest: Manifest, shape: Shape, listed: StagedKeys | None = None
    ) -> ResourceCounts:
        """Merges one resource's snapshot; if no sweep staged its keys, stages them from landing."""
        cutter = cutter_of(shape, resource)

        def cutters(landed: Landed) -> Cutter:
            return replace(cutter, is_one=True) if landed.role == "one" else cutter

        if listed is not None:
            return self._merge(resource, manifest, shape, cutters, listed)
        with self._staged(resource, manifest, cutters) as staged:
            return self._merge(resource, manifest, shape, cutters, staged)

    def repeat(self, manifest: Manifest) -> None:
        """Notes a snapshot with the same answers as the last merged one: nothing can have changed."""
        assert manifest.repeats is not None
        fetched = self._journal.counts(manifest.repeats)[manifest.resource]["fetched"]
        with self._warehouse.transaction():
            self._journal.merged(manifest, ResourceCounts(fetched=fetched, unchanged=fetched), [])

    def merge_types(
        self, resource: Resource, own: Manifest | None, beside: Manifest | None, shape: Shape
    ) -> ResourceCounts:
        """Merges types from their own list and, for asset types, from beside the assets; the own list wins.

        A type that is no longer on either gets a tombstone, if both reads were complete. Types that are the same as
        those of the merge before are only noted.
        """
        # a backfill's pages may omit types that only pages show
        is_all_beside = beside is not None and not beside.filters
        is_whole = own is not None and (is_all_beside or not resource.is_beside)
        read = TypesRead.of(own, beside, shape, is_whole=is_whole)
        before, fetched = self._types.pop(resource.name, (None, 0))
        if read == before:
            counts = ResourceCounts(fetched=fetched, unchanged=fetched)
            self._note_types(own, resource, counts)
        else:
            counts = self._merge_types(resource, own, beside, shape, is_whole=is_whole)
        if not counts.rejected:
            self._types[resource.name] = (read, counts.fetched)
        return counts

    def _note_types(self, own: Manifest | None, resource: Resource, counts: ResourceCounts) -> None:
        if own is not None and not self._journal.is_merged(own.run_id, resource.name):
            with self._warehouse.transaction():
                self._journal.merged(own, counts, [])

    def _merge_types(
        self, resource: Resource, own: Manifest | None, beside: Manifest | None, shape: Shape, *, is_whole: bool
    ) -> ResourceCounts:
        main = own or beside
        assert main is not None
        # anything but an array beside the assets gives no types
        shown = [one for one in (types_beside(beside) if beside else []) if types_of(self._pages, one, BESIDE)]
        first = max((one.sequence for one in own.landed), default=0) + 1 if own else 1
        landed = [replace(one, sequence=place, asked_at=0.0, role="page") for place, one in enumerate(shown, first)]
        manifest = replace(main, resource=resource.name, landed=[*(own.landed if own else ()), *landed])
        keys = cutter_of(shape, resource)
        around = Cutter(BESIDE.list_path, keys.key_paths if all(keys.key_paths) else ((("id",),),))

        def cutters(one: Landed) -> Cutter:
            return around if one.sequence >= first else keys

        with self._staged(resource, manifest, cutters) as listed:
            is_journalled = own is not None
            return self._merge(
                resource, manifest, shape, cutters, listed, is_whole=is_whole, is_journalled=is_journalled
            )

    @contextmanager
    def _staged(
        self, resource: Resource, manifest: Manifest, cutters: Callable[[Landed], Cutter]
    ) -> Iterator[StagedKeys]:
        with StagedKeys(self._warehouse, resource.name, may_have_errors=resource.may_have_errors) as listed:
            for landed in manifest.landed:
                if landed.role != "combined":
                    cutter = cutters(landed)
                    listed.add(landed, cutter.cut(self._pages.get(landed.sha256)).records, cutter)
            listed.flush()
            yield listed

    def _merge(
        self,
        resource: Resource,
        manifest: Manifest,
        shape: Shape,
        cutters: Callable[[Landed], Cutter],
        listed: StagedKeys,
        *,
        is_whole: bool = False,
        is_journalled: bool = True,
    ) -> ResourceCounts:
        models = self._models(manifest).with_fragments(listed=listed.table)
        models.with_fragments(**self.fragments(resource)).stage("staging/known")
        fetched = models.stage("staging/latest")
        readings = NewPayloads(self._warehouse, self._pages, manifest, cutters, listed)
        candidates = models.stage("staging/candidates")
        concluded = self._stage_concluded(models, manifest, is_whole=is_whole)
        if concluded or candidates:
            self._stage_changed(resource, models, readings, shape)
        else:  # a quiet night has nothing to compare
            self._warehouse.execute(statement("merge/history/make_no_changes"))
        if concluded:
            self._add_concluded(resource, models)
        rejected, judged = self._rejected(resource, manifest, readings, shape), self._judged(models, manifest)
        with self._warehouse.transaction():
            if self._shapes.put(shape, manifest.run_id):
                self._forget_built()
            held = len(manifest.keys("held"))
            counts = self._write(resource, models, readings, shape, fetched, held, len(rejected))
            if is_journalled and not self._journal.is_merged(manifest.run_id, resource.name):
                self._journal.merged(manifest, counts, rejected, judged, self._unnamed(resource))
        return counts

    def _judged(self, models: Models, manifest: Manifest) -> list[tuple[str, str]] | None:
        """Held keys to judge again: all after a complete read of the whole resource, else those of this run."""
        if Verdict(manifest.verdict).is_complete and not manifest.filters:
            return None
        models.with_values(resource=manifest.resource).stage("staging/judged_keys")
        return [(first, second) for first, second in self._warehouse.rows(statement("merge/history/judged_keys"))]

    def _stage_concluded(self, models: Models, manifest: Manifest, *, is_whole: bool) -> int:
        """Makes `staging.concluded`: the conclusions about missing keys. Returns how many."""
        self._warehouse.execute(statement("merge/history/make_concluded"))
        rows = [(*(*one.key, "")[:2], one.outcome) for one in manifest.looked_up]
        self._warehouse.add("staging.concluded", rows)
        unlisted = models.stage("staging/unlisted") if is_whole else 0
        if unlisted:
            self._warehouse.execute(statement("merge/history/conclude_unlisted"))
        return len(rows) + unlisted

    def _stage_changed(self, resource: Resource, models: Models, readings: NewPayloads, shape: Shape) -> None:
        """Makes `staging.changed`: the new versions."""
        # history.assessments has a record's own status beside it; others have it in their payload
        readings.stage_statuses(shape.paths("status") if resource.performed else ())
        known = statement("merge/history/known_payloads", **self.fragments(resource))
        readings.stage_canonical(canonical_form(resource, shape), known)
        models.stage("staging/changed")

    def _add_concluded(self, resource: Resource, models: Models) -> None:
        """Adds the gone records, and assessments with an unknown status, to `staging.changed`."""
        models.with_fragments(**self.fragments(resource)).stage("staging/last_known")
        models.open("staging/concluded_changes", "staging.changed")

    def _forget_built(self) -> None:
        """Resets the built marks, so that propsync builds every row again."""
        self._warehouse.execute(statement("merge/history/forget_built"))

    def _models(self, manifest: Manifest) -> Models:
        values = {
            "run_id": manifest.run_id,
            "run_time": datetime.fromisoformat(manifest.run_time),
            "hash_version": str(HASH_VERSION),
            "is_complete": Verdict(manifest.verdict).is_complete,
        }
        return Models(self._warehouse, values)

    def _write(
        self,
        resource: Resource,
        models: Models,
        readings: NewPayloads,
        shape: Shape,
        fetched: int,
        held: int,
        rejected: int,
    ) -> ResourceCounts:
        changes = {change: (*of,) for change, *of in self._warehouse.rows(statement("merge/history/count_changes"))}
        if changes:
            NewVersions(self._warehouse, resource, models, shape, self._hiding).write(readings)
        inserted, inserted_on_pages = changes.get("insert", (0, 0))
        updated, updated_on_pages = changes.get("update", (0, 0))
        return ResourceCounts(
            fetched=fetched,
            inserted=inserted,
            updated=updated,
            deleted=changes.get("delete", (0, 0))[0],
            unchanged=fetched - inserted_on_pages - updated_on_pages,
            held=held,
            rejected=rejected,
        )

    def fragments(self, resource: Resource) -> dict[str, str]:
        """The resource's fragments; `history` has every record as it came, hidden parts too."""
        found = resource_fragments(resource)
        return found | {"history": self._hiding.whole_history(resource)} if self._hiding else found

    def _unnamed(self, resource: Resource) -> Collection[tuple[str, ...]]:
        """The keys of records that nobody sees."""
        return self._hiding.unnamed(resource) if self._hiding else ()

    def _rejected(
        self, resource: Resource, manifest: Manifest, readings: NewPayloads, shape: Shape
    ) -> list[tuple[str, int, str, str]]:
        found = list(readings.rejected())
        if any(one.duplicates for one in manifest.certificates):
            found += readings.doubled()
        if not self._hiding or not found:
            return found
        shears, apart = self._hiding.shears(resource, shape), self._hiding.apart(resource, shape)
        found = apart.without_payloads(found) if apart else found
        return cut_rejected(shears, found) if shears else found


def canonical_form(resource: Resource, shape: Shape) -> CanonicalForm:
    """The canonical form of the resource's records; only assets have field results, which come in any order."""
    references: Sequence[tuple[str, ...]] = shape.paths("result_field")
    return CanonicalForm(
        results="fields" if resource is ASSETS else None,
        result_refs=tuple(references),
        sets=resource.sets,
        dropped=resource.dropped,
        volatile=shape.volatile or frozenset(),
    )
