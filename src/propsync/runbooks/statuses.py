"""Which statuses to ask for: those set, and those that records turned out to have."""

from __future__ import annotations

from collections.abc import Sequence

from propsync.merge import note_statuses, statuses_seen
from propsync.resources import Resource
from propsync.runbooks.site import Site
from propsync.settings import Settings

_SETTINGS = {"assessments": "assessment_statuses", "schedules": "schedule_statuses"}


def configured(site: Site, resource: Resource) -> tuple[str, ...]:
    """The statuses that the settings name, explicitly or by default."""
    setting = _SETTINGS.get(resource.name)
    found: tuple[str, ...] = getattr(site.settings, setting) if setting else ()
    return found


def asked_for(site: Site, resource: Resource) -> Sequence[str]:
    """The statuses to ask for: those set, and where none were set explicitly, those met so far as well."""
    told = configured(site, resource)
    if _SETTINGS.get(resource.name, "") in {"", *site.settings.explicit}:
        return told
    return (*told, *statuses_seen(site.warehouse, resource.name, told))


def every(site: Site, resource: Resource, asked: Sequence[str]) -> Sequence[str]:
    """All statuses that a record may have, for look-ups: also those that the settings leave out of the lists."""
    if resource.name not in _SETTINGS:
        return ()
    documented = Settings.model_fields[_SETTINGS[resource.name]].default
    wanted = (*asked, *(one for one in documented if one not in asked))
    return (*wanted, *statuses_seen(site.warehouse, resource.name, wanted))


def note_unconfigured(site: Site, resource: Resource, run_id: str) -> None:
    """Notes, once each, statuses that records have and that nobody configured."""
    if resource.status_filter:
        seen = statuses_seen(site.warehouse, resource.name, configured(site, resource))
        note_statuses(site.warehouse, run_id, resource.name, seen)
