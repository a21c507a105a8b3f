"""How old a file is: a cell that shows a value from before, which a colleague has replaced since, is no edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from propsync.push.files.source import Source
from propsync.push.plan import UPDATE, Entry
from propsync.push.planning.columns import NOTE
from propsync.push.planning.row_checks import Aged, cells_that, first_of
from propsync.push.values.published import Key, Published
from propsync.push.values.sameness import is_same
from propsync.runs import is_run_id, time_of

_HEADING = f"{NOTE}run "


def run_heading(run: str) -> str:
    """The heading of a template's last column, which names the run that its values are from."""
    return f"{_HEADING}{run}"


def run_of(header: Iterable[str]) -> str | None:
    """The run that a file's header names, the oldest of several; None without any."""
    named = (name.removeprefix(_HEADING).strip() for name in header if name.startswith(_HEADING))
    return min(filter(is_run_id, named), default=None)


@dataclass(frozen=True)
class Version:
    """A value, or the members of a schedule, that a record had for a time."""

    value: Any
    begin: datetime
    end: datetime

    def held_at(self, moment: datetime) -> bool:
        """Whether it was the present one then."""
        return self.begin <= moment < self.end


class FileAge:
    """Compares a file with the time from which it is. A file that names no known run may be of any time."""

    def __init__(self, published: Published, source: Source, aged: Aged) -> None:
        self._published, self._aged = published, aged
        self._is_query = source.is_query
        self.run = run_of(source.header)
        is_known = self.run is not None and published.has_run(self.run)
        self.at = time_of(self.run) if self.run and is_known else None
        self._earlier: list[str] = []

    def asset_values(self, ids: Sequence[str], fields: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The values that the file was made from, by asset and field, where the present ones are newer."""
        if self.at is None or not fields:
            return {}
        found: dict[str, dict[str, Any]] = {}
        for asset_id, field_id in self._published.values_begun(ids, fields, self.at):
            found.setdefault(asset_id, {})[field_id] = None
        for (asset_id, field_id), versions in self._values(ids, fields).items():
            then = next((one.value for one in versions if one.held_at(self.at)), None)
            found.setdefault(asset_id, {})[field_id] = then
        return found

    def properties(self, ids: Sequence[str]) -> Mapping[str, str | None]:
        """The properties that the file was made from, of assets that have changed since."""
        return {} if self.at is None else self._published.earlier_properties(ids, self.at)

    def schedules(self, properties: Sequence[str]) -> dict[Key, Mapping[str, Any]]:
        """The members that the file was made from, of schedules that somebody has changed or deleted since."""
        if self.at is None:
            return {}
        versions = self._schedules(properties).items()
        held = ((key, next((one.value for one in of_key if one.held_at(self.at)), None)) for key, of_key in versions)
        return {key: members for key, members in held if members is not None}

    def unknown_schedules(self) -> set[Key]:
        """The schedules that are newer than the file, so that it cannot have them."""
        return set() if self.at is None else self._published.schedules_since(self.at)

    def look_back(self, entries: Sequence[Entry], resource: str) -> None:
        """Notes new values that the records had before, if nothing tells how old the file is."""
        if self.at is not None or self._is_query:
            return
        entries = [one for one in entries if one.changes and (one.action == UPDATE or resource != "assets")]
        fields = sorted({change.field for one in entries for change in one.changes})
        if not entries:
            return
        if resource == "assets":
            before = self._values([one.key[0] for one in entries], fields)
            had = {key: [one.value for one in of_key] for key, of_key in before.items()}
        else:
            of_keys = self._schedules(sorted({one.key[0] for one in entries})).items()
            had = {(*key, name): [one.value.get(name) for one in of_key] for key, of_key in of_keys for name in fields}
        self._earlier += [
            f"row {one.row}, {change.label}"
            for one in entries
            for change in one.changes
            if change.new is not None
            and any(is_same(value, change.new) for value in had.get((*one.key, change.field), ()))
        ]

    @property
    def notes(self) -> list[str]:
        """Lines for people about cells that are older than the tables."""
        lines = []
        if self.run is not None and self.at is None:
            lines.append(f"The file is from run {self.run}, which this home does not have")
        if stale := self._aged.stale:
            shown = (
                f"{cells_that(stale, 'shows', 'show')} what the record had in run {self.run}, and it has a newer value"
            )
            step = f"To write it all the same, delete the column {run_heading(self.run or '')}"
            lines.append(f"Stale: {shown}. The plan leaves that out: {first_of(stale)}. {step}")
        if moved := self._aged.moved:
            shown = f"{cells_that(moved, 'shows', 'show')} the property that the asset had in run {self.run}"
            lines.append(f"Moved: {shown}. The plan leaves the asset where it is now: {first_of(moved)}")
        if unseen := self._aged.unseen:
            edited = f"{cells_that(unseen, 'replaces', 'replace')} a value that is newer than the file"
            lines.append(f"Newer: {edited}: {first_of(unseen)}. Compare old and new")
        if earlier := self._earlier:
            had = f"{cells_that(earlier, 'has', 'have')} an earlier value of the record"
            lines.append(f"Older: {had}: {first_of(earlier)}. Is the file older than the last sync?")
        return lines

    def _values(self, ids: Sequence[str], fields: Sequence[str]) -> dict[tuple[str, ...], list[Version]]:
        return _by_key(self._published.earlier_values(ids, fields, self.at))

    def _schedules(self, properties: Sequence[str]) -> dict[Any, list[Version]]:
        return _by_key(self._published.earlier_schedules(properties, self.at))


def _by_key(rows: Iterable[tuple[Any, Any, datetime, datetime]]) -> dict[Any, list[Version]]:
    found: dict[Any, list[Version]] = {}
    for key, value, begin, end in rows:
        found.setdefault(key, []).append(Version(value, begin, end))
    return found
