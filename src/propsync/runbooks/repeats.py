"""Whether the last snapshot's conclusions still hold where the API answers the same, byte for byte."""

from __future__ import annotations

from typing import Any

from propsync.landing import Manifest
from propsync.records import HASH_VERSION
from propsync.resources import Resource
from propsync.runbooks.site import Site
from propsync.runs import Verdict
from propsync.shapes import Shape

_ROLES = {"page", "again", "combined"}


def repeatable(site: Site, resource: Resource, shape: Shape, settings: dict[str, Any]) -> Manifest | None:
    """The snapshot merged last, if only other answers could lead to anything else than it did; None if more could.

    So it is not where anything was missing, held, rejected, read twice, not counted, or asked for otherwise than now.
    """
    latest = site.journal.latest_merged(resource.name)
    manifest = site.manifests.sound(resource.name, latest) if latest else None
    if manifest is None or site.journal.verdicts(latest)[resource.name] is not Verdict.CERTIFIED:
        return None  # what was landed and could not be merged is no ground to stand on
    if (manifest.hash_version, manifest.settings) != (HASH_VERSION, settings):
        return None
    is_known = site.shapes.is_whole(shape) and manifest.shape == shape.to_json()
    is_found = all(choice.source != "configured" for choice in shape.choices.values())
    # a list that tells no total may have grown by a page that nobody would ask for
    is_counted = not resource.is_paged or all(one.total is not None for one in manifest.landed)
    return manifest if is_known and is_found and is_counted and _is_plain(manifest) else None


def _is_plain(manifest: Manifest) -> bool:
    """A read of everything, certified at the first attempt, that left no question open."""
    is_open = manifest.filters or manifest.looked_up or manifest.accepted or manifest.verdict != Verdict.CERTIFIED
    is_asked_once = all(one.role in _ROLES and one.attempt == 1 for one in manifest.landed)
    are_clean = all(
        (one.rung, one.verdict, one.duplicates, one.rejected) == (0, "certified", 0, 0) for one in manifest.certificates
    )
    return not is_open and is_asked_once and are_clean
