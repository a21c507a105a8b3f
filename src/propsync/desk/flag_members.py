"""The members of flags and of their history that say what a flag is about, its state, its days and its priority."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from propsync.desk.choices import DeskChoices
from propsync.desk.members import Member, MemberSearch, Part
from propsync.warehouse import TABLES, Warehouse

FLAGS, HISTORY = "assessment_flags", "assessment_flag_history"
_CLOSES = ("closed", "resolved", "completed", "cleared", "fixed")
_LATER = ("updated", "modified", "changed", "due", "target", "deadline", "reviewed")
_STATUS = Part("status", "state", ("status", "state", "stage", "outcome"), needs_name=False)
_OF_FLAG = (
    _STATUS,
    Part("closed", "day", _CLOSES),
    Part(
        "raised",
        "day",
        ("raised", "opened", "reported", "identified", "created", "added", "date", "at", "on"),
        never=(*_CLOSES, *_LATER),
        needs_name=False,
    ),
    Part("priority", "priority", ("priority", "severity", "risk", "urgency", "level", "rating"), needs_name=False),
    Part("title", "text", ("title", "label", "name", "subject", "summary", "text", "type")),
    Part("reason", "text", ("reason", "description", "comment", "comments", "note", "notes", "detail", "details")),
)
_OF_ENTRY = (
    _STATUS,
    Part("moment", "day", ("at", "date", "time", "on", "created", "changed"), never=("due",), needs_name=False),
)


class FlagMembers:
    """The columns for each part in the flags of this tenant."""

    def __init__(
        self, warehouse: Warehouse, choices: DeskChoices, named: Mapping[str, Mapping[str, Sequence[str]]]
    ) -> None:
        self._found: dict[str, dict[str, Member]] = {}
        for table, parts in ((FLAGS, _OF_FLAG), (HISTORY, _OF_ENTRY)):
            search = MemberSearch(warehouse, f"main.{table}", TABLES[f"main.{table}"].columns, choices, "flag")
            self._found[table] = search.find(parts, named.get(table, {}))
        self._leave_unread_days()

    def _leave_unread_days(self) -> None:
        """Drops days of flags in a form that propsync does not read, where their history has days that it reads."""
        moment = self._found[HISTORY]["moment"]
        for part, member in self._found[FLAGS].items():
            if not member.is_read and moment.is_found and moment.is_read:
                self._found[FLAGS][part] = Member(part, None, member.evidence, is_filled=False)

    def fragments(self) -> dict[str, str]:
        """The pieces of SQL with which marts read each part."""
        flag, entry = self._found[FLAGS], self._found[HISTORY]
        of_flag = {f"flag_{part}": member.read("flags") for part, member in flag.items()}
        of_entry = {f"entry_{part}": member.read("entries") for part, member in entry.items()}
        has_status = flag["status"].is_found or entry["status"].is_found
        # without any status, a flag whose closing date is empty is open
        by_date = flag["closed"].is_found and not has_status
        return of_flag | of_entry | {"closes_by_date": "true" if by_date else "false"}

    def all(self) -> Iterator[tuple[str, Member]]:
        """Each part with the table that has its column."""
        for table, members in self._found.items():
            for member in members.values():
                yield table, member
