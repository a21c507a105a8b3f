"""The knowledge of a reader of the sandbox: the records at each sync, the documents given to it, and people's lists.

All of it comes from the sandbox's own log, and nothing from propsync.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from questions.lists import Lists, Pair

from propsync_sandbox import Entry, Key, Record, World
from propsync_sandbox.findings import Row, Subject, subject
from propsync_sandbox.remedies import actions

ZONE = ZoneInfo("Europe/London")
Members = dict[str, Any]


class View:
    """The records just before the night after `night` began, as of `day`."""

    def __init__(self, world: World, night: int, day: date) -> None:
        self._world = world
        self.night = night
        self.day = day

    @cached_property
    def records(self) -> dict[str, dict[Key, Record]]:
        return {name: self._world.records_at(name, self.night) for name in ("assets", "assessments", "schedules")}

    @cached_property
    def assets(self) -> dict[str, Members]:
        return {str(key): record.members() for key, record in self.records["assets"].items()}

    @cached_property
    def assessments(self) -> dict[str, Members]:
        return {str(key): record.members() for key, record in self.records["assessments"].items()}

    @cached_property
    def schedules(self) -> dict[Pair, Members]:
        found = self.records["schedules"].items()
        return {key: record.members() for key, record in found if isinstance(key, tuple)}

    @cached_property
    def last_approved(self) -> dict[Pair, tuple[date, str]]:
        """The date and the id of the last approved assessment, by property and type; one in the future is none."""
        found: dict[Pair, tuple[date, str]] = {}
        for key, one in self.assessments.items():
            if one["status"] == "approved":
                pair, performed = (one["property"], one["type"]), date.fromisoformat(one["performedDate"])
                if performed <= self.day:
                    found[pair] = max(found.get(pair, (date.min, "")), (performed, key))
        return found


@dataclass(frozen=True)
class Paper:
    """One document as the sandbox gave it: of what, in which view, the how many-eth answer."""

    subject: Subject
    view: int
    sequence: int


class Witness:
    """`views` has one for each sync, the last is `now`; each sync came after one more night."""

    def __init__(self, world: World, entries: Sequence[Entry], lists: Lists, nights: Sequence[int]) -> None:
        self.world = world
        self.lists = lists
        first = world.calendar.first.toordinal()
        self.views = [View(world, night, date.fromordinal(first + night)) for night in nights]
        self._entries = entries

    @property
    def now(self) -> View:
        return self.views[-1]

    @property
    def today(self) -> date:
        return self.now.day

    def view_of(self, day: date) -> View | None:
        """The view at the end of that day; None before the first sync."""
        return next((view for view in reversed(self.views) if view.day <= day), None)

    def place_of(self, assessment_id: str) -> str:
        """The property of an assessment, as the last sync that saw it."""
        seen = (view.assessments.get(assessment_id) for view in reversed(self.views))
        return next(str(one["property"]) for one in seen if one is not None)

    @cached_property
    def type_names(self) -> dict[str, str]:
        """Of assets and of assessments."""
        kinds = [*self.world.asset_types.truth(), *self.world.assessment_types.truth()]
        return {kind["id"]: kind["name"] for kind in kinds}

    @cached_property
    def first_approved(self) -> dict[str, int]:
        """The place of the first view in which each assessment was approved."""
        found: dict[str, int] = {}
        for place, view in enumerate(self.views):
            for key, record in view.records["assessments"].items():
                if record.status == "approved":
                    found.setdefault(str(key), place)
        return found

    def papers(self, name: str) -> dict[str, list[Paper]]:
        """Every `report.pdf` or `bundle.zip` that was given whole, by assessment, in order."""
        places = {view.day: place for place, view in enumerate(self.views)}
        found: dict[str, list[Paper]] = {}
        for entry in self._entries:
            if entry.path.endswith(f"/{name}") and entry.status == 200 and entry.delivered and entry.day:
                [record] = entry.records
                about = self._subject(record, entry.day)
                found.setdefault(str(record.key), []).append(Paper(about, places[entry.day], entry.sequence))
        return found

    @cached_property
    def action_rows(self) -> dict[str, list[tuple[Paper, list[Row]]]]:
        """The actions in each bundle that was given, by assessment."""
        return {key: [(one, actions(one.subject)) for one in of] for key, of in self.papers("bundle.zip").items()}

    def _subject(self, record: Record, day: date) -> Subject:
        about = subject(self.world, record)
        return Subject(record, about.property_name, about.address, about.type_name, day)


def local_day(moment: str) -> date:
    """The day in London of a moment as the API writes it."""
    return datetime.fromisoformat(moment).astimezone(ZONE).date()
