"""Which statuses of records to ask for: those set, and those that records turned out to have."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from urllib.parse import quote

from propsync.api import why_unaskable
from propsync.errors import UnexpectedAnswer
from propsync.merge import note_statuses, statuses_seen
from propsync.resources import Resource
from propsync.runbooks.workspace import Workspace
from propsync.settings import Settings

_log = logging.getLogger("propsync.sync")
_ROOM = 1_500
"""Characters that all statuses of a list may take in an address."""


def configured(workspace: Workspace, resource: Resource) -> tuple[str, ...]:
    """The statuses that the settings name, explicitly or by default."""
    return workspace.settings.statuses(resource.status_setting) if resource.status_setting else ()


def asked_for(workspace: Workspace, resource: Resource) -> Sequence[str]:
    """The statuses to ask for: those set, and where none were set explicitly, those met so far as well."""
    named = configured(workspace, resource)
    if resource.status_setting is None or resource.status_setting in workspace.settings.explicit:
        return named
    return _with_room_for(named, statuses_seen(workspace.warehouse, resource.name, named))


def every(workspace: Workspace, resource: Resource, asked: Sequence[str]) -> Sequence[str]:
    """All statuses that a record may have, for look-ups: also those that the settings leave out of the lists."""
    if resource.status_setting is None:
        return ()
    wanted = (*asked, *(one for one in _documented(resource.status_setting) if one not in asked))
    return _with_room_for(wanted, statuses_seen(workspace.warehouse, resource.name, wanted))


def _documented(setting: str) -> tuple[str, ...]:
    """The statuses that the API's document names, which are the default."""
    return tuple(Settings.model_fields[setting].default)


def _with_room_for(named: Sequence[str], seen: Sequence[str]) -> tuple[str, ...]:
    """`named` and those of `seen` that can be asked for, as far as addresses have room beside ids and types."""
    room = _ROOM - sum(map(_length, named))
    fitting = set()
    for status in sorted(seen, key=_length):
        room -= _length(status)
        if why_unaskable(status) is None and room >= 0:
            fitting.add(status)
    return (*named, *(status for status in seen if status in fitting))


def _length(status: str) -> int:
    """Characters in an address, a comma with it."""
    return len(quote(status, safe="")) + 1


def warned_of_none(workspace: Workspace, resource: Resource, totals: Sequence[int | None]) -> list[str]:
    """A line, logged too, if the API lists no record with the statuses that somebody set, though the state has some.

    Raises UnexpectedAnswer if the API's document names none of them and no record has one: they are misspelt.
    """
    setting = resource.status_setting
    if setting is None or setting not in workspace.settings.explicit or any(total != 0 for total in totals):
        return []
    named, known = configured(workspace, resource), statuses_seen(workspace.warehouse, resource.name, ())
    asked, step = ", ".join(named), f"Check PROPSYNC_{setting.upper()}"
    if {*named}.isdisjoint((*known, *_documented(setting))):
        what = f"the API lists none with the statuses {asked}, which no record has and its document does not name"
        raise UnexpectedAnswer(f"GET {resource.path}", what, step)
    if not known:
        return []
    line = f"{resource.words}: the API lists none with the statuses {asked}, and earlier runs read some with "
    line += f"{', '.join(known)}. {step}"
    _log.warning("%s", line)
    return [line]


def note_unconfigured(workspace: Workspace, resource: Resource, run_id: str) -> None:
    """Notes, once each, statuses that records have and that nobody configured."""
    if resource.has_statuses:
        seen = statuses_seen(workspace.warehouse, resource.name, configured(workspace, resource))
        note_statuses(workspace.warehouse, run_id, resource.name, seen)
