"""Bugs to plant in what keeps erased things away (see `bugs`)."""

from __future__ import annotations

from functools import partial

from propsync.erasing.landed import ErasedLanding
from propsync.merge import erased_versions
from propsync.runbooks import opened
from propsync.runbooks.erasure import erase as runbook
from propsync.suppression import Suppression

from .planting import Patches, Plant, entered

ERASURE_BUGS: dict[str, Plant] = {}
_bug = partial(entered, ERASURE_BUGS)


@_bug("what was erased is not cut out of answers")
def _not_cut(patches: Patches) -> None:
    class Blind(Suppression):
        def __bool__(self) -> bool:
            return False

    patches.put(opened, "Suppression", Blind)


@_bug("an erasure leaves landing as it is")
def _landing_kept(patches: Patches) -> None:
    patches.put(ErasedLanding, "rewrite", lambda _: None)


@_bug("an erased record loses its intervals")
def _intervals_lost(patches: Patches) -> None:
    patches.put(erased_versions, "_add_versions", lambda *_: None)


@_bug("versions that are equal without what was erased become one")
def _versions_joined(patches: Patches) -> None:
    patches.put(erased_versions, "_split", lambda *_, **__: None)


@_bug("documents of an erased assessment stay")
def _documents_kept(patches: Patches) -> None:
    patches.put(runbook, "_remove_documents", lambda *_: None)
