"""Plans what a seed writes, from what is published, and asks afterwards what became of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb

from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, FieldChange, Plan, save_plan
from propsync.push.values.asset_values import from_table
from propsync.push.values.schedule_values import MEMBERS
from propsync_sandbox.journal import Entry as Logged

from .erasing import names
from .ground import SmallWorld
from .kills import moments
from .oracle.problems import Problems
from .oracle.veil import Veil
from .pushes import Push

_THEIRS = {"text": "theirs", "qr": "theirs", "number": Decimal("77.77"), "description": "theirs"}
_WRITABLE = ("text", "number", "option", "qr")
_ASSETS = "select asset_id, property_id, asset_type_id from assets order by all"
_VALUES = (
    "select field_id, kind, value_text, value_options, value_json, value_number is not null "
    "from asset_field_values where asset_id = ?"
)
_FIELDS = (
    "select field_id, kind from asset_type_fields where asset_type_id = ? and is_listed and list_contains(?, kind) "
    "order by all"
)
_OPTIONS = (
    "select option_id from asset_field_options where asset_type_id = ? and field_id = ? and is_listed order by all"
)
_SCHEDULES = (
    "select property_id, assessment_type_id, due_date::varchar, description, custom_reference, assigned_users "
    "from schedules order by all"
)


@dataclass
class Written:
    """One plan in a file of its own, and the effects of callers before it was first sent."""

    path: Path
    plan: Plan
    before: int
    is_undisturbed: bool
    """Whether nobody edits the world between its first apply and its last."""
    edited: set[int] = field(default_factory=set)
    """The rows whose records somebody else edited before it was sent."""


@dataclass
class Writing:
    """All plans of a seed."""

    seed: int
    world: SmallWorld
    home: Path
    all: list[Written] = field(default_factory=list)

    def make(self, push: Push, effects: int) -> Written | None:
        """The plan of a push; None if nothing is published yet, or it would be empty."""
        published = self.home / "published"
        if not (published / "_published.json").exists():
            return None
        run = json.loads((published / "_published.json").read_text())["run"]
        dice = Random(f"plan {self.seed} {push.night}")
        with duckdb.connect(published / "warehouse.duckdb", read_only=True) as connection:
            make = _assets if push.resource == "assets" else _schedules
            entries = make(connection, push, dice)
        rows = [_with_row(row, entry) for row, entry in enumerate(entries, 2)]
        if not rows:
            return None
        plan = Plan(push.resource, "simulated.csv", "0", run, rows)
        path = self.home.parent / f"night-{push.night}.plan"
        moments.plan(None, lambda: None)  # the run before may have died, and this is no part of it
        save_plan(plan, path)
        written = Written(path, plan, effects, push.is_repeated and not push.theirs)
        self.all.append(written)
        return written

    def unfinished(self) -> list[Written]:
        """Plans of which an apply was killed."""
        return [one for one in self.all if (self.home / "state" / "push" / f"{one.plan.plan_id}.jsonl").exists()]

    def edit_by_others(self, written: Written, times: int) -> None:
        """Somebody edits the very values that a plan would change."""
        for entry in [one for one in written.plan.entries if one.action == UPDATE][:times]:
            change = next((one for one in entry.changes if one.kind in _THEIRS), None)
            with self.world.lock:
                if change is not None and self._edit(entry.key, change):
                    written.edited.add(entry.row or 0)

    def _edit(self, key: tuple[str, ...], change: FieldChange) -> bool:
        """Whether there is such a record to edit."""
        theirs = {change.field: _THEIRS[change.kind]}
        if len(key) == 1:
            return self._has_field(key[0], change.field) and bool(self.world.assets.edit(key[0], theirs))
        pair = (key[0], key[1])
        return pair in self.world.schedules and bool(self.world.schedules.set_members(pair, **theirs))

    def _has_field(self, asset_id: str, field_id: str) -> bool:
        """Whether there is such an asset, and its type still has the field."""
        asset, types = self.world.assets.get(asset_id), self.world.assets.types
        return asset is not None and any(one["id"] == field_id for one in types.fields(asset.type))

    def check(self, log: list[Logged], veil: Veil | None) -> Counter[str]:
        """Asked at the end: each effect once, and ops.writes tells of each what the log tells."""
        problems, found = Problems(), Counter[str]()
        with duckdb.connect(self.home / "published" / "warehouse.duckdb", read_only=True) as connection:
            for one in self.all:
                effects = Counter(
                    (entry.write.action, entry.write.key) for entry in log[one.before :] if entry.write is not None
                )
                found += self._check_plan(connection, one, effects, veil, problems)
        left = sorted(path.name for path in (self.home / "state" / "push").glob("*"))
        problems.expect(not left, "no journal outlives its plan", left)
        problems.settle("after everything was written")
        return found

    def _planned(self, entry: Entry) -> int:
        """How many plans write the same record in the same way; a new asset has no key before."""
        same = [of for one in self.all for of in one.plan.entries if (of.action, of.key) == (entry.action, entry.key)]
        return len(same) if entry.key else 1

    def _check_plan(
        self,
        connection: duckdb.DuckDBPyConnection,
        one: Written,
        effects: Counter[tuple[str, Any]],
        veil: Veil | None,
        problems: Problems,
    ) -> Counter[str]:
        rows = connection.execute(
            "select distinct file_row, record_id, state, code from ops.writes where plan_id = ?", [one.plan.plan_id]
        ).fetchall()
        found = Counter(f"write {state}" for _, _, state, _ in rows)
        told = {row for row, _, _, _ in rows}
        is_refused = veil is not None and names(one.plan, veil.target)
        is_whole = told == {entry.row for entry in one.plan.entries}
        problems.expect(is_whole or (is_refused and not told), "ops.writes has every row", told)
        for row, record, state, code in rows:
            entry = one.plan.entries[row - 2]
            known = veil.target.words if veil and record == veil.pseudonym else record
            key = known if one.plan.resource == "assets" else entry.key
            count = effects[entry.action, key]
            problems.expect(
                count <= self._planned(entry) or not one.is_undisturbed, "a write has one effect", entry, count
            )
            if entry.action == CREATE and state in ("applied", "verified") and one.plan.resource == "assets":
                problems.expect(count == 1, "a new asset was created once", entry, record, count)
            if state in ("skipped", "failed"):
                is_none = count == 0 or not one.is_undisturbed
                problems.expect(is_none, "what was skipped had no effect", entry, state, code)
            if row in one.edited:  # another plan may write the same record
                is_left = state == "skipped" and count < self._planned(entry)
                problems.expect(is_left, "an edit by others stays", entry, state, count)
            if one.is_undisturbed:
                problems.expect(state != "applied" or code is not None, "what was written is verified", entry, code)
        made = sum(count for (action, _), count in effects.items() if action == CREATE)
        most = sum(entry.action == CREATE for other in self.all for entry in other.plan.entries)
        problems.expect(made <= most, "no more is created than was planned", made, most)
        return found


def _with_row(row: int, entry: Entry) -> Entry:
    return Entry(row, entry.action, entry.key, entry.property_id, entry.type_id, entry.changes)


def _assets(connection: duckdb.DuckDBPyConnection, push: Push, dice: Random) -> list[Entry]:
    assets = connection.execute(_ASSETS).fetchall()
    entries = []
    for asset_id, place, kind in dice.sample(assets, min(len(assets), push.updates)):
        old = {
            name: from_table(of, text, options, written, fits=fits)
            for name, of, text, options, written, fits in connection.execute(_VALUES, [asset_id]).fetchall()
        }
        if changes := _changes(connection, kind, old, dice):
            entries.append(Entry(None, UPDATE, (asset_id,), place, kind, changes))
    for _, place, kind in dice.choices(assets, k=push.creations) if assets else ():
        entries.append(Entry(None, CREATE, (), place, kind, _changes(connection, kind, {}, dice)))
    return entries


def _changes(
    connection: duckdb.DuckDBPyConnection, type_id: str, old: dict[str, Any], dice: Random
) -> list[FieldChange]:
    fields = connection.execute(_FIELDS, [type_id, list(_WRITABLE)]).fetchall()
    chosen = dice.sample(fields, dice.randint(1, len(fields))) if fields else []
    found = []
    for name, kind in chosen:
        new = _value(connection, type_id, name, kind, dice)
        if new != old.get(name):
            found.append(FieldChange(name, name, kind, old.get(name), new))
    return found


def _value(connection: duckdb.DuckDBPyConnection, type_id: str, name: str, kind: str, dice: Random) -> Any:
    if kind == "number":
        return Decimal(dice.randrange(10**6)) / 100
    if kind == "option":
        options = [one for (one,) in connection.execute(_OPTIONS, [type_id, name]).fetchall()]
        return [dice.choice(options)] if options else None
    return dice.choice(("one", "two", f"written {dice.randrange(10**6)}", ""))


def _schedules(connection: duckdb.DuckDBPyConnection, push: Push, dice: Random) -> list[Entry]:
    rows = connection.execute(_SCHEDULES).fetchall()
    old = {(row[0], row[1]): dict(zip(MEMBERS, row[2:], strict=True)) for row in rows}
    known = dice.sample(sorted(old), min(len(old), push.updates + push.deletes))
    pairs = sorted({(place, kind) for place, _ in old for _, kind in old} - old.keys())
    free = dice.sample(pairs, min(len(pairs), push.creations))
    wanted = [
        *((UPDATE, key) for key in known[: push.updates]),
        *((DELETE, key) for key in known[push.updates :]),
        *((CREATE, key) for key in free),
    ]
    return [_of_schedule(action, key, old.get(key, {}), dice) for action, key in wanted]


def _of_schedule(action: str, key: tuple[str, str], old: dict[str, Any], dice: Random) -> Entry:
    new = {"dueDate": f"2031-0{dice.randint(1, 9)}-01", "description": f"written {dice.randrange(10**6)}"}
    names = MEMBERS if action == DELETE else tuple(new)
    changes = [FieldChange(name, name, name, old.get(name), None if action == DELETE else new[name]) for name in names]
    return Entry(None, action, key, *key, changes)
