"""The columns of the actions in bundles that say what an action is about, its state, its days, its cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from propsync.desk.choices import DeskChoices
from propsync.desk.members import Member, MemberSearch, Part
from propsync.warehouse import Warehouse, quoted

ACTIONS = "bundle_actions"
_OURS = ("assessment_id", "document_sha256", "row_number", "further")
_PROOF = ("evidence", "proof")
# beside a column for evidence, these may show what is wrong instead of what was done
_PICTURES = ("image", "images", "photo", "photos", "picture", "attachment", "attachments", "file", "files")
_OTHER_IDS = (
    *("assessment", "asset", "element", "control", "property", "type"),
    *("user", "owner", "assignee", "contractor"),
)
_EXPECTED = ("due", "target", "expected", "planned", "estimated", "proposed", "scheduled")
_PARTS = (
    Part("id", "text", ("id",), never=_OTHER_IDS, usual="id"),
    Part("reference", "text", ("reference", "ref", "number"), never=_OTHER_IDS, usual="reference"),
    Part("status", "state", ("status", "state", "stage"), usual="status"),
    Part("priority", "priority", ("priority", "severity", "risk", "urgency", "level", "rating"), usual="priority"),
    Part("due", "day", ("due", "target", "deadline"), usual="due_date"),
    Part("closed", "day", ("closed", "completed", "completion", "resolved", "closure"), never=_EXPECTED),
    Part("raised", "day", ("raised", "identified", "opened", "reported", "found", "created")),
    Part("cost", "amount", ("cost", "costs", "price", "estimate", "budget", "amount"), usual="cost"),
    Part("responsible", "text", ("responsible", "owner", "assignee", "assigned", "contractor"), usual="responsible"),
    Part("title", "text", ("title", "action", "summary", "description", "recommendation", "finding"), usual="title"),
    Part("location", "text", ("location", "place", "where", "area", "room")),
)


class ActionMembers:
    """The columns for each part in the actions of this tenant's bundles."""

    def __init__(self, warehouse: Warehouse, choices: DeskChoices, named: Mapping[str, Sequence[str]]) -> None:
        search = MemberSearch(warehouse, f"main.{ACTIONS}", _OURS, choices, "action")
        self._found = search.of_each_form(_PARTS, search.find(_PARTS, named))
        self._named_evidence = named.get("evidence")
        found = search.filled(_PROOF) or search.filled(_PICTURES)
        self._evidence = found if self._named_evidence is None else self._named_evidence

    def fragments(self) -> dict[str, str]:
        """The pieces of SQL with which marts read each part."""
        read = {f"action_{part}": member.read("actions") for part, member in self._found.items()}
        # without any status, an action whose closing date is empty is open
        by_date = self._found["closed"].is_found and not self._found["status"].is_filled
        return read | {
            "action_evidence": " or ".join(f"not staging.is_blank(actions.{quoted(name)})" for name in self._evidence)
            or "null::boolean",
            "action_closes_by_date": "true" if by_date else "false",
        }

    def all(self) -> Iterator[tuple[str, Member]]:
        """Each part with the table that has its column."""
        for member in self._found.values():
            yield ACTIONS, member
        columns, is_named = ", ".join(self._evidence), self._named_evidence is not None
        evidence = "filled columns with such a name" if columns else "no column with such a name is filled"
        said = "propsync.toml says so" if columns else "propsync.toml says that no column does"
        yield ACTIONS, Member("evidence", columns or None, said if is_named else evidence, is_configured=is_named)
