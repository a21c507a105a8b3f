"""A file from before never takes a colleague's edit back unseen."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.dialects import Dialect
from kit.encoding import Literal
from kit.world import Result, Schedule, World
from kit.world_home import WorldHome
from kit.world_server import WorldServer
from push.corrections import corrections_world, csv_file, planned
from python_calamine import load_workbook
from xlsxwriter import Workbook

from propsync.push.plan import CREATE, DELETE, Plan
from propsync.runbooks.push.plans import Wanted, make_template

_QUESTION = "Is the file older than the last sync?"
DOOR, OTHER = "a-door00", "a-door04"


class Office:
    """Somebody with a spreadsheet, and a colleague who edits in the API; propsync syncs after the colleague."""

    def __init__(self, folder: Path, world: World, server: WorldServer) -> None:
        self.folder, self.world = folder, world
        self.home = WorldHome(folder / "home", server)
        self.sync()

    def sync(self) -> None:
        assert self.home.sync(["assets", "schedules"]).exit_code == 0

    def template(self, name: str, of_type: str | None = "Doors") -> Path:
        path = self.folder / name
        make_template(self.home.settings(), "assets" if of_type else "schedules", of_type, (), path)
        return path

    def colleague(self, asset: str, **values: object) -> None:
        """Edits fields of an asset, named without their beginning."""
        results: list[Result] = next(one.results for one in self.world.assets if one.id == asset)
        for name, value in values.items():
            next(one for one in results if one.field == f"f-{name}").value = value
        self.sync()

    def plan(self, path: Path) -> Plan:
        return planned(self.home, self.folder, Wanted("assets", path))


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    world = corrections_world()
    with WorldServer(Dialect(world)) as server:
        yield Office(tmp_path, world, server)


def edit(path: Path, key: str, column: str, text: str) -> None:
    """Writes a cell of a template."""
    rows = _cells(path)
    next(row for row in rows if row[0] == key)[rows[0].index(column)] = text
    if path.suffix == ".csv":
        csv_file(path, *rows)
        return
    with Workbook(path) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate(rows):
            for at, cell in enumerate(row):
                sheet.write_string(place, at, str(cell))


def _cells(path: Path) -> list[list[str]]:
    if path.suffix == ".csv":
        return _rows(path)
    return [[str(cell) for cell in row] for row in load_workbook(path).get_sheet_by_index(0).to_python()]


def _rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def _row(path: Path, key: str) -> str:
    """The row of a record, as notes name it."""
    rows = _cells(path)
    return f"row {[row[0] for row in rows].index(key) + 1}"


def edits(plan: Plan) -> list[tuple[object, ...]]:
    return [(one.key[0], edit.field, edit.old, edit.new) for one in plan.entries for edit in one.changes]


@pytest.mark.costly
@pytest.mark.parametrize("suffix", ["xlsx", "csv"])
def test_an_untouched_template_from_before_plans_nothing_and_says_what_it_leaves_out(
    office: Office, suffix: str
) -> None:
    path = office.template(f"doors.{suffix}")
    office.colleague(DOOR, tag="COLLEAGUE", height="99", rating=["o2"])
    office.colleague(OTHER, due=None)
    plan = office.plan(path)
    assert (plan.entries, plan.refused) == ([], [])
    (stale,) = [line for line in plan.notes if line.startswith("Stale: ")]
    assert "4 cells show what the record had in run" in stale
    of_door = [(DOOR, "Tag"), (DOOR, "Height (mm)"), (DOOR, "Rating"), (OTHER, "Due")]
    assert all(f"{_row(path, key)}, {name} (" in stale for key, name in of_door)
    assert office.plan(path).notes == plan.notes


def test_edits_beside_stale_cells_are_planned_and_an_edit_of_a_newer_value_is_told(office: Office) -> None:
    path = office.template("doors.csv")
    office.colleague(DOOR, tag="COLLEAGUE", height=Literal("99"), case="filled since")
    edit(path, DOOR, "Height (mm)", "100")
    edit(path, DOOR, "At", "11:00")
    edit(path, DOOR, "location [location_3]", "mine")
    plan = office.plan(path)
    assert edits(plan) == [
        (DOOR, "f-case", "filled since", "mine"),
        (DOOR, "f-height", 99, 100),
        (DOOR, "f-at", "09:30", "11:00"),
    ]
    (newer,) = [line for line in plan.notes if line.startswith("Newer: ")]
    assert newer.startswith("Newer: 2 cells replace a value that is newer than the file")
    assert f"{_row(path, DOOR)}, Height (mm) (" in newer
    assert "1 cell shows what the record had in run" in next(line for line in plan.notes if line.startswith("Stale: "))


def test_an_asset_that_somebody_has_moved_is_no_reason_to_refuse_its_row(office: Office) -> None:
    path = office.template("doors.csv")
    door = next(one for one in office.world.assets if one.id == DOOR)
    moved = [one for one in office.world.assets if (one.property, one.type) == (door.property, door.type)]
    elsewhere = next(one.property for one in office.world.assets if one.property != door.property)
    for one in moved:
        one.property = elsewhere
    office.sync()
    edit(path, DOOR, "Height (mm)", "100")
    plan = office.plan(path)
    assert plan.refused == []
    ((entry, change),) = [(one, one.changes[0]) for one in plan.entries]
    assert (entry.key, entry.property_id, change.new) == ((DOOR,), elsewhere, 100)
    (note,) = [line for line in plan.notes if line.startswith("Moved: ")]
    assert f"{len(moved)} cells show the property that the asset had in run" in note
    assert all(f"{_row(path, one.id)}, property_id (B" in note for one in moved[:10])
    edit(path, DOOR, "property_id", "p-unknown")
    (refused,) = office.plan(path).refused
    assert refused.reason.endswith("no write moves it: write that id, or empty the cell")


def test_the_row_of_an_asset_that_is_deleted_since_is_refused_as_such(office: Office) -> None:
    path = office.template("doors.csv")
    office.world.assets.remove(next(one for one in office.world.assets if one.id == DOOR))
    office.sync()
    (refused,) = office.plan(path).refused
    assert (refused.found, refused.reason) == (DOOR, "the API no longer has this asset; delete the row")


def test_without_the_column_of_the_run_an_earlier_value_is_planned_with_a_warning(office: Office) -> None:
    path = office.template("doors.csv")
    office.colleague(DOOR, tag="COLLEAGUE")
    csv_file(path, *(row[:-1] for row in _rows(path)))
    plan = office.plan(path)
    assert edits(plan) == [(DOOR, "f-tag", "COLLEAGUE", "QR00000")]
    (older,) = [line for line in plan.notes if line.startswith("Older: ")]
    assert older == f"Older: 1 cell has an earlier value of the record: {_row(path, DOOR)}, Tag. {_QUESTION}"
    csv_file(path, ["asset_id", "Tag"], [DOOR, "never seen"])
    assert office.plan(path).notes == []


@pytest.mark.slow
def test_a_template_of_another_home_is_as_one_without_a_run(office: Office) -> None:
    csv_file(path := office.folder / "d.csv", ["asset_id", "Tag", "#run 20200101T000000000000Z"], [DOOR, "QR00000", ""])
    office.colleague(DOOR, tag="COLLEAGUE")
    notes = office.plan(path).notes
    assert notes[0] == "The file is from run 20200101T000000000000Z, which this home does not have"
    assert notes[1].startswith("Older: 1 cell has")


@pytest.mark.slow
def test_a_template_made_after_the_colleague_may_take_the_edit_back(office: Office) -> None:
    office.colleague(DOOR, tag="COLLEAGUE")
    path = office.template("doors.xlsx")
    edit(path, DOOR, "Tag", "QR00000")
    plan = office.plan(path)
    assert edits(plan) == [(DOOR, "f-tag", "COLLEAGUE", "QR00000")]
    assert [line for line in plan.notes if ": " in line] == []


def test_schedules_that_a_colleague_changed_or_deleted_stay_so(office: Office) -> None:
    path = office.template("schedules.csv", None)
    changed, deleted = office.world.schedules[0], office.world.schedules[1]
    changed.description = "Mind the dog"
    office.world.schedules.remove(deleted)
    office.sync()
    plan = planned(office.home, office.folder, Wanted("schedules", path))
    assert (plan.entries, plan.refused) == ([], [])
    (stale,) = [line for line in plan.notes if line.startswith("Stale: 2 cells")]
    assert "which somebody has deleted" in stale
    rows = _rows(path)
    row = next(one for one in rows if one[0] == deleted.property and one[2] == deleted.type)
    row[rows[0].index("due_date")] = "2027-01-01"
    csv_file(path, *rows)
    (entry,) = planned(office.home, office.folder, Wanted("schedules", path)).entries
    assert entry.action == CREATE
    assert {change.field: change.new for change in entry.changes}["description"] == "Bring a ladder"
    csv_file(path, *(one[:-1] for one in rows))
    notes = planned(office.home, office.folder, Wanted("schedules", path)).notes
    assert any(line.startswith("Older: ") for line in notes)
    assert isinstance(changed, Schedule)


def test_prune_keeps_the_schedules_that_are_newer_than_the_file(office: Office) -> None:
    path = office.template("schedules.csv", None)
    office.world.schedules.append(Schedule("p0", "k-gas", "notstarted", "2026-05-01", None, None, []))
    office.sync()
    pruned = Wanted("schedules", path, prune=True, properties=["p0"])
    plan = planned(office.home, office.folder, pruned)
    assert plan.entries == []
    assert "--prune keeps 1 schedule that is newer than the file" in plan.notes
    csv_file(path, *(row[:-1] for row in _rows(path)))
    (entry,) = planned(office.home, office.folder, pruned).entries
    assert (entry.action, entry.key) == (DELETE, ("p0", "k-gas"))
