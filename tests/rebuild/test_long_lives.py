"""Marts of a home that lived many nights, with all that can happen in them, are those that a rebuild makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kit.comparing import assert_same, difference
from kit.deaths import Killed
from kit.sandbox_home import SandboxHome

from propsync.desk import Marts
from propsync.errors import MergeFailed
from propsync.merge.tables.record_tables import RecordTables
from propsync.runbooks import Scope
from propsync.warehouse import MARTS
from propsync_sandbox import Sandbox
from propsync_sandbox.reference import write_reference

NIGHTS, APART = 9, timedelta(days=5)
"""The nights lie far enough apart for an end of a month."""

BETWEEN = """
with netted as (
  select
    resource,
    record_id,
    change,
    case
      when resource = 'assets' and label is not null then field
      when field = 'property' then 'property_id'
      when field = 'type' then if(resource = 'assets', 'asset_type_id', 'assessment_type_id')
      else lower(regexp_replace(field, '([a-z])([A-Z])', '\\1_\\2', 'g'))
    end as field
  from changes_between(timestamptz '{after}', timestamptz '{through}')
),
shown as (
  select
    resource,
    record_id,
    case change when 'new' then 'insert' when 'returned' then 'insert' when 'deleted' then 'delete' else 'update' end,
    field
  from marts.changes
  where changed_at > timestamptz '{after}' and changed_at <= timestamptz '{through}'
)
(from netted except all from shown) union all (from shown except all from netted)
"""
"""Events and fields that only one of the two names, or more often than the other."""


class Life:
    """Edits by dice: whatever the sandbox's own nights leave out, from values written otherwise to types that go."""

    def __init__(self, sandbox: Sandbox, seed: int) -> None:
        self.sandbox = sandbox
        self.world: Any = sandbox.world
        self.dice = Random(seed)

    def night(self, number: int) -> None:
        """A night's changes."""
        self.sandbox.night()
        self._come_and_go()
        self._write_otherwise(number)
        self._move_between_types()
        self._turn_assessments(number)
        self._define_otherwise(number)
        if number == 2:
            self.sandbox._server.app.lists.signed_links = True

    def _one(self, of: list[Any]) -> Any:
        return self.dice.choice(of)

    def _come_and_go(self) -> None:
        for shelf in (self.world.assets, self.world.assessments, self.world.schedules):
            for key in self.dice.sample(shelf.gone_keys(), min(2, len(shelf.gone_keys()))):
                shelf.bring_back(key)
            for key in self.dice.sample(shelf.keys(), 2):
                shelf.delete(key)

    def _write_otherwise(self, number: int) -> None:
        """Members that widen a column; and numbers with a zero more, which are the same numbers."""
        assets = self.world.assets
        for key in self.dice.sample(assets.keys(), 2):
            floor = [3, 4, Decimal("2.5"), "ground"][min(number // 2, 3)]
            assets.set_members(key, floor=floor, tags=["a", str(number)])
        for key in self.dice.sample(assets.keys(), 8):
            for result in assets.get(key).members()["fields"]:
                if result["type"] == "number" and isinstance(result["value"], int | Decimal):
                    written = f"{result['value']}{'0' if '.' in str(result['value']) else '.0'}"
                    assets.edit_result(key, result["field"], Decimal(written))

    def _move_between_types(self) -> None:
        world = self.world
        world.assets.change_type(self._one(world.assets.keys()), self._one(world.asset_types.ids()), self.dice)
        world.assessments.change_type(self._one(world.assessments.keys()), self._one(world.assessment_types.ids()))
        world.assessments.move(self._one(world.assessments.keys()), self._one(world.properties.ids()))

    def _turn_assessments(self, number: int) -> None:
        assessments = self.world.assessments
        for status in ("approved", "submitted", self._one(["approved", "archived"])):
            assessments.set_status(self._one(assessments.keys()), status)
        assessments.set_members(self._one(assessments.keys()), score=[7, Decimal("7.5"), "high"][min(number // 3, 2)])
        assessments.raise_flag(self._one(assessments.keys()), self.dice)

    def _define_otherwise(self, number: int) -> None:
        """Names of types, options and fields change each night; kinds of fields, and which types are listed, seldom."""
        types: Any = self._one([self.world.asset_types, self.world.assessment_types])
        renamed = self._one(types.ids())
        types.rename(renamed, f"{types.get(renamed)['name']} {number}")
        types = self.world.asset_types
        optional = [(one, field) for one in types.ids() for field in types.fields(one) if field.get("options")]
        of_type, field = self._one(optional)
        option = self._one(field["options"])
        types.rename_option(of_type, field["id"], option["id"], f"{option['label']} v{number}")
        if number == 3:
            self._turn_kind(types.ids()[0])
        if number == 4:
            types.remove_field(of_type, field["id"])
        if number in (5, 6):
            types.hide(types.ids()[1], hidden=number == 5)

    def _turn_kind(self, type_id: str) -> None:
        types = self.world.asset_types
        field = next(one for one in types.fields(type_id) if one["type"] in ("number", "text"))
        field["type"] = "text" if field["type"] == "number" else "number"
        types.rename_field(type_id, field["id"], f"{field['label']} (as written)")


def _fails(*_: Any) -> bool:
    raise MergeFailed("a table", "planted")


def _dies(*_: Any) -> None:
    raise Killed("a mart")


def _fails_between(renew: Callable[..., bool]) -> Callable[..., bool]:
    def failing(tables: RecordTables, models: Any, table: str, fragments: dict[str, str]) -> bool:
        return _fails() if table == "asset_field_values" else renew(tables, models, table, fragments)

    return failing


@contextmanager
def _trouble(night: int) -> Iterator[None]:
    """The faults of a night: every mart fails, or every table, or only the second table of assets; or propsync dies."""
    with pytest.MonkeyPatch.context() as patch:
        if night == 3:
            patch.setattr(Marts, "_renew", _fails)
            patch.setattr(Marts, "_replace", _fails)
        if night in (5, 6):
            patch.setattr(RecordTables, "_renew", _fails if night == 5 else _fails_between(RecordTables._renew))
        if night == 7:
            patch.setattr(Marts, "_note", _dies)
        yield


def _live(home: SandboxHome, life: Life) -> None:
    """Nights, a backfill, and a last night with documents."""
    first = datetime.now(UTC) - NIGHTS * APART
    for number in range(NIGHTS):
        if number:
            life.night(number)
        with _trouble(number):
            if number == 7:
                with pytest.raises(Killed):
                    home.sync(now=first + number * APART)
            else:
                report = home.sync(now=first + number * APART)
                assert report.exit_code == (3 if number in (3, 5, 6) else 0), report.left_behind
    life.night(NIGHTS)
    busy = home.column("select property_id from assets group by all order by count(*) desc, 1 limit 3")
    assert home.backfill(Scope(properties=tuple(busy))).exit_code == 0
    life.sandbox.night()
    assert home.night().exit_code == 0


def _silent_or_double(home: SandboxHome) -> list[Any]:
    """The events and fields of one run that only marts.changes has, or only changes_between."""
    runs = [one.isoformat() for one in home.column("select distinct changed_at from marts.changes order by 1")]
    return [row for after, through in pairwise(runs) for row in home.rows(BETWEEN.format(after=after, through=through))]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.release) for seed in (3, 4)])
def test_a_rebuild_gives_the_same_marts(tmp_path: Path, seed: int) -> None:
    with Sandbox(scale=60, seed=seed) as sandbox:
        home = SandboxHome(sandbox, tmp_path / "home", page_limit=40)
        home.has_desk = True
        if seed % 2:  # with people's own lists
            home.path.mkdir()
            names = ("properties", "users", "requirements")
            lists = zip(names, write_reference(sandbox.world, tmp_path / "lists"), strict=True)
            entries = "\n".join(f'{name} = "{path}"' for name, path in lists)
            (home.path / "propsync.toml").write_text(f"[reference]\n{entries}\n")
        _live(home, Life(sandbox, seed))
        assert _silent_or_double(home) == []
        before = home.copy_of_published()
        assert home.rebuild().status == "ok"
        assert_same(before, home.published)
        assert difference(before, home.published, *MARTS) == {}
