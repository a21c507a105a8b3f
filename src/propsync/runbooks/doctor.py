"""Finds what could stop a run before the night does, and shows the shapes of the API's answers."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil

from propsync.api import Api, RetryPolicy, TokenSource, page_request
from propsync.desk import AGAINST
from propsync.errors import ApiUnreachable, HomeUnusable, NotFound, PropsyncError, ResourceFailed, StopRun, UsageError
from propsync.log import redact
from propsync.merge import (
    KEYS,
    REQUIREMENTS,
    TYPE,
    Known,
    Mistake,
    check_requirements,
    described,
    read_list,
    unused_columns,
)
from propsync.progress import size_in_words
from propsync.records import decode_shallow, first_text, follow
from propsync.resources import ASSESSMENT_TYPES, ASSESSMENTS, ASSET_TYPES, ASSETS, SCHEDULES, Resource
from propsync.runbooks.doctor_blocks import examine_blocks
from propsync.runbooks.doctor_bucket import examine_bucket
from propsync.runbooks.doctor_privacy import examine_labels, examine_lines
from propsync.runbooks.finding import Finding
from propsync.runbooks.push_tables import open_tables
from propsync.runbooks.usable_state import why_unusable
from propsync.runbooks.workplace import check_delta, make_home, refuse_elsewhere, refuse_half_erased
from propsync.runbooks.workspace import WAREHOUSE, configured_catalogue
from propsync.runs import RunLock
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
from propsync.storage import PARTIAL, disk_errors, refuse_unreadable, remove, replace
from propsync.sweep import ListCheck
from propsync.warehouse import statement

_NETWORK = ("nfs", "cifs", "smb", "sshfs", "9p", "gluster", "ceph", "lustre", "afs", "webdav", "davfs")
_OF_DOCUMENTS = "archive_statuses"
_SAMPLE = 200
_LEAST_FREE = 0.1
_FEWEST_FILES = 1_000


def examine(settings: Settings) -> Iterator[Finding]:
    """Runs one check after another. Raises SettingsError if none can run; UsageError at the end, if it cannot read the
    published file.
    """
    access = settings.require_api()
    yield Finding("settings", True, f"{access.base_url} ({settings.source('base_url')}), home {settings.home}")
    for name in settings.unrecognised:
        yield Finding("settings", False, f"{name} is not a setting", "Correct its name, or unset it")
    check_delta(settings)
    bucket = settings.storage()
    make_home(settings)
    unread: list[UsageError] = []
    yield from _places(settings)
    yield from _readable(_state(settings), unread)
    yield from _at_work(settings)
    yield from examine_bucket(settings, bucket)
    yield from _archive(settings)
    yield from _lists(settings)
    for findings in (_unnamed_lists(settings), _desk(settings), examine_lines(settings), examine_labels(settings)):
        yield from _readable(findings, unread)
    with Api(access.base_url, TokenSource.of(access), max_concurrency=2, policy=RetryPolicy(attempts=2)) as api:
        yield from _answers(settings, api)
    if unread:
        raise unread[0]


def _readable(findings: Iterator[Finding], unread: list[UsageError]) -> Iterator[Finding]:
    """These findings, up to one for which the published file cannot be read; that error goes to `unread`."""
    try:
        yield from findings
    except UsageError as error:
        unread.append(error)


def _places(settings: Settings) -> Iterator[Finding]:
    yield _room(settings)
    yield from _files_left(settings.home)
    kind = file_system(settings.state)
    is_local = not any(name in kind.lower() for name in _NETWORK)
    step = "Set PROPSYNC_HOME to a folder on a local disk: locks and databases break on network file systems"
    yield Finding("file system", is_local, f"{settings.state} is on {kind or 'an unknown file system'}", step)
    for folder in (settings.published, settings.landing):
        yield from _is_reached(settings, folder)
    yield from _are_readable(settings.state, settings.landing, settings.home / "archive")


def _room(settings: Settings) -> Finding:
    """The free space: a tenth of the disk, and enough for the copy of the state that each run publishes."""
    usage, state = shutil.disk_usage(settings.home), settings.state / WAREHOUSE
    share, needed = usage.free / usage.total, state.stat().st_size if state.is_file() else 0
    seen = f"{size_in_words(usage.free)} free, {share:.0%} of the disk"
    if usage.free < needed:
        seen += f", and each run makes a copy of its tables, which take {size_in_words(needed)}"
    is_well = share >= _LEAST_FREE and usage.free >= needed
    return Finding("disk", is_well, seen, "Free some space on the disk")


def _files_left(folder: Path) -> Iterator[Finding]:
    """A finding if the disk takes few further files, although it may have space; some file systems have no limit."""
    found = os.statvfs(folder)
    if found.f_files and found.f_favail < _FEWEST_FILES:
        what = f"it takes {found.f_favail:,} more files at most, whatever their size (`df -i` shows its inodes)"
        yield Finding("disk", False, what, "Delete files on the disk, also empty ones")


def _are_readable(*folders: Path) -> Iterator[Finding]:
    """A finding if this user may not list a folder below them, or read a file, such as those of a run by root."""
    try:
        for folder in folders:
            refuse_unreadable(folder)
    except HomeUnusable as error:
        yield Finding("folders", False, f"{error.where}: {error.what}", error.next_step)


def _is_reached(settings: Settings, folder: Path) -> Iterator[Finding]:
    """A finding if no run could move a finished file there: a mount or a link leads to another disk."""
    partial = settings.state / f"{secrets.token_hex(8)}{PARTIAL}"
    target = folder / partial.name
    try:
        with disk_errors(partial):
            partial.touch()
        replace(partial, target)
    except StopRun as error:
        yield Finding("folders", False, f"{folder}: {error.what}", error.next_step)
    finally:
        remove(partial)
        remove(target)


def _at_work(settings: Settings) -> Iterator[Finding]:
    lock = RunLock(settings.state / "run.lock")
    yield Finding("lock", True, f"held by {lock.holder()}" if lock.is_held() else "no run is at work")
    yield Finding("user", True, f"running as uid {os.getuid()}; readers of published/ should be other users")


def _state(settings: Settings) -> Iterator[Finding]:
    """A finding for each thing that makes every run refuse to start: the state, half an erasure or half a move."""
    if why := why_unusable(settings):
        yield Finding("state", False, f"{why.where}: {why.what}", why.next_step)
    else:
        yield from examine_blocks(settings)
    try:
        if not RunLock(settings.state / "run.lock").is_held():  # it may be that erasure
            refuse_elsewhere(settings)
            refuse_half_erased(settings)
    except PropsyncError as error:
        yield Finding("home", False, f"{error.where}: {error.what}", error.next_step)


def _archive(settings: Settings) -> Iterator[Finding]:
    """How long documents are kept, if somebody set that: a number too small would remove what a law wants kept."""
    if (years := settings.archive_keep_years) is not None:
        source = settings.source("archive_keep_years")
        seen = f"propsync removes documents {years} years after their assessment was deleted"
        yield Finding("archive", True, f"{seen} (PROPSYNC_ARCHIVE_KEEP_YEARS, {source})")


def _lists(settings: Settings) -> Iterator[Finding]:
    """The next sync's findings about people's own lists."""
    keys = KEYS | {one.name: one.key_columns[0] for one in configured_catalogue(settings).further}
    for name, path in settings.reference.items():
        found = read_list(name, path, keys.get(name), column=TYPE if name == REQUIREMENTS else None)
        if name == REQUIREMENTS:  # a sync also compares its ids with those of the API
            found.mistakes += check_requirements(found, Known())
            found.notes += unused_columns(found)
        wrong, notes = _first(path, [*found.mistakes, *found.suspects]), _first(path, found.notes)
        seen = wrong or f"{len(found.rows)} rows in {path}{f'; {notes}' if notes else ''}"
        yield Finding(f"list {name}", not wrong, seen, "Correct the list; until then a sync leaves it as it was")


def _unnamed_lists(settings: Settings) -> Iterator[Finding]:
    """The lists whose tables the next sync removes: a home that was restored without its propsync.toml has them too."""
    if not (settings.published / WAREHOUSE).exists():
        return
    with open_tables(settings) as reader:
        for (name,) in reader.rows(statement("merge/reference/people_lists"))[1]:
            if name not in settings.reference:
                seen = "[reference] in propsync.toml does not name it, so the next sync removes its table"
                yield Finding(f"list {name}", True, seen)


def _first(path: Path, issues: list[Mistake]) -> str:
    """The first issue, and how many more there are; empty without any."""
    more = f" (and {len(issues) - 1} more)" if len(issues) > 1 else ""
    return f"{described(path, issues[0].line, issues[0].issue)}{more}" if issues else ""


def _desk(settings: Settings) -> Iterator[Finding]:
    """The choices of the last run that marts rest on, and the members whose differences it took for no changes."""
    if not (settings.published / WAREHOUSE).exists():
        return
    with open_tables(settings) as reader:
        for setting, value, source, evidence in reader.rows(statement("runbooks/choices"))[1]:
            seen = f"{value or 'none'} ({source}: {evidence})"
            yield Finding(f"desk {setting}", AGAINST not in evidence, redact(seen), "Correct [desk] in propsync.toml")
        for resource, members, source, evidence in reader.rows(statement("runbooks/volatile"))[1]:
            seen = f"{members} ({source}: {evidence}); differences there are no changes, see [shapes] volatile"
            yield Finding(f"volatile members of {resource}", True, redact(seen))


def file_system(path: Path) -> str:
    """The kind of file system that a folder is on, as the system calls it (ext4, nfs4, …)."""
    mounts = [part for part in psutil.disk_partitions(all=True) if path.is_relative_to(part.mountpoint)]
    return max(mounts, key=lambda part: len(part.mountpoint)).fstype if mounts else ""


def _answers(settings: Settings, api: Api) -> Iterator[Finding]:
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
            step += f". To accept it: [shapes.{name}] '{part}' = '…' in propsync.toml"
        yield Finding(f"shape of {name.replace('_', ' ')}: {part}", choice.source != UNREAD, redact(words), step)
