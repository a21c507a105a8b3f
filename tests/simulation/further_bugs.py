"""Bugs to plant in what keeps a further list (see `bugs`)."""

from __future__ import annotations

from functools import partial
from typing import Any

from propsync.runbooks.rebuilding import rebuild as runbook
from propsync.runbooks.workspace import configured_catalogue
from propsync.sweep.lookups.unaskable import Unaskable

from .planting import Patches, Plant, entered

FURTHER_BUGS: dict[str, Plant] = {}
_bug = partial(entered, FURTHER_BUGS)


@_bug("a further list without a filter deletes what the list omits")
def _omitted_deleted(patches: Patches) -> None:
    def look_up(self: Any, keys: Any) -> None:
        self._answers.gone.update(dict.fromkeys(keys, "planted"))

    patches.put(Unaskable, "look_up", look_up)


@_bug("a rebuild forgets lists that propsync.toml no longer names")
def _rebuild_forgets_lists(patches: Patches) -> None:
    patches.put(runbook, "whole_catalogue", lambda settings, *_: configured_catalogue(settings))
