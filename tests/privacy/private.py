"""A world with words that nobody is to see, three nights of it, and a search of every published byte."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
from kit.comparing import columns, difference
from kit.dialects import Dialect
from kit.home import Home
from kit.server import TOKEN
from kit.world import Field, Result, World, small_world
from kit.world_server import WorldServer

from propsync.runbooks import Report

LINES = (
    "assets.fields[Resident notes]",
    "assets.fields[f-options]",
    "assets.occupant",
    "assessments.occupant.name",
    "schedules.description",
)
WORD = b"zqx"
"""Every hidden value has it, and nothing else."""
FIRST = datetime(2026, 5, 4, 2, 30, tzinfo=UTC)


class PrivateHome(Home):
    """A home that may hide lines."""

    has_desk = True

    def hide(self, *lines: str) -> None:
        self.path.mkdir(exist_ok=True)
        told = ", ".join(f'"{line}"' for line in lines)
        (self.path / "propsync.toml").write_text(f"[privacy]\nhide = [{told}]\n")

    def on_night(self, night: int, **given: Any) -> Report:
        return self.sync(now=FIRST + timedelta(days=night), **given)

    def copied(self, path: Path) -> PrivateHome:
        shutil.copytree(self.path, path)
        return PrivateHome(path)


def private_world() -> World:
    """Fields of doors, members of assets, assessments and schedules, and a record without a key."""
    world = small_world(assets=24, assessments=12, schedules=8)
    doors = world.asset_types[0]
    doors.fields.append(Field("f-notes", "text", "Resident notes", "resident_notes"))
    doors.fields.append(Field("f-options", "option", "Needs", "needs", (("o-1", "zqx needs"), ("o-2", "zqx more"))))
    doors.fields.append(Field("f-later", "text", "Remarks", "remarks"))
    for number, asset in enumerate(world.assets):
        asset.extra = {"occupant": {"name": f"zqx occupant {number}"}, "score": number}
        if asset.type == doors.id:
            asset.results.append(Result("f-notes", "text", f"zqx note {number}"))
            asset.results.append(Result("f-options", "option", ["o-1"]))
            asset.results.append(Result("f-later", "text", f"remark {number}"))
    for number, one in enumerate(world.assessments):
        one.extra = {"occupant": {"name": f"zqx tenant {number}", "floor": number}}
    for number, schedule in enumerate(world.schedules):
        schedule.description = f"zqx instructions {number}"
    world.odd = {"assets": [{"occupant": "zqx nobody", "score": 1}]}
    return world


def second(world: World) -> None:
    """Hidden values alone change; a record goes."""
    asset = next(one for one in world.assets if one.type == world.asset_types[0].id)
    next(one for one in asset.results if one.field == "f-notes").value = "zqx changed"
    world.assessments[0].extra["occupant"]["name"] = "zqx moved in"
    world.assets[1].extra["occupant"] = {"name": "zqx another"}


def third(world: World) -> None:
    """Shown values change, a hidden field's label too."""
    world.assets[2].extra["score"] = 99
    notes = next(one for one in world.asset_types[0].fields if one.id == "f-notes")
    notes.label = "Comments"
    del world.assets[3]
    world.schedules[0].due = "2026-09-09"
    world.odd = {}  # else the server cannot answer a look-up of the asset that went


NIGHTS: tuple[Callable[[World], None], ...] = (lambda _: None, second, third)


def live(home: PrivateHome, nights: tuple[Callable[[World], None], ...] = NIGHTS) -> None:
    world = private_world()
    with WorldServer(Dialect(world)) as server:
        for number, change in enumerate(nights):
            change(world)
            report = home.on_night(number, **served(server))
            assert report.exit_code == 0, report.left_behind


def served(server: WorldServer) -> dict[str, Any]:
    return {"base_url": server.url, "token": TOKEN, "page_limit": 10}


def found_in(folder: Path) -> list[str]:
    """The places below a folder that have the hidden word, as bytes or in a column."""
    found = []
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        if WORD in path.read_bytes():
            found.append(f"{path.name}: raw")
        found += [f"{path.name}: {place}" for place in _columns_with_word(path)]
    return found


def _columns_with_word(path: Path) -> Iterator[str]:
    word = WORD.decode()
    if path.suffix == ".parquet":
        with duckdb.connect() as connection:
            if connection.execute(f"select count(*) from '{path}' as t where t::varchar like '%{word}%'").fetchall()[0][
                0
            ]:
                yield "rows"
    elif path.suffix == ".duckdb":
        with duckdb.connect(path, read_only=True) as connection:
            named = connection.execute(
                "select schema_name, table_name from duckdb_tables() union all "
                "select schema_name, view_name from duckdb_views() where not internal"
            ).fetchall()
            for schema, table in named:
                query = f"select count(*) from {schema}.\"{table}\" as t where t::varchar like '%{word}%'"
                if connection.execute(query).fetchall()[0][0]:
                    yield f"{schema}.{table}"


def quiet_night(home: PrivateHome, night: int, **given: Any) -> Report:
    """A night after the three on which nothing changed."""
    world = private_world()
    for change in NIGHTS:
        change(world)
    with WorldServer(Dialect(world)) as server:
        return home.on_night(night, **served(server), **given)


def difference_of_data(before: Path, after: Path) -> dict[str, Any]:
    """Rows of main, history and by_type that one has and the other lacks, whatever the order of columns."""
    named = {(schema, table, column, kind) for schema, table, column, kind in columns(before)}
    others = {(schema, table, column, kind) for schema, table, column, kind in columns(after)}
    return {"columns": sorted(named ^ others)} if named != others else difference(before, after)
