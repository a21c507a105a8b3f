"""Records that look-ups show although no list does: a service may show deleted records by their ids for good."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from propsync.errors import PageLost
from propsync.landing import Manifest
from propsync.resources import Resource
from propsync.runbooks.workspace import Workspace
from propsync.runs import Verdict
from propsync.sweep import Key, Swept


def left_out_before(workspace: Workspace, resource: Resource, swept: Swept) -> set[Key]:
    """The records that look-ups of the last complete night showed; none if landing has no such night any more."""
    before = _last_complete(workspace, resource)
    try:
        return set(_shown_by_look_ups(before, swept)) if before else set()
    except PageLost:
        return set()


def _last_complete(workspace: Workspace, resource: Resource) -> Manifest | None:
    for run_id in reversed(workspace.manifests.runs(resource.name)):
        manifest = workspace.manifests.sound(resource.name, run_id)
        if manifest and manifest.certificates and not manifest.filters and Verdict(manifest.verdict).is_complete:
            return manifest
    return None


def _shown_by_look_ups(manifest: Manifest, swept: Swept) -> Iterator[Key]:
    cutter = swept.shaping.cutter
    for landed in manifest.landed:
        if landed.role in ("look-up", "one"):
            cut = replace(cutter, is_one=landed.role == "one")
            yield from filter(None, cut.keys(swept.reader.records(landed, cut)))
