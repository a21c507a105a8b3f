"""Examines the API's answers: their records and their shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from propsync.api import Api, page_request
from propsync.errors import ApiUnreachable, NotFound, PropsyncError, ResourceFailed
from propsync.log import redact
from propsync.records import decode_shallow, first_text, follow
from propsync.resources import ASSESSMENT_TYPES, ASSESSMENTS, ASSET_TYPES, ASSETS, SCHEDULES, Resource
from propsync.runbooks.doctor.finding import Finding
from propsync.runbooks.workspace import configured_catalogue
from propsync.settings import Settings
from propsync.shapes import (
    UNREAD,
    Shape,
    configured,
    find_list,
    find_roles,
    kinds_without_results,
    look_into_assessments,
    look_into_assets,
    look_into_schedules,
    refuse_list_astray,
)
from propsync.sweep import ListCheck

_OF_DOCUMENTS = "archive_statuses"
_SAMPLE = 200


def examine_answers(settings: Settings, api: Api) -> Iterator[Finding]:
    """The first page of every resource, and the shapes that it shows."""
    catalogue = configured_catalogue(settings)
    shapes = {name: _without_volatile(configured(settings.shapes, name, catalogue)) for name in catalogue.names}
    records: dict[str, list[Any]] = {}
    for resource in catalogue:
        try:
            records[resource.name], seen = _first_page(settings, api, resource, shapes, records)
            yield Finding(f"GET {resource.path}", True, seen)
            yield from _without_records(settings, api, resource, shapes)
        except PropsyncError as error:
            step = resource.path_setting if isinstance(error, NotFound) else error.next_step
            yield Finding(f"GET {resource.path}", False, error.what, step)
            if not isinstance(error, ResourceFailed) or isinstance(error, ApiUnreachable):
                return  # the same would be said of every other endpoint
    try:
        _look_inside(shapes, records)
    except ResourceFailed as error:
        yield Finding(error.where, False, error.what, error.next_step)
    for kind in kinds_without_results(shapes[ASSETS.name], records.get(ASSETS.name, [])):
        step = "Correct the kind there, or keep the line if assets may have such values later"
        seen = f"none of {len(records.get(ASSETS.name, []))} assets has a value of the kind {kind}"
        yield Finding(f"[shapes.assets] result_value:{kind}", False, seen, step)
    for name, shape in shapes.items():
        yield from _parts(name, shape)


def _without_volatile(shape: Shape) -> Shape:
    shape.volatile = None
    return shape


def _first_page(
    settings: Settings, api: Api, resource: Resource, shapes: Mapping[str, Shape], records: Mapping[str, list[Any]]
) -> tuple[list[Any], str]:
    query = resource.combined(_statuses(settings, resource)) if resource.has_statuses else resource.lists(())[0]
    limit = min(_SAMPLE, settings.page_limit)
    shape = shapes[resource.name]
    page = api.fetch(page_request(resource, query, limit), check=ListCheck(resource, shape)).found
    if shape.has("list"):
        refuse_list_astray(shape.choices["list"], [page], resource)
    else:
        shape.settle("list", find_list([page], resource))
    found = _records(page, shape)
    find_roles(shape, resource, [found], _known(settings, resource, shapes, records))
    total = page.get("total") if isinstance(page, dict) else None
    return found, f"{len(found)} records" + (f" of {total}" if total is not None else "")


def _records(page: Any, shape: Shape) -> list[Any]:
    return [record for path in shape.paths("list") for record in (page if path == () else follow(page, path) or [])]


def _without_records(
    settings: Settings, api: Api, resource: Resource, shapes: Mapping[str, Shape]
) -> Iterator[Finding]:
    """A finding for each status that somebody set and no record has: a list with it would be empty in silence.

    For documents, capitals do not count.
    """
    asked = {status.casefold(): status for status in _statuses(settings, resource)}
    documents = [(_OF_DOCUMENTS, "documents")] if resource is ASSESSMENTS else []
    for setting, words in [(resource.status_setting or "", resource.words), *documents]:
        for status in settings.statuses(setting) if setting in settings.explicit else ():
            spelt = asked.get(status.casefold(), status) if setting == _OF_DOCUMENTS else status
            page = decode_shallow(api.fetch(page_request(resource, resource.combined((spelt,)), 1)).body)
            if not _records(page, shapes[resource.name]):
                seen = f"no record has the status {status} (PROPSYNC_{setting.upper()}, {settings.source(setting)})"
                step = "Correct its spelling, or keep it if records may have it later"
                yield Finding(f"statuses of {words}", False, seen, step)


def _statuses(settings: Settings, resource: Resource) -> tuple[str, ...]:
    return settings.statuses(resource.status_setting) if resource.status_setting else ()


def _known(
    settings: Settings, resource: Resource, shapes: Mapping[str, Shape], records: Mapping[str, list[Any]]
) -> dict[str, set[str]]:
    def texts(name: str, role: str) -> set[str]:
        return {t for record in records.get(name, ()) if (t := first_text(record, shapes[name].paths(role)))}

    return {
        "property_ids": texts(ASSETS.name, "property"),
        "asset_type_ids": texts(ASSET_TYPES.name, "id"),
        "assessment_type_ids": texts(ASSESSMENT_TYPES.name, "id"),
        "statuses": set(_statuses(settings, resource)),
    }


def _look_inside(shapes: Mapping[str, Shape], records: Mapping[str, list[Any]]) -> None:
    types, assets = records.get(ASSET_TYPES.name, []), records.get(ASSETS.name, [])
    look_into_assets(shapes[ASSET_TYPES.name], shapes[ASSETS.name], types, assets)
    look_into_assessments(shapes[ASSESSMENTS.name], records.get(ASSESSMENTS.name, []))
    look_into_schedules(shapes[SCHEDULES.name], records.get(SCHEDULES.name, []))


def _parts(name: str, shape: Shape) -> Iterator[Finding]:
    for part, choice in sorted(shape.choices.items()):
        words = f"{choice.text or 'absent'} ({choice.source}: {choice.evidence})"
        step = f"If that is wrong: [shapes.{name}] {part} = '…' in propsync.toml"
        if choice.source == UNREAD and part in ("name", "field_label", "option_label"):
            step = f"Name it in propsync.toml: [shapes.{name}] {part} = '…'; payload has what the API sent"
        elif choice.source == UNREAD:
            step = "Compare a record with the API's document, and ask the API's operator; payload has what the API sent"
        if choice.source == UNREAD and part.startswith("result_value:"):
            step += f". To accept it: [shapes.{name}] '{part}' = '…' in propsync.toml, or '' for the whole result"
        yield Finding(f"shape of {name.replace('_', ' ')}: {part}", choice.source != UNREAD, redact(words), step)
