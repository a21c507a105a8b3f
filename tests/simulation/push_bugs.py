"""Bugs to plant in what writes back (see `bugs`)."""

from __future__ import annotations

from functools import partial

from propsync.push.sending import verdicts
from propsync.push.sending.creations import Creations

from .planting import Patches, Plant, entered

PUSH_BUGS: dict[str, Plant] = {}
_bug = partial(entered, PUSH_BUGS)


@_bug("a new asset is sent again without a look")
def _sent_again(patches: Patches) -> None:
    patches.put(Creations, "_settled", lambda *_: None)


@_bug("an edit by somebody else is overwritten")
def _overwritten(patches: Patches) -> None:
    patches.put(verdicts, "changed", lambda *_, **__: None)
