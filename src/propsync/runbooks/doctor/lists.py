"""Examines people's own lists, and the choices of the last run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from propsync.desk import AGAINST
from propsync.log import redact
from propsync.merge import (
    KEYS,
    PROPERTIES,
    REQUIREMENTS,
    TYPE,
    Known,
    Mistake,
    ReferenceList,
    check_managed,
    check_requirements,
    described,
    other_headings,
    read_list,
    unused_columns,
)
from propsync.runbooks.doctor.finding import Finding
from propsync.runbooks.push.tables import open_tables
from propsync.runbooks.workspace import WAREHOUSE, configured_catalogue
from propsync.settings import Settings
from propsync.warehouse import statement

_FEWEST = 5  # ids: those of a shorter list may be mistyped


def examine_lists(settings: Settings) -> Iterator[Finding]:
    """The next sync's findings about people's own lists, and at last those that rest on the published file.

    Raises UsageError if that file cannot be read.
    """
    further = {one.name: one.key_columns[0] for one in configured_catalogue(settings).further}
    keys = KEYS | further
    properties = ReferenceList()
    for name, path in settings.reference.items():
        found = read_list(name, path, keys.get(name), column=TYPE if name == REQUIREMENTS else None)
        if name == PROPERTIES:
            properties = found
            found.mistakes += check_managed(found, keys[name])
        if name == REQUIREMENTS:  # a sync also compares its ids with those of the API
            found.mistakes += check_requirements(found, Known())
            found.notes += unused_columns(found)
        found.notes += [] if name in further else other_headings(name, found)
        wrong, notes = _first(path, [*found.mistakes, *found.suspects]), _first(path, found.notes)
        seen = wrong or f"{len(found.rows)} rows in {path}{f'; {notes}' if notes else ''}"
        yield Finding(f"list {name}", not wrong, seen, "Correct the list; until then a sync leaves it as it was")
    yield from _fit(settings, properties, keys.get(PROPERTIES))


def _fit(settings: Settings, found: ReferenceList, key: str | None) -> Iterator[Finding]:
    """A list of properties that fits no record of the last run: the check `properties_are_listed` warns of it."""
    if key not in found.columns or not (settings.published / WAREHOUSE).exists():
        return
    listed = {row[found.columns.index(key)] or "" for row in found.rows}
    with open_tables(settings) as reader:
        known = {one for (one,) in reader.rows(statement("runbooks/api_properties"))[1]}
    if len(listed) >= _FEWEST and known and listed.isdisjoint(known):
        seen = f"the API has none of its ids, such as {min(listed)}; it has {min(known)}"
        yield Finding(f"list {PROPERTIES}", False, redact(seen), "Put the API's ids into the list")


def examine_unnamed_lists(settings: Settings) -> Iterator[Finding]:
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


def examine_desk(settings: Settings) -> Iterator[Finding]:
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
