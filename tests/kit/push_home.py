"""A sandbox and a home for writes, plans made by hand from what is published, and the sandbox's log of effects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kit.kept import KeptHomes
from kit.sandbox_home import SandboxHome

from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, FieldChange, Plan
from propsync.push.values.asset_values import from_table
from propsync.push.values.schedule_values import MEMBERS
from propsync.runbooks.push.apply import apply
from propsync.runbooks.push.report import PushReport
from propsync_sandbox import Sandbox

SCALE = 60
FILE = "edits.csv"
Members = Mapping[str, Any]
_VALUES = (
    "select field_id, kind, value_text, value_options, value_json, value_number is not null "
    "from asset_field_values where asset_id = ?"
)


class PushHome(SandboxHome):
    """Its plans are made without the planner: each test says what it writes."""

    @property
    def effects(self) -> Counter[tuple[str, Any]]:
        """How often each record was created, updated or deleted by a caller."""
        writes = (entry.write for entry in self.sandbox.journal.writes())
        return Counter((one.action, one.key) for one in writes if one)

    @property
    def requests(self) -> list[str]:
        """Method and path of each request, in order."""
        return [f"{one.method} {one.path}" for one in self.sandbox.journal]

    def apply(
        self, plan: Plan, allow_large: str | None = None, *, gives_up: bool = False, **given: object
    ) -> PushReport:
        """Applies a plan, or gives it up."""
        chosen = self.settings(**given)
        return apply(chosen, plan, allow_large, gives_up=gives_up, call=self.call, policy=self.policy)

    def values(self, asset_id: str) -> dict[str, Any]:
        """The published values of an asset, as a plan has them."""
        found = {}
        for field_id, kind, text, options, written, fits in self.rows(_VALUES, asset_id):
            found[field_id] = from_table(kind, text, options, written, fits=fits)
        return found

    def field(self, type_id: str, kind: str) -> str:
        """A field of a kind; dates and times are of kind text in definitions."""
        (found,) = self.rows(
            "select min(field_id) from asset_type_fields where asset_type_id = ? and kind = ?", type_id, kind
        )
        return str(found[0])

    def assets(self, count: int) -> list[tuple[str, str, str]]:
        """Published assets: id, property and type."""
        rows = self.rows("select asset_id, property_id, asset_type_id from assets order by asset_id limit ?", count)
        return [(row[0], row[1], row[2]) for row in rows]

    def schedules(self, count: int) -> list[tuple[str, str]]:
        """Published schedules: property and type."""
        query = "select property_id, assessment_type_id from schedules order by all limit ?"
        return [(row[0], row[1]) for row in self.rows(query, count)]

    def update(self, asset_id: str, values: Mapping[str, Any], row: int = 2) -> Entry:
        """An entry that updates an asset."""
        ((property_id, type_id),) = self.rows(
            "select property_id, asset_type_id from assets where asset_id = ?", asset_id
        )
        old, kinds = self.values(asset_id), self.kinds(type_id)
        changes = [
            FieldChange(name, f"Label of {name}", kinds[name], old.get(name), new) for name, new in values.items()
        ]
        return Entry(row, UPDATE, (asset_id,), property_id, type_id, changes)

    def create(self, property_id: str, type_id: str, values: Mapping[str, Any], row: int = 2) -> Entry:
        """An entry that creates an asset."""
        kinds = self.kinds(type_id)
        changes = [FieldChange(name, f"Label of {name}", kinds[name], None, new) for name, new in values.items()]
        return Entry(row, CREATE, (), property_id, type_id, changes)

    def kinds(self, type_id: str) -> dict[str, str]:
        """The kinds of a type's fields."""
        query = "select field_id, kind from asset_type_fields where asset_type_id = ?"
        return {row[0]: row[1] for row in self.rows(query, type_id)}

    def members(self, key: tuple[str, str]) -> dict[str, Any]:
        """The published members of a schedule."""
        query = (
            "select due_date, description, custom_reference, assigned_users from schedules "
            "where property_id = ? and assessment_type_id = ?"
        )
        ((due, *rest),) = self.rows(query, *key)
        return dict(zip(MEMBERS, [due and due.isoformat(), *rest], strict=True))

    def schedule(self, action: str, key: tuple[str, str], new: Members, row: int = 2) -> Entry:
        """An entry that creates, updates or deletes a schedule."""
        old: Members = {} if action == CREATE else self.members(key)
        names = MEMBERS if action == DELETE else new
        changes = [FieldChange(name, name, "text", old.get(name), new.get(name)) for name in names]
        return Entry(row, action, key, *key, changes)

    def plan(self, *entries: Entry, resource: str = "assets", file: str = FILE) -> Plan:
        """A plan of these entries, each with a row of its own."""
        rows = [Entry(row, *_but_row(entry)) for row, entry in enumerate(entries, 2)]
        run = str(self.note()["run"])
        return Plan(resource, file, "0" * 64, run, rows, sizes=self.sizes(resource))

    def sizes(self, resource: str) -> dict[str, int]:
        """The published records of each type."""
        column = "asset_type_id" if resource == "assets" else "assessment_type_id"
        return dict(self.rows(f"select {column}, count(*) from {resource} group by all"))  # type: ignore[arg-type]

    def writes(self, columns: str = "record_id, field, state") -> list[tuple[Any, ...]]:
        """The rows of ops.writes."""
        return self.rows(f"select {columns} from ops.writes order by file_row, field")


def _but_row(entry: Entry) -> Sequence[Any]:
    return (entry.action, entry.key, entry.property_id, entry.type_id, entry.changes)


@contextmanager
def push_home(kept: KeptHomes, path: Path, **options: Any) -> Iterator[PushHome]:
    """A small sandbox with these options, and a home after its first sync; a session syncs it once."""
    with Sandbox(scale=SCALE, seed=11, **options) as sandbox:
        made = PushHome(sandbox, path)
        kept.copied(("push", SCALE), made.path, lambda _: made.sync(["assets", "schedules"]))
        sandbox.journal.clear()
        yield made
