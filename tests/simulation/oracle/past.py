"""History: whole intervals, versions that the sandbox showed to that very run, deletes that the world made."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from propsync_sandbox import Key

from ..watch import Window
from .canonical import canonical
from .problems import Problems
from .published import RUN_ID, Published, Version

TYPES = ("asset_types", "assessment_types")


class Past:
    """Checks the history of one published file against what was shown, run by run."""

    def __init__(
        self,
        windows: Sequence[Window],
        problems: Problems,
        *,
        documents_allowed: bool,
        same: Collection[tuple[str, Key, datetime]] = (),
    ) -> None:
        """`same` are versions whose only difference was erased."""
        self._windows = windows
        self._problems = problems
        self._documents_allowed = documents_allowed
        self._same = same
        self._shown: dict[tuple[str, str], dict[Key, list[Any]]] = {}

    def check(self, found: Published) -> None:
        """Every row of every history table."""
        for resource in found.with_types:
            for versions in found.history(resource).values():
                self._check_chain(resource, versions)
                if versions[0].change == "erase":  # `erased` tells of these
                    continue
                for before, version in zip([None, *versions[:-1]], versions, strict=True):
                    self._check_change(resource, before, version)
                    self._check_version(resource, before, version)

    def _check_chain(self, resource: str, versions: list[Version]) -> None:
        name = f"{resource} {versions[0].key}"
        following = [*versions[1:], None]
        for version, after in zip(versions, following, strict=True):
            until = after.valid_from if after else None
            self._problems.expect(
                version.valid_to == until and (until is None or until > version.valid_from),
                "no interval overlaps or gaps",
                f"{name}: [{version.valid_from}, {version.valid_to}) is followed by {until}",
            )

    def _check_change(self, resource: str, before: Version | None, version: Version) -> None:
        name = f"{resource} {version.key} at {version.run_id}"
        is_gone = before is None or before.change == "delete"
        if version.change == "insert":
            self._problems.expect(is_gone, "an insert follows nothing or a tombstone", name)
        elif before is None or is_gone:
            self._problems.add(f"an {version.change} follows a version", name)
        elif version.change == "update":
            differs = _content(resource, before) != _content(resource, version)
            differs = differs or (resource, version.key, version.valid_from) in self._same
            self._problems.expect(differs, "an update differs from what it follows", name, version.payload)
        else:
            same = before.payload == version.payload
            self._problems.expect(version.change == "delete" and same, "a tombstone has the last payload", name)

    def _check_version(self, resource: str, before: Version | None, version: Version) -> None:
        name = f"{resource} {version.key} {version.change} at {version.run_id}"
        window = self._window(version)
        if window is None:
            self._problems.add("a row is opened by a run that there was", name, version.valid_from)
        elif resource in TYPES:
            self._check_type(resource, version, window, name)
        elif version.change == "delete":
            self._check_delete(resource, version, window, name)
        else:
            self._check_shown(resource, before, version, window, name)

    def _window(self, version: Version) -> Window | None:
        time = datetime.strptime(version.run_id, RUN_ID).replace(tzinfo=UTC)
        self._problems.expect(time == version.valid_from, "valid_from is the run's time", version.key, version.run_id)
        # of runs without a time of their own, one that died early may have left no trace of it
        return next((one for one in reversed(self._windows) if one.is_of(time)), None)

    def _check_delete(self, resource: str, version: Version, window: Window, name: str) -> None:
        is_gone = window.was_gone(resource, version.key)
        if resource == "assessments" and (not self._documents_allowed or window.is_refused(version.key)):
            is_gone = is_gone or window.was_hidden(resource, version.key)
        self._problems.expect(is_gone, "no delete that the world did not make", name, f"({window.name})")

    def _check_shown(self, resource: str, before: Version | None, version: Version, window: Window, name: str) -> None:
        shown = self._shown_in(window, resource).get(version.key, [])
        content = canonical(resource, version.payload)
        same = [record for one, record in shown if one == content]
        if before and version.facts[:1] == (None,) and before.payload == version.payload:
            probed = any(one.status == 200 and f"/{version.key}/report.pdf" in one.path for one in window.entries)
            unseen = window.was_hidden(resource, version.key) or window.was_gone(resource, version.key)
            self._problems.expect(probed and unseen, "a status is unknown where only the report is there", name)
        elif not same:
            self._problems.add("history has what the sandbox showed", name, version.payload)
        elif resource == "assessments":
            told = {side for _, record in shown for side in record.performed}
            # what a list that was read in part does not show stays as it was
            kept = before.performed if before and before.change != "delete" else frozenset()
            status = version.facts[0]
            is_own = status in (None, *(record.status for record in same))
            self._problems.expect(is_own, "a status is the record's own", name, status)
            self._problems.expect(version.performed <= told | kept, "performed as a list showed", name, told)

    def _shown_in(self, window: Window, resource: str) -> dict[Key, list[Any]]:
        place = (window.name, resource)
        if place not in self._shown:
            self._shown[place] = {
                key: [(canonical(resource, record.shown(entry.with_flags)), record) for entry, record in readings]
                for key, readings in window.shown(resource).items()
            }
        return self._shown[place]

    def _check_type(self, resource: str, version: Version, window: Window, name: str) -> None:
        if version.change == "delete":
            return
        path = "assessments/types" if resource == "assessment_types" else "properties/assets"
        shown = {entry.types for entry in window.entries if entry.types and path in entry.path}
        content = json.loads(version.payload)
        same = any(content in json.loads(types) for types in shown)
        self._problems.expect(same, "history has the types that the sandbox showed", name, version.payload)


def _content(resource: str, version: Version) -> tuple[Any, ...]:
    content = canonical(resource, version.payload) if resource not in TYPES else json.loads(version.payload)
    return (content, *version.facts)
