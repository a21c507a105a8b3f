"""Ends an erasure, so that the thing may come back."""

from __future__ import annotations

from propsync.errors import UsageError
from propsync.runbooks.erasure.lost import erasures_in, find_lost
from propsync.runbooks.rebuilding.sources import readable_databases
from propsync.runbooks.workplace import workplace
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.suppression import FORGOTTEN, Erasure, Erasures, Marker


def forget(settings: Settings, given: str) -> Erasure:
    """Lets an erased thing come back, if the API still shows it: `given` is the erasure's id. Raises UsageError."""
    with workplace(settings, "propsync erase --forget") as place:
        erasures = Erasures(LocalStorage(settings.home))
        known = erasures.all()
        chosen = [one for one in known if one.erasure_id == given]
        if not chosen:
            databases = readable_databases(settings, place.folder).values()
            named = [erasures_in(settings, place.folder, path) for path in databases]
            chosen = [one for one in find_lost(settings, named) if one.erasure_id == given]
        if not chosen and known:
            marker = erasures.marker()
            chosen = [one for one in known if _is_of(marker, one, given)]
            _refuse_several(chosen)
        if not chosen:
            step = 'Take the id from `propsync query "select * from ops.erasures"`'
            raise UsageError("--forget", "there is no such erasure", step)
        return [erasures.change(one, state=FORGOTTEN) for one in chosen][-1]


def _refuse_several(found: list[Erasure]) -> None:
    """Raises UsageError for the id of a field that was erased of several assets: one of them may be meant."""
    active = [one for one in found if one.state != FORGOTTEN]
    if len({(one.kind, *one.marks) for one in active}) > 1:
        what = f"{len(active)} erasures are of this id: {', '.join(one.erasure_id for one in active)}"
        raise UsageError("--forget", what, "Give the id of one of these erasures, as in ops.erasures")


def _is_of(marker: Marker, erasure: Erasure, given: str) -> bool:
    if erasure.text:
        return marker.is_marked(given.strip(), erasure.text)  # as `erase --text` takes it
    return any(marker.is_marked(given, mark) for mark in (erasure.field or erasure.record,) if mark)
