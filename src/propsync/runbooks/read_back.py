"""Reads back what propsync wrote to one resource."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from functools import partial

from propsync.landing import LookedUp, Manifest
from propsync.merge import some_known
from propsync.runbooks import statuses
from propsync.runbooks.resource_sync import ResourceSync
from propsync.sweep import Answers, Key, LookUps, StagedKeys, Swept, unswept


class ReadBack(ResourceSync):
    """A resource in one run that looks up known records, and sweeps nothing once its shape is known."""

    def read(self, keys: Collection[Key], deleted: Collection[Key] = ()) -> Answers:
        """Looks up known records, without a sweep, lands and merges them, and builds; the rest stays.

        Of the records that are gone it deletes those that propsync deleted. Nobody can tell what a look-up shows before
        the first record of all: then it reads the whole resource. Raises ResourceFailed.
        """
        shape = self._shapes[self._resource.name]
        if not all(map(shape.has, self._resource.key)):
            self.sync()
            return Answers(found={*keys})
        with self._keys_of(self._resource) as listed:
            manifest, answers = self._looked_up(keys, deleted, listed)
            self._put([manifest])
            self._merge(None, manifest, listed)
        self.build()
        return answers

    def _looked_up(
        self, keys: Collection[Key], deleted: Collection[Key], listed: StagedKeys
    ) -> tuple[Manifest, Answers]:
        workspace, resource = self._workspace, self._resource
        before = self._begun[resource.name] = workspace.api.traffic.mark()
        asked = statuses.asked_for(workspace, resource)
        shape, limit = self._shapes[resource.name], workspace.settings.page_limit
        swept = unswept(workspace.api, workspace.pages, resource, shape, listed, limit)
        answers = self._look_ups(swept).look_up(sorted(keys))
        manifest = self._manifest(resource, swept, asked)
        manifest.filters = [(resource.id_filter or "property", sorted({key[0] for key in keys}))]
        manifest.landed = sorted(answers.landed, key=lambda landed: landed.sequence)
        manifest.looked_up = self._conclude(answers, deleted, swept, manifest)
        manifest.traffic = asdict(workspace.api.traffic.since(before))
        return manifest, answers

    def _look_ups(self, swept: Swept) -> LookUps:
        workspace, resource = self._workspace, self._resource
        asked = statuses.asked_for(workspace, resource)
        every = statuses.every(workspace, resource, asked)
        known = partial(some_known, workspace.warehouse, resource)
        return LookUps(workspace.api, resource, swept, every, asked, known)

    def _conclude(
        self, answers: Answers, deleted: Collection[Key], _swept: Swept, _manifest: Manifest
    ) -> list[LookedUp]:
        return [LookedUp(key, "gone", answers.gone[key]) for key in sorted(deleted) if key in answers.gone]
