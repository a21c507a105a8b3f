"""Whether the last snapshot's conclusions still hold if the API answers the same, byte for byte."""

from __future__ import annotations

import re
from typing import Any

from propsync.landing import Certificate, Manifest
from propsync.records import HASH_VERSION
from propsync.resources import COMBINED, Resource, definition_of
from propsync.runbooks.workspace import Workspace
from propsync.runs import Verdict
from propsync.shapes import UNREAD, Shape

_ROLES = {"page", "again", "combined"}


def repeatable(workspace: Workspace, resource: Resource, shape: Shape, settings: dict[str, Any]) -> Manifest | None:
    """The snapshot merged last, if only different answers could lead to a different result; otherwise None.

    None if anything was missing, held, rejected, read twice or not counted, or if the requests of that time differed.
    """
    latest = workspace.journal.latest_merged(resource.name)
    manifest = workspace.manifests.sound(resource.name, latest) if latest else None
    if manifest is None or workspace.journal.verdicts(latest)[resource.name] is not Verdict.CERTIFIED:
        return None  # a snapshot that was landed but not merged proves nothing
    if workspace.journal.counts(latest)[resource.name]["rejected"]:
        return None  # each run reports the records that it rejects
    before = (manifest.hash_version, manifest.settings, manifest.definition)
    if before != (HASH_VERSION, settings, definition_of(resource) if resource.is_further else None):
        return None
    is_known = workspace.shapes.is_whole(shape) and manifest.shape == shape.to_json()
    is_found = all(choice.source != "configured" for choice in shape.choices.values()) and not _may_be_known(shape)
    # a list without a total may have grown by a page that propsync would not request
    is_counted = not resource.is_paged or all(one.total is not None for one in manifest.landed)
    is_all = is_known and is_found and is_counted
    return manifest if is_all and _is_plain(manifest) and _shows_its_ends(manifest) else None


def _may_be_known(shape: Shape) -> bool:
    """Whether other records may show by now which member has a property or a type that propsync could not read."""
    parts = (shape.choices.get(part) for part in ("property", "type"))
    return any(choice is not None and choice.source == UNREAD for choice in parts)


def _is_plain(manifest: Manifest) -> bool:
    """Whether it read everything, certified at the first attempt, and left no question open."""
    is_open = manifest.filters or manifest.looked_up or manifest.accepted or manifest.verdict != Verdict.CERTIFIED
    is_asked_once = all(one.role in _ROLES and one.attempt == 1 for one in manifest.landed)
    are_clean = all(
        (one.rung, one.verdict, one.duplicates, one.rejected) == (0, "certified", 0, 0) for one in manifest.certificates
    )
    return not is_open and is_asked_once and are_clean


def _shows_its_ends(manifest: Manifest) -> bool:
    """Whether the page after a full last one came; if the API refused it, there is nothing to compare with."""
    again = [one for one in manifest.landed if one.role == "again"]
    for one in manifest.certificates:
        beyond = re.compile(rf"[?&]page={one.pages + 1}(&|$)")
        is_shown = any(landed.list_name == one.list_name and beyond.search(landed.request) for landed in again)
        if one.list_name != COMBINED and not is_shown and _ends_full(one, manifest.settings["page_limit"]):
            return False
    return True


def _ends_full(one: Certificate, limit: int) -> bool:
    """Whether the last page of a list was as full as the others; a server may give fewer records than requested. One
    page alone may be as full as the server's pages are.
    """
    total = one.total_first or 0
    is_as_asked = one.pages == -(-total // limit)
    return total > 0 and (one.pages == 1 or total % (limit if is_as_asked else one.pages) == 0)
