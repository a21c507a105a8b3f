"""The sources of a rebuild beside landing: older databases, the base, and the lists that only they know."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from propsync.errors import LOOK_AT_DISK, HomeUnusable, StateUnusable
from propsync.landing import Base, Bases, Manifests
from propsync.merge import Carried, dropped, knows_run, latest_run
from propsync.publish import WAREHOUSE as PUBLISHED
from propsync.resources import Catalogue, Resource, further_resources
from propsync.runbooks.erasure.lost import erasures_in
from propsync.runbooks.workplace import refuse_lost_lines
from propsync.runbooks.workspace import WAREHOUSE, configured_catalogue
from propsync.settings import Settings
from propsync.storage import LocalStorage
from propsync.warehouse import OldFile, check_further, statement

_DATABASES = ("state", "published")
_WITHOUT = "If it says so again, restore that file from a backup, or move it away to rebuild without what only it has"
_log = logging.getLogger("propsync.rebuild")


@dataclass(frozen=True)
class Source:
    """The rows to carry over; `is_current` if it knows the names of all landed runs.

    `is_database` says that they come from a database, which has the rows of all documents.
    """

    carried: Carried
    is_current: bool
    is_database: bool = False
    is_published: bool = False
    """Whether that database is the published file: no run can use the state then."""
    unnamed: Sequence[str] = ()
    """A line for each of people's own lists that propsync.toml does not name any more: they are not carried over."""


def readable_databases(settings: Settings, work: Path) -> dict[str, Path]:
    """The databases that know any run, the state database first if it knows all that is published.

    One that cannot say what it hides is none of them: it would seem to hide nothing. Clocks of two machines may
    differ, so that a later run need not have come after. Raises HomeUnusable if there is none because the disk fails.
    """
    found: dict[str, tuple[str, Path]] = {}
    failed: list[StateUnusable] = []
    for name, path in zip(_DATABASES, (settings.state / WAREHOUSE, settings.published / PUBLISHED), strict=True):
        if not path.exists():
            continue
        try:
            latest = _latest_run(path, settings, work)
        except StateUnusable as error:
            _log.warning("%s cannot be read, so propsync carries nothing over from it: %s", path, error.what)
            failed.append(error)
            continue
        if latest:
            found[name] = latest, path
    if not found:
        _refuse_failing_disk(failed)
    if len(found) == len(_DATABASES) and not knows(found["state"][1], found["published"][0], settings, work):
        found = {name: found[name] for name in reversed(found)}
    return {name: path for name, (_, path) in found.items()}


def _refuse_failing_disk(failed: Sequence[StateUnusable]) -> None:
    """Raises HomeUnusable if one of these files may be whole on a disk that fails: a rebuild replaces both.

    The rows of documents and of writes would be lost, although the disk may give them tomorrow.
    """
    for error in failed:
        if error.next_step.startswith(LOOK_AT_DISK):
            raise HomeUnusable(error.where, error.what, f"{LOOK_AT_DISK}. {_WITHOUT}") from error


def _latest_run(path: Path, settings: Settings, work: Path) -> str:
    """Its latest run, if DuckDB can read what it hides, which further lists it has and what was erased."""
    _hides(path, settings, work)
    _further_lists(path, settings, work)
    erasures_in(settings, work, path)
    return latest_run(path, memory_limit=settings.memory_limit, folder=work)


def refuse_hidden_shown(settings: Settings, work: Path, databases: dict[str, Path]) -> None:
    """Raises SettingsError if a database leaves out what `[privacy] hide` names, and there is no propsync.toml.

    Raises StateUnusable and HomeUnusable too.
    """
    if not settings.has_file:
        refuse_lost_lines(settings, is_hiding=any(_hides(path, settings, work) for path in databases.values()))


def _hides(path: Path, settings: Settings, work: Path) -> bool:
    with OldFile(path, memory_limit=settings.memory_limit, folder=work) as old:
        return bool(old.value(statement("merge/hidden/remembered")))


def find_source(settings: Settings, work: Path, base: Base | None, databases: dict[str, Path]) -> Source:
    """From the first whole readable database, else from the base.

    A database from before the base, such as a restored one, lacks runs that the base has. Without them, no later run
    could begin. Raises HomeUnusable if the disk fails to read a database and no other is whole.
    """
    failed: list[StateUnusable] = []
    for name, path in databases.items():
        if base is not None and not knows(path, base.run_id, settings, work):
            _log.warning("%s is older than landing/base, so propsync carries nothing over from it", path)
            continue
        try:
            carried = Carried.from_database(
                path, memory_limit=settings.memory_limit, folder=work, state=settings.state, lists=settings.reference
            )
        except StateUnusable as error:
            _log.warning("%s cannot be read whole, so propsync carries nothing over from it: %s", path, error.what)
            failed.append(error)
            continue
        unnamed = unnamed_lists(path, settings, work)
        is_published = name == "published"
        return Source(carried, carried.has_names, is_database=True, is_published=is_published, unnamed=unnamed)
    _refuse_failing_disk(failed)
    if base is not None:
        return Source(Carried(Bases(LocalStorage(settings.home)).paths(base)), is_current=False)
    return Source(Carried({}), is_current=False)


def unnamed_lists(path: Path, settings: Settings, work: Path) -> list[str]:
    """A line for each of people's own lists that a database has, and that propsync.toml does not name any more."""
    with OldFile(path, memory_limit=settings.memory_limit, folder=work) as old:
        lists = [name for (name,) in old.rows(statement("merge/reference/people_lists"))]
    return [dropped(name) for name in lists if name not in settings.reference]


def knows(path: Path, run_id: str, settings: Settings, work: Path) -> bool:
    """Whether the database at `path` has a run. Raises StateUnusable."""
    return knows_run(path, run_id, memory_limit=settings.memory_limit, folder=work)


def whole_catalogue(settings: Settings, work: Path, base: Base | None, databases: dict[str, Path]) -> Catalogue:
    """The resources of propsync.toml, and further lists that only landing, the base or a database still has.

    Raises SettingsError if propsync.toml gives such a list another key column.
    """
    catalogue, storage = configured_catalogue(settings), LocalStorage(settings.home)
    known = [
        *further_resources(Manifests(storage).definitions()),
        *further_resources(base.definitions if base else {}),
        *(one for path in databases.values() for one in _further_lists(path, settings, work)),
    ]
    check_further(catalogue, known)
    return catalogue.with_dropped(known)


def _further_lists(path: Path, settings: Settings, work: Path) -> list[Resource]:
    with OldFile(path, memory_limit=settings.memory_limit, folder=work) as old:
        return old.further_resources()
