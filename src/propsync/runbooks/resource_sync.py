"""One resource and its types: a run reads, merges and builds them as one step."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple, replace
from typing import Any

from propsync.api import TrafficMark
from propsync.errors import ApiUnreachable, MergeFailed, RequestRefused, ResourceFailed, UnexpectedAnswer
from propsync.landing import Manifest
from propsync.merge import build_tables, is_mostly_changed, known_fields, known_values, listed_keys
from propsync.records import HASH_VERSION, PayloadUnreadable
from propsync.resources import Resource, definition_of
from propsync.runbooks import statuses
from propsync.runbooks.deletes import Accepted, Deletes
from propsync.runbooks.known_api import apis_with
from propsync.runbooks.landed_apis import take_landed_apis
from propsync.runbooks.repeats import repeatable
from propsync.runbooks.workspace import Workspace
from propsync.runs import Run
from propsync.shapes import Shape, cutter_of, find_nested_shapes
from propsync.sweep import Filters, StagedKeys, Sweeper, SweepScope, Swept, find_new_volatile

_log = logging.getLogger("propsync.sync")


class ResourceSync:
    """A resource with its types, in one run; `filters` narrow it to the part of a backfill.

    `accepted` are deletes that an earlier run held and that somebody accepted since.
    """

    fails_of_errors = True
    """Whether it fails if the API sends errors in place of most records."""

    def __init__(
        self,
        workspace: Workspace,
        run: Run,
        resource: Resource,
        *,
        filters: Filters = (),
        accepted: Accepted | None = None,
    ) -> None:
        self._workspace = workspace
        self._run = run
        self._resource = resource
        self._filters = filters
        self._accepted = accepted
        self.is_not_found = False
        self.notes: list[str] = []  # about possible mistakes of people
        self._types = workspace.catalogue.types_of(resource)
        self._shapes = {one.name: workspace.shapes.get(one.name) for one in self._members()}
        self._begun: dict[str, TrafficMark] = {}

    @property
    def name(self) -> str:
        """The resource's name."""
        return self._resource.name

    @property
    def path(self) -> str:
        """The path of its list in the API."""
        return self._resource.path

    def sync(self) -> None:
        """Reads, lands, merges and builds. Raises ResourceFailed; earlier rows stay."""
        types = self._read_types()
        with self._keys_of(self._resource) as listed:
            try:
                manifest = self._read(self._resource, listed, types)
            except ResourceFailed:
                self._land(types, None)
                self._merge(types, None)
                self.build()
                raise
            self._land(types, manifest)
            self._merge(types, manifest, listed)
        self.build()

    def finish_earlier(self) -> None:
        """Merges the complete snapshots of killed runs; without any, only builds what those runs merged."""
        for run_id in self._unmerged_runs():
            take_landed_apis(self._workspace, {run_id: [one.name for one in self._members()]})
            _log.info("%s: merging what run %s had landed", self._resource.name, run_id)
            try:
                self.replay(run_id)
            except ResourceFailed as error:
                self._pass_over(run_id, error)
        self.build()

    def replay(self, run_id: str) -> None:
        """Merges a run's snapshot, as that run did or would have done; doing so twice changes nothing."""
        found = {one.name: self._workspace.manifests.get(one.name, run_id) for one in self._members()}
        for name, manifest in found.items():
            if manifest is not None:
                self._take_shape(name, manifest.shape)
            if manifest is not None and manifest.types_shape and self._types is not None:
                self._take_shape(self._types.name, manifest.types_shape)
        self._merge(found[self._types.name] if self._types else None, found[self._resource.name])

    def _take_shape(self, name: str, shape: Mapping[str, Any]) -> None:
        self._shapes[name] = self._workspace.shapes.overridden(Shape.from_json(shape))

    def _pass_over(self, run_id: str, error: ResourceFailed) -> None:
        """Passes over a snapshot that cannot be merged: it must stop no run, and propsync reads its records again."""
        _log.error("%s", error)
        for one in self._members():
            if not self._workspace.journal.is_merged(run_id, one.name):
                self._workspace.journal.failed(replace(self._run, run_id=run_id), one.name, str(error))

    def failed(self, error: ResourceFailed) -> str:
        """Notes that the resource keeps its rows; returns why."""
        _log.error("%s", error)
        self.is_not_found = error.says_not_found
        self._note_failed(self._resource, error)
        return str(error)

    def _note_failed(self, resource: Resource, error: ResourceFailed) -> None:
        """Notes the failure with its requests, or those for its types that ended it: nothing else counts them."""
        begun = self._begun.get(resource.name) or (self._types and self._begun.get(self._types.name))
        spent = astuple(self._workspace.api.traffic.since(begun)) if begun else (0, 0, 0)
        self._workspace.journal.failed(self._run, resource.name, str(error), spent)

    def _members(self) -> list[Resource]:
        return [*([self._types] if self._types else []), self._resource]

    def _read_types(self) -> Manifest | None:
        if self._types is None:
            return None
        try:
            with self._keys_of(self._types) as listed:
                return self._read(self._types, listed)
        except ApiUnreachable:
            raise  # a request for the records would only wait as long again
        except ResourceFailed as error:
            _log.error("%s", error)
            self._note_failed(self._types, error)
            return None

    def _keys_of(self, resource: Resource) -> StagedKeys:
        return StagedKeys(self._workspace.warehouse, resource.name, may_have_errors=resource.may_have_errors)

    def _read(self, resource: Resource, listed: StagedKeys, types: Manifest | None = None) -> Manifest:
        """A snapshot that is not landed yet."""
        before = self._begun[resource.name] = self._workspace.api.traffic.mark()
        wanted = statuses.asked_for(self._workspace, resource)
        try:
            swept = self._sweep(resource, wanted, listed, types)
        except RequestRefused:
            configured = statuses.configured(self._workspace, resource)
            if wanted == configured:
                raise
            _log.warning(
                "%s: the API refuses a status that it showed, so propsync asks only for those set", resource.name
            )
            wanted = configured
            listed.clear()
            swept = self._sweep(resource, wanted, listed, types)
        if self.fails_of_errors and listed.is_mostly_errors:
            what, later = "the API sent errors in place of most records", "Run the same command again later"
            raise UnexpectedAnswer(f"GET {resource.path}", what, later)
        self._workspace.shapes.check_volatile(self._shapes[resource.name])
        _log.info("%s: read %s", resource.words, swept.verdict.words)
        if not self._filters:
            self.notes += statuses.warned_of_none(self._workspace, resource, [one.total for one in swept.landed])
        self._notice_signed_links(resource, swept)
        manifest = self._manifest(resource, swept, wanted)
        if resource is self._resource and not swept.repeats:
            every = statuses.every(self._workspace, resource, wanted)
            deletes = Deletes(self._workspace, resource, swept, wanted, every, is_part=bool(self._filters))
            deletes.conclude(manifest, self._filters, self._accepted)
        manifest.landed.sort(key=lambda landed: landed.sequence)
        manifest.traffic = asdict(self._workspace.api.traffic.since(before))
        return manifest

    def _notice_signed_links(self, resource: Resource, swept: Swept) -> None:
        """Finds links that the service newly signs: they would make a new version of every record, every night."""
        is_decided = self._workspace.shapes.decided(resource.name).volatile is not None
        if swept.repeats or self._filters or is_decided:
            return
        if not is_mostly_changed(self._workspace.warehouse, self._workspace.merger.fragments(resource), swept.listed):
            return
        if found := find_new_volatile(swept):
            words = "%s: %s differ at each reading, so they no longer count as changes"
            _log.warning(words, resource.words, ", ".join(sorted(found)))

    def _sweep(self, resource: Resource, asked: Sequence[str], listed: StagedKeys, types: Manifest | None) -> Swept:
        workspace = self._workspace
        sweeper = Sweeper(workspace.api, workspace.pages, workspace.warehouse, workspace.settings.page_limit)
        wanted = SweepScope(asked, self._filters if resource is self._resource else ())
        start, was_exceeded = (0, False) if wanted.filters else workspace.journal.rung_that_worked(resource.name)
        known = lambda: self._known(asked, types)  # noqa: E731 - the value is costly to make
        shape = self._shapes[resource.name]
        is_plain = not (start or self._filters or self._accepted)
        before = repeatable(workspace, resource, shape, self._settings(asked)) if is_plain else None
        return sweeper.sweep(
            resource, shape, wanted, known, listed, start=start, was_exceeded=was_exceeded, before=before
        )

    def _settings(self, asked: Sequence[str]) -> dict[str, Any]:
        """The settings that, with the shapes, decide the requests to the API."""
        return {"statuses": list(asked), "page_limit": self._workspace.settings.page_limit}

    def _manifest(self, resource: Resource, swept: Swept, asked: Sequence[str]) -> Manifest:
        filters = self._filters if resource is self._resource else ()
        return Manifest(
            run_id=self._run.run_id,
            run_time=self._run.time.isoformat(timespec="microseconds"),
            resource=resource.name,
            verdict=swept.verdict,
            hash_version=HASH_VERSION,
            shape={},
            settings=self._settings(asked),
            flow=self._run.flow,
            filters=[(name, list(values)) for name, values in filters],
            landed=list(swept.landed),
            certificates=swept.certificates,
            repeats=swept.repeats,
            apis=apis_with(self._workspace, self._workspace.api.base_url),
            definition=definition_of(resource) if resource.is_further else None,
        )

    def _land(self, types: Manifest | None, manifest: Manifest | None) -> None:
        """Finds the shapes inside the records, and makes the snapshots exist; the resource's own last."""
        found = [one for one in (types, manifest) if one is not None]
        if not all(self._shows_nothing_new(one) for one in found) or self._is_shape_configured():
            with _as_merge_failure(self._resource):
                earlier = lambda: known_fields(self._workspace.warehouse)  # noqa: E731 - costly, and only for assets
                find_nested_shapes(self._workspace.pages, self._shapes, types, manifest, earlier)
        self._put(found)

    def _put(self, found: Sequence[Manifest]) -> None:
        """Makes the snapshots exist, by the present shapes."""
        for one in found:
            one.shape = self._shapes[one.resource].to_json()
            if len(found) == 1 and one.resource == self._resource.name and self._types and self._types.is_beside:
                one.types_shape = self._shapes[self._types.name].to_json()
            self._workspace.manifests.put(one)

    def _known(self, asked: Sequence[str], types: Manifest | None) -> Mapping[str, Collection[str]]:
        """The evidence for members that the API's document does not name, also from types that this run has read."""
        kinds: set[str] = set()
        if types is not None and self._types is not None:
            kinds = listed_keys(self._workspace.pages, types, cutter_of(self._shapes[types.resource], self._types))
        return known_values(self._workspace.warehouse, asked, self._types, kinds)

    def _merge(self, types: Manifest | None, manifest: Manifest | None, listed: StagedKeys | None = None) -> None:
        with _as_merge_failure(self._resource):
            self._merge_both(types, manifest, listed)

    def _merge_both(self, types: Manifest | None, manifest: Manifest | None, listed: StagedKeys | None) -> None:
        """Types first: a table is named for its type, so the type must be known before its first asset.

        `listed` has what the sweep staged; a snapshot that is merged again is staged from landing.
        """
        merger = self._workspace.merger
        is_repeat = listed is not None and manifest is not None and manifest.repeats is not None
        if is_repeat and types is not None and manifest is not None and types.repeats == manifest.repeats:
            merger.repeat(types)
        elif self._types is not None and (types is not None or (manifest is not None and self._types.is_beside)):
            merger.merge_types(self._types, types, manifest, self._shapes[self._types.name])
        if manifest is not None and is_repeat:
            merger.repeat(manifest)
        elif manifest is not None:
            merger.merge(self._resource, manifest, self._shapes[self._resource.name], listed)

    def _is_shape_configured(self) -> bool:
        """Whether somebody configured a shape: it may match nothing, which even a quiet night must notice."""
        return any(
            choice.source == "configured" for shape in self._shapes.values() for choice in shape.choices.values()
        )

    def _shows_nothing_new(self, manifest: Manifest) -> bool:
        """Whether the last run read the same pages, byte for byte, and found all that they hold."""
        latest = self._workspace.journal.latest_merged(manifest.resource)
        before = self._workspace.manifests.sound(manifest.resource, latest) if latest else None
        is_same = before is not None and _bodies(before) == _bodies(manifest)
        return is_same and self._workspace.shapes.is_whole(self._shapes[manifest.resource])

    def build(self) -> None:
        """Brings the tables up to date with history."""
        build_tables(self._workspace.warehouse, self._run, self._resource, self._shapes)
        statuses.note_unconfigured(self._workspace, self._resource, self._run.run_id)

    def _unmerged_runs(self) -> list[str]:
        journal, manifests = self._workspace.journal, self._workspace.manifests
        landed = {(run_id, one.name) for one in self._members() for run_id in manifests.runs(one.name)}
        latest = journal.latest_merged(self._resource.name)
        return sorted({run_id for run_id, name in landed if run_id > latest and not journal.is_merged(run_id, name)})


@contextmanager
def _as_merge_failure(resource: Resource) -> Iterator[None]:
    try:
        yield
    except (PayloadUnreadable, RecursionError) as error:
        raise MergeFailed(resource.name, f"a page could not be read: {error}") from error


def _bodies(manifest: Manifest) -> set[str]:
    return {landed.sha256 for landed in manifest.landed if landed.role == "page"}
