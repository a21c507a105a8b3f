"""From a file to a plan: exactly the edits of the file, and a refusal with its place for everything else."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kit.command_line import CommandLine
from kit.dialects import FAMILIES, Dialect, Objects
from kit.world import small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer
from push.corrections import TEXTS, corrections_world, csv_file, planned
from variants import slow, some
from xlsxwriter import Workbook

from propsync.errors import UsageError
from propsync.push.files.corrections import read_file
from propsync.push.files.source import UnsureDate, letters
from propsync.push.plan import CREATE, DELETE, UPDATE, Entry, Plan
from propsync.push.review.changes import change_rows, changes_to_json
from propsync.push.review.names import Names
from propsync.push.values import cells
from propsync.push.values.fields import Field
from propsync.push.values.published import Published
from propsync.runbooks.push.plans import Wanted, make_template, names_of

Make = Callable[..., Plan]
DOOR = "a-door00"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorldHome]:
    """A home with the world of corrections, and with lists of users and properties."""
    folder = tmp_path_factory.mktemp("corrections") / "home"
    folder.mkdir()
    (folder / "propsync.toml").write_text('[reference]\nusers = "users.csv"\nproperties = "properties.csv"\n')
    (folder / "users.csv").write_text("user_id,name\nu1,Ann Lee\nu2,Ben\nu3,Ben\n")
    (folder / "properties.csv").write_text("property_id,name\np0,Ash House\np8,New House\n")
    with WorldServer(Dialect(corrections_world())) as server:
        made = WorldHome(folder, server)
        made.has_desk = True
        assert made.sync().exit_code == 0
        yield made


@pytest.fixture
def assets(home: WorldHome, tmp_path: Path) -> Make:
    """Plans a CSV of assets with these rows, the header first."""

    def made(*rows: Any, **options: Any) -> Plan:
        return planned(home, tmp_path, Wanted("assets", csv_file(tmp_path / "edits.csv", *rows), **options))

    return made


@pytest.fixture
def schedules(home: WorldHome, tmp_path: Path) -> Make:
    """The same for schedules."""

    def made(*rows: Any, **options: Any) -> Plan:
        return planned(home, tmp_path, Wanted("schedules", csv_file(tmp_path / "edits.csv", *rows), **options))

    return made


def edits(plan: Plan) -> list[tuple[Any, ...]]:
    """Every change with its row and record."""
    return [(one.row, one.key[0], edit.field, edit.old, edit.new) for one in plan.entries for edit in one.changes]


def template(home: WorldHome, path: Path, of_type: str | None, resource: str = "assets") -> list[list[str]]:
    """The rows of a new CSV template, the header first."""
    make_template(home.settings(), resource, of_type, (), path)
    return list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


@pytest.mark.parametrize("suffix", ["xlsx", "csv"])
@pytest.mark.parametrize("of_type", ["Doors", "Lifts", "t-twin1", None])
def test_an_unedited_template_plans_nothing(home: WorldHome, tmp_path: Path, of_type: str | None, suffix: str) -> None:
    resource, path = "assets" if of_type else "schedules", tmp_path / f"rows.{suffix}"
    _, count, _ = make_template(home.settings(), resource, of_type, (), path)
    if count:
        plan = planned(home, tmp_path, Wanted(resource, path))
        assert (plan.entries, plan.refused, plan.notes) == ([], [], [f"{count:,} rows change nothing"])
    assert count == {"Doors": len(TEXTS), "Lifts": 3, "t-twin1": 0, None: 4}[of_type]


def test_the_header_of_a_template_leads_back_to_each_field(home: WorldHome, tmp_path: Path) -> None:
    header, *rows = template(home, tmp_path / "doors.csv", "Doors")
    assert header[:4] == ["asset_id", "property_id", "#property", "asset_type"]
    assert header.pop() == f"#run {home.column('select max(run_id) from ops.runs')[0]}"
    assert header[4:] == [
        *(
            "Location [location]",
            "Location [location_2]",
            "location [location_3]",
            "field",
            "_1_remark",
            "asset_id [asset_id_2]",
        ),
        *("Type [type]", "'=1+1", "备注 [bei_zhu]", "日期 [riqi]", "Rating", "Height (mm)", "Due", "At", "Tag"),
    ]
    assert rows[0][2:4] == ["Ash House", "Doors"]
    assert [row[header.index("Rating")] for row in sorted(rows)[:6]] == ["FD30", "o3; FD30", "o5", "", "'=1", "FD30"]
    with pytest.raises(UsageError, match="it exists already"):
        template(home, tmp_path / "doors.csv", "Doors")


def test_edits_in_a_template_are_planned_and_nothing_else(home: WorldHome, tmp_path: Path) -> None:
    path = tmp_path / "doors.csv"
    header, *rows = template(home, path, "Doors")
    at = {name: place for place, name in enumerate(header)}
    rows.sort()
    rows[0][at["Location [location]"]] = "Core A"
    rows[0][at["Height (mm)"]] = "12.75"
    rows[1][at["Rating"]] = "fd60; Gap; wide"
    rows[2][at["At"]] = "9:45"
    rows[3][at["'=1+1"]] = "made up"
    rows[4][at["Due"]] = "[clear]"
    csv_file(path, header, *rows)
    plan = planned(home, tmp_path, Wanted("assets", path))
    assert plan.refused == []
    assert edits(plan) == [
        (2, "a-door00", "f-place", 'say "it"', "Core A"),
        (2, "a-door00", "f-height", Decimal("12.50"), Decimal("12.75")),
        (3, "a-door01", "f-rating", ["o3", "o1"], ["o2", "o5"]),
        (4, "a-door02", "f-at", "09:30", "09:45"),
        (5, "a-door03", "f-formula", None, "made up"),
        (6, "a-door04", "f-due", "2026-03-02", None),
    ]
    assert [str(one.changes[1].old) for one in plan.entries[:1]] == ["12.50"]
    assert plan.entries[1].changes[0].names == {"o1": "FD30", "o2": "FD60", "o3": "Twin [o3]", "o5": "Gap; wide"}
    assert plan.sizes == {"t-doors": len(TEXTS)}
    assert (plan.file, len(plan.file_sha256)) == ("doors.csv", 64)
    assert plan.published_run == home.note()["run"]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("f-tag", "f-tag"),
        ("tag", "f-tag"),
        ("Tag", "f-tag"),
        ("TAG", "f-tag"),
        ("Anything [tag]", "f-tag"),
        ("location", "f-place"),  # a column's name before a label
        ("备注", "f-zh"),
        ("asset_id_2", "f-key"),
    ],
)
def test_a_column_is_matched_by_id_name_or_label(assets: Make, name: str, field: str) -> None:
    assert [one[2:4] for one in edits(assets(["asset_id", name], [DOOR, "new"]))] == [
        (field, {"f-tag": "QR00000", "f-key": None}.get(field, TEXTS[0]))
    ]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        (
            ["asset_id", "Location"],
            "2 fields of Doors have this name: write Location [location] and Location [location_2]",
        ),
        (["asset_id", "Heigth (mm)"], "did you mean Height (mm)"),
        (["asset_id", "Serial"], "no field of Doors is called 'Serial'"),
        (["asset_id", "Height"], "no field of Doors is called 'Height'; did you mean height_mm or Height (mm)?"),
        (["asset_id", "Tag", "tag"], "are both the field Tag"),
        (["asset_id", "asset_id"], "2 columns are called asset_id"),
        (["Tag", "Due"], "it has no column asset_id"),
    ],
)
def test_a_header_that_propsync_cannot_match_refuses_the_file(assets: Make, header: list[str], words: str) -> None:
    with pytest.raises(UsageError) as error:
        assets(header, [DOOR, *["x"] * (len(header) - 1)])
    assert words in str(error.value)
    assert "edits.csv" in str(error.value)


def test_columns_of_people_are_ignored_and_a_column_without_a_name_must_be_empty(assets: Make) -> None:
    plan = assets(["asset_id", "#why", "", "tag"], [DOOR, "typing error", "", "new"], ["a-door01", "", "lost", "new"])
    assert [one[:3] for one in edits(plan)] == [(2, DOOR, "f-tag")]
    assert [(one.row, one.column, one.found) for one in plan.refused] == [(3, "C3", "lost")]


def test_a_file_may_hold_several_types(assets: Make) -> None:
    header = ["asset_id", "Serial", "Tag", "location"]
    plan = assets(header, [DOOR, "", "new", ""], ["a-lift0", "S9", "", "Top"], ["a-lift1", "", "x", ""])
    assert [one[1:3] for one in edits(plan)] == [(DOOR, "f-tag"), ("a-lift0", "f-serial"), ("a-lift0", "f-lift")]
    assert [(one.row, one.column, one.reason) for one in plan.refused] == [
        (4, "Tag (C4)", "Lifts has no such field; empty the cell")
    ]


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [
        (["a-nobody", "", "", "x"], "asset_id (A2)", "no asset has this id"),
        (["4.892E+092", "", "", "x"], "asset_id (A2)", "shortened"),
        (["#REF!", "", "", "x"], "asset_id (A2)", "error of the spreadsheet"),
        ([DOOR, "p1", "", "x"], "property_id (B2)", "the asset belongs to property p0"),
        ([DOOR, "", "Lifts", "x"], "asset_type (C2)", "the asset is of the type Doors"),
        ([DOOR, "", "Gates", "x"], "asset_type (C2)", "knows no such type"),
        (["", "", "Doors", "x"], None, "needs property_id and type"),
        (["", "p-new", "Doors", "x"], "property_id (B2)", "knows no such property"),
        (["", "p1", "", "x"], None, "needs a type"),
        (["", "p1", "Alarms", ""], "asset_type (C2)", "write the id t-twin1 or t-twin2"),
        ([DOOR, "p0", "door", "x", ""], None, "it has 5 cells, and the header has 4"),
    ],
)
def test_a_row_that_cannot_be_planned_says_where_and_why(
    assets: Make, row: list[str], column: str | None, words: str
) -> None:
    plan = assets(["asset_id", "property_id", "asset_type", "tag"], row)
    assert [(one.row, one.column) for one in plan.refused] == [(2, column)]
    assert words in plan.refused[0].reason
    assert plan.entries == []


def test_a_refused_row_costs_no_other_row_and_all_its_faults_are_named(assets: Make) -> None:
    header = ["asset_id", "Height (mm)", "Due", "Tag"]
    plan = assets(header, [DOOR, "tall", "45231", "new"], ["a-door01", "3", "", ""])
    assert [(one.row, one.column, one.found) for one in plan.refused] == [
        (2, "Height (mm) (B2)", "tall"),
        (2, "Due (C2)", "45231"),
    ]
    assert [one[0] for one in edits(plan)] == [3]


def test_rows_that_name_the_same_record_are_all_refused(assets: Make) -> None:
    plan = assets(["asset_id", "tag"], [DOOR, "new"], ["a-door01", "new"], [DOOR, ""], [DOOR, "other"])
    assert [(one.row, one.reason) for one in plan.refused] == [
        (2, "row 4 names the same record; keep one of them"),
        (4, "row 2 names the same record; keep one of them"),
        (5, "row 2 names the same record; keep one of them"),
    ]
    assert [one[0] for one in edits(plan)] == [3]


def test_a_row_without_an_id_is_a_new_asset(assets: Make) -> None:
    header = ["asset_id", "property_id", "type", "Tag", "Due"]
    rows = [["", "p1", "Doors", "QR9", ""], ["", "p8", "t-doors", "", "2026-01-31"], ["", "p9", "", "", ""]]
    plan = assets(header, *rows, of_type="Doors")
    assert plan.refused == []
    assert plan.notes == []
    assert [(one.action, one.key, one.property_id, one.type_id) for one in plan.entries] == [
        (CREATE, (), property_id, "t-doors") for property_id in ("p1", "p8", "p9")
    ]
    assert [[(edit.field, edit.old, edit.new) for edit in one.changes] for one in plan.entries] == [
        [("f-tag", None, "QR9")],
        [("f-due", None, "2026-01-31")],
        [],
    ]


def test_a_template_whose_ids_are_gone_says_that_it_copies_assets_and_needs_consent(
    home: WorldHome, line: CommandLine, tmp_path: Path
) -> None:
    header, *rows = template(home, tmp_path / "doors.csv", "Doors")
    csv_file(tmp_path / "edits.csv", header, *(["", *row[1:]] for row in rows))
    done = line("push", "plan", "assets", "edits.csv", "--out", "my.plan")
    said = done.stdout.splitlines()
    count = len(TEXTS) - 1  # propsync refuses the row with #REF!
    assert f"New: {count} assets, because asset_id is empty there. The API cannot delete an asset" in said
    assert f"Large: it creates {count} records of the type Doors, which has {count + 1}" in said
    (copies,) = [one for one in said if one.startswith("Note: Copies: ")]
    # one begins with an apostrophe, which a cell for a new text may have against formulas
    assert f"{count - 1} new assets have all the values of an asset that exists: row 2 as asset {rows[0][0]};" in copies
    applied = line("push", "apply", "my.plan")
    assert (applied.returncode, applied.stdout) == (2, "")
    assert "the plan is large: it creates" in applied.stderr


def test_a_file_of_the_other_resource_is_called_that(assets: Make, schedules: Make) -> None:
    with pytest.raises(UsageError, match="Run `propsync push plan schedules` with it"):
        assets(("property_id", "assessment_type_id", "description"), ("p0", "k-fire", "new"))
    with pytest.raises(UsageError, match="Run `propsync push plan assets` with it"):
        schedules(("asset_id", "property_id", "Tag"), (DOOR, "p0", "new"))


def test_a_column_that_was_sorted_or_moved_without_its_rows_is_named(assets: Make) -> None:
    def notes(places: Sequence[str]) -> list[str]:
        rows = [(f"a-door{number:02d}", place) for number, place in enumerate(places)]
        plan = assets(("asset_id", "location_2"), *rows)
        assert plan.entries
        return [one for one in plan.notes if one.startswith("Sorted")]

    places = [f"place {number}" for number in range(10)]
    step = "Has somebody sorted or moved cells without their rows?"
    assert notes(places[::-1]) == [f"Sorted: 10 new values of Location are old values of other rows. {step}"]
    assert notes([*places[1:], "place 10"]) == [
        f"Sorted: 9 new values of Location are old values of other rows. {step}"
    ]
    assert notes([f"{place}a" for place in places]) == []
    assert notes([*places[1::-1], *places[2:]]) == [], "two cells may change places"


def test_a_new_asset_with_one_value_of_its_own_is_no_copy(assets: Make) -> None:
    header = ["asset_id", "property_id", "Tag", "Due", "Rating", "Height (mm)"]
    own, same = ["", "p0", "QR00000", "2026-03-03", "FD30", ""], ["", "p0", "QR00000", "2026-03-02", "FD30", "12.5"]
    elsewhere, other = ["", "p1", *same[2:]], ["", "p0", "", "", "", "9007199254740993"]
    plan = assets(header, own, same, elsewhere, other, of_type="Doors")
    note, _ = plan.notes
    assert "2 new assets have" in note
    assert "row 3 as asset a-door00; row 5 as asset a-door03" in note
    assert [one[:5] for one in assets(header, own, elsewhere, of_type="Doors").notes] == ["Codes"]


def test_a_new_code_that_another_asset_has_is_named(assets: Make) -> None:
    def codes(*rows: Sequence[str]) -> list[str]:
        plan = assets(("asset_id", "property_id", "Tag", "Due"), *rows, of_type="Doors")
        return [one for one in plan.notes if "QR" in one]

    copied, new, again = ("", "p0", "QR00001", ""), ("", "p0", "QR9", ""), ("a-door02", "", " QR9 ", "")
    step = "Is it a copied row?"
    assert codes(copied, new) == [f"Codes: another asset has 1 of the new QR codes: row 2 as asset a-door01. {step}"]
    assert codes(copied, new, again) == [
        f"Codes: another asset has 2 of the new QR codes: row 2 as asset a-door01; row 4 as row 3. {step}"
    ]
    assert codes(("a-door01", "", "QR00002", ""), ("a-door02", "", "QR00001", "")) == [], "two codes change places"
    assert codes(("a-door01", "", "QR00001", "2031-01-01"), new) == [], "it has this code already"


def test_a_new_asset_that_two_rows_describe_is_named(assets: Make) -> None:
    header = ["asset_id", "property_id", "Tag", "Rating"]
    new, other = ["", "p0", "QR9", "FD30; Gap; wide"], ["", "p0", "QR10", ""]
    blank = ["", "p1", "", ""]
    plan = assets(
        header,
        new,
        other,
        ["", "p0", "QR9", "Gap; wide; FD30"],
        ["", "p1", *new[2:]],
        blank,
        blank,
        new,
        of_type="Doors",
    )
    note, _ = plan.notes
    assert note.startswith(
        "Repeats: 2 new assets have all the values of an earlier row: row 4 as row 2; row 8 as row 2."
    )


def test_type_names_the_type_of_every_row(assets: Make) -> None:
    plan = assets(
        ["asset_id", "property_id", "location"],
        ["", "p1", "Top"],
        ["a-lift0", "", "Top"],
        [DOOR, "", "x"],
        of_type="lift",
    )
    assert [(one.action, one.type_id) for one in plan.entries] == [(CREATE, "t-lifts"), (UPDATE, "t-lifts")]
    assert [(one.row, one.reason) for one in plan.refused] == [(4, "the asset is of the type Doors, not Lifts")]
    with pytest.raises(UsageError, match=r"knows no type Gates\. Give one of: Alarms, Alarms, Doors, Lifts"):
        assets(["asset_id", "tag"], [DOOR, "x"], of_type="Gates")


def test_an_export_is_a_file_of_corrections_too(home: WorldHome, tmp_path: Path) -> None:
    """Of a table by type: images and rounded numbers are unedited as they are; an edited image is refused."""
    export = "from by_type.doors order by asset_id"
    line = CommandLine(tmp_path, home.environ())
    for form in (("--format", "csv"), ("--format", "csv", "--excel"), ("--format", "json")):
        path = tmp_path / f"export.{form[1]}"
        path.write_text(line("query", export, *form).stdout, encoding="utf-8")
        plan = planned(home, tmp_path, Wanted("assets", path))
        assert (plan.entries, plan.refused) == ([], []), form
    plan = planned(home, tmp_path, Wanted("assets", None, sql="select asset_id, 'x.jpg' as photo from by_type.doors"))
    assert len(plan.refused) == len(TEXTS)
    assert "does not show how to write" in plan.refused[0].reason
    assert plan.refused[0].column == "photo"


def _xlsx(path: Path, rows: list[list[Any]]) -> None:
    with Workbook(path) as book:
        sheet = book.add_worksheet("notes")
        sheet.write_string(0, 0, "Not this sheet")
        sheet = book.add_worksheet("edits")
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for number, row in enumerate(rows, 2):  # two blank rows above
            for place, cell in enumerate(row):
                if isinstance(cell, date):
                    sheet.write_datetime(number, place, cell, day)
                elif cell == "=1/0":
                    sheet.write_formula(number, place, cell, None, "#DIV/0!")
                else:
                    sheet.write(number, place, cell)


def test_each_kind_of_file_gives_the_same_plan(home: WorldHome, tmp_path: Path) -> None:
    header = ["asset_id", "Height (mm)", "Due", "Tag"]
    texts = [[DOOR, "7.5", "2026-01-31", "é"], ["a-door01", "", "", "Q"]]
    typed: list[list[Any]] = [[DOOR, 7.5, date(2026, 1, 31), "é"], ["a-door01", None, None, "Q"]]
    comma = "\n".join(",".join(row) for row in [header, *texts])
    (tmp_path / "a.csv").write_text(comma, encoding="utf-8-sig")
    (tmp_path / "b.csv").write_text(comma.replace(",", ";"), encoding="windows-1252")
    (tmp_path / "c.csv").write_text("sep=\t\r\n" + comma.replace(",", "\t").replace("\n", "\r\n"), encoding="utf-8")
    _xlsx(tmp_path / "d.xlsx", [header, *typed])
    columns = {name: [row[place] for row in typed] for place, name in enumerate(header)}
    pq.write_table(pa.table(columns), tmp_path / "e.parquet")
    lines = [{name: cell for name, cell in zip(header, row, strict=True) if cell} for row in texts]
    (tmp_path / "f.jsonl").write_text(
        "\n".join(json.dumps(one | {"Height (mm)": 7.5} if "Due" in one else one) for one in lines),
        encoding="utf-8-sig",
    )
    values = "('a-door00', 7.5, date '2026-01-31', 'é'), ('a-door01', null, null, 'Q')"
    sql = f'from (values {values}) as edits(asset_id, "Height (mm)", "Due", "Tag")'
    files = [Wanted("assets", path) for path in sorted(tmp_path.glob("[a-f].*"))]
    assert len(files) == 6
    wanted = [
        (DOOR, "f-height", Decimal("12.50"), Decimal("7.5")),
        (DOOR, "f-due", "2026-03-02", "2026-01-31"),
        (DOOR, "f-tag", "QR00000", "é"),
        ("a-door01", "f-tag", "QR00001", "Q"),
    ]
    for one in [*files, Wanted("assets", None, sql=sql)]:
        plan = planned(home, tmp_path, one)
        assert plan.refused == [], one
        assert [edit[1:] for edit in edits(plan)] == wanted, one


def test_columns_of_parquet_with_one_name_keep_their_cells(home: WorldHome, tmp_path: Path) -> None:
    names = ["asset_id", "#note", "#note", "Tag", "Height (mm)"]
    cells = [DOOR, "a note", "another", "QR7", "7"]
    pq.write_table(pa.Table.from_arrays([pa.array([one]) for one in cells], names), tmp_path / "a.parquet")
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.parquet"))
    assert [(one.label, one.new) for one in plan.entries[0].changes] == [("Tag", "QR7"), ("Height (mm)", 7)]


@pytest.mark.parametrize(
    "value",
    [
        pa.array([10**15], pa.timestamp("s")),  # beyond the years of Python
        pa.array([0], pa.timestamp("s", "Nowhere/Land")),
        pa.Array.from_buffers(
            pa.string(), 1, [None, pa.py_buffer(bytes([0, 0, 0, 0, 1, 0, 0, 0])), pa.py_buffer(b"\xff")]
        ),
    ],
)
def test_a_value_of_parquet_that_nothing_can_show_is_wrong_usage(home: WorldHome, tmp_path: Path, value: Any) -> None:
    pq.write_table(pa.table({"asset_id": [DOOR], "Due": value}), tmp_path / "a.parquet")
    with pytest.raises(UsageError, match=r"a\.parquet: its column Due has a value that propsync cannot read"):
        planned(home, tmp_path, Wanted("assets", tmp_path / "a.parquet"))


@pytest.mark.parametrize("of_day", [pa.time32("ms"), pa.time64("us")])
def test_the_end_of_a_day_in_parquet_is_not_its_beginning(home: WorldHome, tmp_path: Path, of_day: pa.DataType) -> None:
    end = pa.array([86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[of_day.unit], None])
    times = end.cast(pa.int32() if of_day.bit_width == 32 else pa.int64()).view(of_day)
    pq.write_table(pa.table({"asset_id": [DOOR, "a-door01"], "At": times}), tmp_path / "a.parquet")
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.parquet"))
    assert [(one.found, one.reason[:30]) for one in plan.refused] == [("24:00:00", "write a time of the 24-hour da")]
    assert plan.entries == []


def test_a_value_of_a_query_that_nothing_can_show_is_wrong_usage(home: WorldHome, tmp_path: Path) -> None:
    sql = f"select '{DOOR}' as asset_id, date 'infinity' as due"
    with pytest.raises(UsageError, match=r"^--sql: its column due has a value .* Correct the query"):
        planned(home, tmp_path, Wanted("assets", None, sql=sql))


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("timetz '09:30:00+02'", "TIME WITH TIME ZONE"),
        ("interval '90 minutes'", "INTERVAL"),
        ("[interval 1 day]", r"INTERVAL\[\]"),
    ],
)
def test_a_type_that_the_rows_of_a_query_would_alter_is_wrong_usage(
    home: WorldHome, tmp_path: Path, cell: str, kind: str
) -> None:
    sql = f"select '{DOOR}' as asset_id, {cell} as at"
    with pytest.raises(UsageError, match=rf"its column at is of the type {kind}, .* such as at::time"):
        planned(home, tmp_path, Wanted("assets", None, sql=sql))
    planned(home, tmp_path, Wanted("assets", None, sql=sql.replace(" as at", ' as "#at"') + ", 'x' as location"))


def test_damaged_pages_of_parquet_are_wrong_usage(home: WorldHome, tmp_path: Path) -> None:
    pq.write_table(pa.table({"asset_id": [DOOR] * 50}), tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content[:4] + bytes(40) + content[44:])
    with pytest.raises(UsageError, match="not readable Parquet"):
        planned(home, tmp_path, Wanted("assets", tmp_path / "a.parquet"))


def test_a_text_without_its_tabs_is_unedited_and_a_note_names_it(assets: Make) -> None:
    row = TEXTS.index("tab\there")
    door = f"a-door{row:02d}"
    plan = assets(["asset_id", "location", "Tag"], [door, "tabhere", ""], [DOOR, "one", ""])
    assert [one.row for one in plan.entries] == [3]
    words = "Tabs: 1 cell shows a text without its tabs, which an .ods file loses: row 2, location (B2)."
    assert plan.notes[0].startswith(words)
    edited = assets(["asset_id", "location"], [door, "tab here"])
    assert edits(edited) == [(2, door, "f-place", "tab\there", "tab here")]
    refused = assets(["asset_id", "location", "Due"], [door, "tabhere", "tomorrow"])
    assert not any(note.startswith("Tabs") for note in refused.notes)


def test_a_query_removes_characters_that_no_cell_holds(home: WorldHome, tmp_path: Path) -> None:
    characters = r"[\x00-\x1f\x{FEFF}]"
    cleaned = f"regexp_replace(location, '{characters}', '', 'g')"
    sql = f"select asset_id, {cleaned} as location from by_type.doors order by asset_id"
    plan = planned(home, tmp_path, Wanted("assets", None, sql=sql))
    removed = [text for text in TEXTS if re.search("[\x00-\x1f\ufeff]", text)]
    assert len(removed) >= 4
    assert plan.refused == []
    assert sorted(edit.old for one in plan.entries for edit in one.changes) == sorted(removed)


def test_a_workbook_shows_the_address_of_an_error_that_its_reader_takes_for_a_blank(
    home: WorldHome, tmp_path: Path
) -> None:
    _xlsx(tmp_path / "a.xlsx", [["asset_id", "Tag", "Due"], [DOOR, "=1/0", "=1/0"], ["a-door01", "Q", "=1/0"]])
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.xlsx"))
    assert plan.entries == []
    assert [(one.row, one.column, one.found) for one in plan.refused] == [
        (4, "Tag (B4)", "#DIV/0!"),
        (4, "Due (C4)", "#DIV/0!"),
        (5, "Due (C5)", "#DIV/0!"),
    ]


def test_a_number_that_people_see_in_another_form_is_refused(home: WorldHome, tmp_path: Path) -> None:
    forms = [("0000", 12, 1200), ("0%", 0.9, 0), ("0.0%", 0.125, 0), ('#,##0.00 "%"', 1250, 0.5), ("0.00", 2, 3)]
    with Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet("edits")
        sheet.write_row(0, 0, ["asset_id", "Tag", "Height (mm)"])
        for number, (form, tag, height) in enumerate(forms, 1):
            style = book.add_format({"num_format": form})
            sheet.write_string(number, 0, f"a-door{number:02d}")
            sheet.write_number(number, 1, tag, style)
            sheet.write_number(number, 2, height, style)
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.xlsx"))
    assert [(one.column, one.found) for one in plan.refused] == [
        ("Tag (B2)", "12, shown as 0012"),
        ("Tag (B3)", "0.9, shown as 90%"),
        ("Height (mm) (C3)", "0, shown as 0%"),
        ("Tag (B4)", "0.125, shown as 12.5%"),
        ("Height (mm) (C4)", "0, shown as 0%"),
    ]
    assert {str(edit[4]) for edit in edits(plan)} == {"1250", "0.5", "2", "3"}


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("000000", "000007"),
        ("[$-809]000000;[Red]-000000", "000007"),
        ("000000_)", "000007"),
        ("000 000", "000007"),
        ("##0000.0", "0007"),
        ('"00"0', "007"),
        (r"\0\00", "007"),
        ('"Flat "0', "Flat 7"),
        ('"Flat "General', "Flat 7"),
        ('"£"#,##0.00', None),
        ('0.0" m2"', None),
        ("# ??/100", None),
        ("0.00E+00", None),
        ("_-* #,##0_-;-* #,##0_-", None),
    ],
)
def test_a_number_with_zeros_or_words_in_front_is_refused(
    home: WorldHome, tmp_path: Path, form: str, shown: str | None
) -> None:
    with Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet("edits")
        sheet.write_row(0, 0, ["asset_id", "Tag"])
        sheet.write_row(1, 0, ["a-door01"])
        sheet.write_number(1, 1, 7, book.add_format({"num_format": form}))
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.xlsx"))
    assert [one.found for one in plan.refused] == ([] if shown is None else [f"7, shown as {shown}"])
    assert [edit[4] for edit in edits(plan)] == (["7"] if shown is None else [])


def test_rows_that_the_spreadsheet_hides_are_planned_and_named(home: WorldHome, tmp_path: Path) -> None:
    with Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet()
        rows = [("asset_id", "Tag"), (DOOR, "new"), ("a-door01", "new"), ("a-door02", ""), ("a-door03", "new")]
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        for number in (2, 3):  # as a filter does
            sheet.set_row(number, options={"hidden": True})
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.xlsx"))
    assert [one.row for one in plan.entries] == [2, 3, 5]
    assert "Hidden: 1 row is changed and hidden in the file, perhaps by a filter: 3" in plan.notes


def _sheets(path: Path, **of_sheets: tuple[int, list[list[Any]]]) -> Path:
    """A workbook with these sheets, each with the number of its first column and its rows; `old` is hidden."""
    with Workbook(path) as book:
        for name, (left, rows) in of_sheets.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, left, row)
            if name == "old":
                sheet.hide()
    return path


def test_other_sheets_are_named_and_move_no_cell(home: WorldHome, tmp_path: Path) -> None:
    edits = [["Asset ID", "Tag"], *([f"a-door{row:02d}", f"new {row}"] for row in range(20))]
    path = _sheets(tmp_path / "a.xlsx", sums=(2, [["Tags"], [20]]), doors=(1, edits), more=(0, [["a-door21", "lost"]]))
    plan = planned(home, tmp_path, Wanted("assets", path))
    assert ([one.row for one in plan.entries], plan.refused) == ([*range(2, 22)], [])
    assert "Sheets: the plan is of the sheet doors alone, and ignores sums, more" in plan.notes


def test_a_hidden_sheet_is_not_read_in_place_of_the_one_that_people_see(home: WorldHome, tmp_path: Path) -> None:
    seen, old = [["Number", "Tag"], [DOOR, "new"]], [["asset_id", "Tag"], [DOOR, ""]]
    path = _sheets(tmp_path / "a.xlsx", seen=(0, seen), old=(0, old))
    with pytest.raises(UsageError, match="its sheet old has the column asset_id and is hidden; show that sheet"):
        planned(home, tmp_path, Wanted("assets", path))


def test_an_emptied_cell_of_a_template_is_named(home: WorldHome, assets: Make, tmp_path: Path) -> None:
    header, *rows = template(home, tmp_path / "doors.csv", "Doors")
    tag, case = header.index("Tag"), header.index("location [location_3]")
    assert (rows[0][tag], rows[0][case]) == ("QR00000", "")
    rows[0][tag] = ""
    plan = assets(header, *rows)
    assert plan.entries == []
    words = f"Emptied: 1 cell is empty where the template had a value: row 2, Tag ({letters(tag)}2)."
    assert any(one.startswith(words) for one in plan.notes)
    assert not any(one.startswith("Emptied") for one in assets(header[:-1], rows[0][:-1]).notes), "of any time"


def test_a_row_that_deletes_its_schedule_keeps_no_emptied_value(
    home: WorldHome, schedules: Make, tmp_path: Path
) -> None:
    header, row, *_ = template(home, tmp_path / "schedules.csv", None, "schedules")
    due, delete = header.index("due_date"), header.index("delete")
    row[due] = ""
    assert any(one.startswith("Emptied") for one in schedules(header, row).notes)
    row[delete] = "yes"
    plan = schedules(header, row)
    assert [one.action for one in plan.entries] == [DELETE]
    assert not any(one.startswith("Emptied") for one in plan.notes)


def test_a_date_on_which_programs_disagree_is_refused_unless_it_is_unedited(home: WorldHome, tmp_path: Path) -> None:
    with Workbook(tmp_path / "a.xlsx") as book:
        sheet, as_date = book.add_worksheet(), book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.write_row(0, 0, ["asset_id", "Due"])
        for row, day in enumerate((1, 2, 60, 61), 1):  # LibreOffice writes 2 for 1900-01-01, and Excel 1
            sheet.write_string(row, 0, f"a-door{row:02d}")
            sheet.write_number(row, 1, day, as_date)
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.xlsx"))
    assert [(edit[1], edit[4]) for edit in edits(plan)] == [("a-door04", "1900-03-01")]
    assert [one.row for one in plan.refused] == [2, 3, 4]
    assert plan.refused[0].reason.startswith("programs show days before March 1900 differently")
    due = Field("f", "Due", "date", "due")
    assert cells.planned(UnsureDate(1900, 1, 1), due, "1900-01-01") is cells.KEPT
    with pytest.raises(cells.CellRefused):
        cells.planned(UnsureDate(1900, 1, 1), due, {"day": 1})  # no date, as an API may show


@pytest.mark.parametrize(("encoding", "is_guessed"), [("mac_roman", True), ("utf-8", False)])
def test_new_letters_of_a_file_whose_encoding_is_guessed_are_named(
    home: WorldHome, tmp_path: Path, encoding: str, is_guessed: bool
) -> None:
    (tmp_path / "a.csv").write_bytes("asset_id,Tag\na-door00,café\na-door01,plain\n".encode(encoding))
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.csv"))
    assert [one.row for one in plan.entries] == [2, 3]
    named = [one for one in plan.notes if one.startswith("Letters: the file is not in UTF-8")]
    assert [one.endswith("in the new values of 1 row: 2") for one in named] == [True] * is_guessed


def test_a_refused_cell_is_quoted_as_the_spreadsheet_shows_it(home: WorldHome, tmp_path: Path) -> None:
    rows: list[list[Any]] = [["asset_id", "Tag", "Due"], [DOOR, True, 45231]]
    _xlsx(tmp_path / "a.xlsx", rows)
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.xlsx"))
    assert [(one.column, one.found) for one in plan.refused] == [("Tag (B4)", "TRUE"), ("Due (C4)", "45231")]


def test_a_merged_cell_is_no_blank_that_changes_nothing(home: WorldHome, tmp_path: Path) -> None:
    rows = [["asset_id", "Tag", "Due"], [DOOR, "Q", ""], ["a-door01", "", ""], ["a-door02", "Z", "2026-01-31"]]
    with Workbook(tmp_path / "a.xlsx") as book:
        sheet = book.add_worksheet("edits")
        for number, row in enumerate(rows):
            sheet.write_row(number, 0, row)
        sheet.merge_range(1, 1, 2, 1, "Q")
        sheet.merge_range(1, 2, 2, 2, "")  # shows nothing, so it hides nothing
    plan = planned(home, tmp_path, Wanted("assets", tmp_path / "a.xlsx"))
    assert [(edit[1], edit[2], edit[4]) for edit in edits(plan)] == [
        (DOOR, "f-tag", "Q"),
        ("a-door02", "f-tag", "Z"),
        ("a-door02", "f-due", "2026-01-31"),
    ]
    assert [(one.column, one.found) for one in plan.refused] == [("Tag (B3)", "a part of a merged cell")]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([["asset_id", "=1/0"], [DOOR, "Q"]], "line 3: the name of a column is #DIV/0!"),
        ([["Doors", ""], ["asset_id", "Tag"], [DOOR, "Q"]], "its header is row 4; delete the rows above it"),
    ],
)
def test_a_header_that_cannot_be_used_is_named(
    home: WorldHome, tmp_path: Path, rows: list[list[Any]], words: str
) -> None:
    _xlsx(tmp_path / "a.xlsx", rows)
    with pytest.raises(UsageError, match=words):
        planned(home, tmp_path, Wanted("assets", tmp_path / "a.xlsx"))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"", "it is empty"),
        ("a.csv", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "it is a PDF"),
        (
            "a.fods",
            b'<?xml version="1.0" encoding="UTF-8"?>\n<office:document>',
            "it is XML; save the spreadsheet as .xlsx",
        ),
        ("a.html", b"\xef\xbb\xbf\n<!DOCTYPE html>\n<html>", "it is a web page; save the spreadsheet as .xlsx"),
        ("a.xls", b"<HTML><table>", "it is a web page"),
        ("a.csv", b"Doors,\n\nasset_id,Tag\nx,y", "its header is row 3; delete the rows above it"),
        ("a.plan", b'{"plan_id":"0123456789abcdef","plan":{}}', "it is a plan .* `propsync push show`"),
        ("a.csv", b"asset_id|Tag\nx|y", r"separated by \|.* sep=\|"),
        ("a.csv", b"Tag^Asset_ID\ny^x", r"separated by \^"),
        ("a.csv", b'asset_id,Tag\n"x', "quotes"),
        ("a.csv", b"asset_id,Tag\nx,\x00", "NUL"),
        ("a.csv", b"sep=;\r\nasset_id;Tag;Due\r\nx;y;\r\nz;cu", "it ends within row 3, at cell 2 of 3; copy it again"),
        ("a.xlsx", b"PK\x03\x04rubbish", "damaged spreadsheet"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an .xls file"),
        ("a.parquet", b"PAR1", "not readable Parquet"),
        ("a.jsonl", b'{"asset_id": "x"}\n[1]', "line 2"),
        (
            "a.jsonl",
            b'{"asset_id": "x"}\n{"asset_id": "y", "Tag": "a", "Tag": "b"}',
            "line 2: an object has 'Tag' twice",
        ),
        ("a.json", b'[{"asset_id": "y", "Tag": "a", "Tag": "b"}]', "an object has 'Tag' twice"),
        ("a.jsonl", b'{"asset_id": "x"}\n{"asset_id": "caf\xe9"}', "line 2: a character is not UTF-8; save it"),
        ("a.json", b'[{"asset_id": "caf\xe9"}]', "a character is not UTF-8; save it as UTF-8"),
    ],
)
def test_an_unreadable_file_is_wrong_usage(
    home: WorldHome, tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=words):
        planned(home, tmp_path, Wanted("assets", tmp_path / name))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r", ",", ",\n\n"])
def test_a_short_last_row_that_ends_is_whole(tmp_path: Path, ending: str) -> None:
    (tmp_path / "a.csv").write_bytes(f"asset_id,Tag,Due\nx\ny,Q{ending}".encode())
    rows = [*read_file(tmp_path / "a.csv", "asset_id").rows]
    assert [row.cell(1) for row in rows] == [None, "Q"]


# schedules

_HEADER = ["property_id", "assessment_type", "due_date", "Description", "assigned_users", "delete"]


def test_schedules_are_updated_created_and_deleted(schedules: Make) -> None:
    plan = schedules(
        _HEADER,
        ["p0", "Fire risk", "2026-05-01", "", "ann lee; u3", ""],
        ["p8", "k-gas", "2026-06-01", "New", "", "no"],
        ["p1", "Gas safety", "", "", "", "Yes"],
        ["p1", "Fire risk", "", "[clear]", "[clear]", ""],
    )
    assert plan.refused == []
    assert [(one.row, one.action, one.key) for one in plan.entries] == [
        (2, UPDATE, ("p0", "k-fire")),
        (3, CREATE, ("p8", "k-gas")),
        (4, DELETE, ("p1", "k-gas")),
        (5, UPDATE, ("p1", "k-fire")),
    ]
    before = [
        ("status", "notstarted"),
        ("dueDate", "2026-03-01"),
        ("description", "Bring a ladder"),
        ("customReference", "REF/1"),
        ("assignedUsers", ["u1", "u2"]),
    ]
    changes = [[(edit.field, edit.old, edit.new) for edit in one.changes] for one in plan.entries]
    assert changes == [
        [("dueDate", "2026-03-01", "2026-05-01"), ("assignedUsers", ["u1", "u2"], ["u1", "u3"])],
        [("dueDate", None, "2026-06-01"), ("description", None, "New")],
        [(field, old, None) for field, old in before],
        [("description", "Bring a ladder", None), ("assignedUsers", ["u1", "u2"], None)],
    ]
    assert plan.counts() == {"create": 1, "update": 2, "delete": 1}
    assert plan.fields() == {"set": 4, "clear": 2}
    assert plan.sizes == {"k-fire": 3, "k-gas": 1}


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [
        (["", "k-fire", "", "", "", ""], None, "it has no property_id"),
        (["p77", "k-fire", "", "", "", ""], "property_id (A2)", "knows no such property"),
        (["p0", "", "", "x", "", ""], None, "needs an assessment type"),
        (["p0", "Gas", "", "", "", ""], "assessment_type (B2)", "knows no such type"),
        (["p0", "k-fire", "1.5.2026", "", "", ""], "due_date (C2)", "2026-01-31"),
        (
            ["p0", "k-fire", "", "", "Ben", ""],
            "assigned_users (E2)",
            "2 users are called Ben: write one of the ids u2, u3",
        ),
        (["p0", "k-fire", "", "", "u99", ""], "assigned_users (E2)", "no user"),
        (["p0", "k-fire", "", "", "", "x"], "delete (F2)", "write yes"),
        (["p8", "k-fire", "", "", "", "yes"], "delete (F2)", "no such schedule"),
        (["p0", "k-fire", "", "other", "", "yes"], "delete (F2)", "also changes Description"),
    ],
)
def test_a_row_of_schedules_that_cannot_be_planned_says_where_and_why(
    schedules: Make, row: list[str], column: str | None, words: str
) -> None:
    plan = schedules(_HEADER, row)
    assert [(one.row, one.column) for one in plan.refused] == [(2, column)]
    assert words in plan.refused[0].reason
    assert plan.entries == []


def test_prune_deletes_the_schedules_of_its_scope_that_the_file_lacks(schedules: Make) -> None:
    header, row = ["property_id", "type", "due_date"], ["p1", "k-fire", ""]
    assert schedules(header, row).entries == []
    of_property = schedules(header, row, prune=True, properties=["p1", "p2"])
    assert [(one.row, one.action, one.key) for one in of_property.entries] == [
        (None, DELETE, ("p1", "k-gas")),
        (None, DELETE, ("p2", "k-fire")),
    ]
    of_type = schedules(["property_id", "due_date"], ["p1", "bad date"], prune=True, of_type="Fire risk")
    assert [one.key for one in of_type.entries] == [("p0", "k-fire"), ("p2", "k-fire")]
    assert len(of_type.refused) == 1, "a refused row names its schedule too"
    assert of_property.notes == ["1 row changes nothing"]
    both = schedules(header, row, prune=True, of_type="k-fire", properties=["p2"])
    assert [one.key for one in both.entries] == [("p2", "k-fire")]
    assert both.notes[0] == "--prune deletes all schedules of its part, because the file has none of them"


def test_prune_deletes_nothing_for_an_empty_file_or_an_unreadable_row(schedules: Make) -> None:
    header = ["property_id", "type", "due_date"]
    empty = schedules(header, prune=True, properties=["p1"])
    assert (empty.entries, empty.notes) == ([], ["--prune deletes nothing, because the file has no rows"])
    damaged = schedules(header, ["p1", "k-fire", ""], ["#REF!", "k-gas", ""], prune=True, properties=["p1"])
    assert damaged.entries == []
    assert "--prune deletes nothing, because a row names no known property and type" in damaged.notes[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prune": True}, "needs --property or --type"),
        ({"properties": ["p1"]}, "what --prune may delete"),
        ({"prune": True, "properties": ["p77"]}, "knows no property p77"),
        ({"sql": "select 1"}, "a file or --sql"),
    ],
)
def test_options_that_do_not_fit_are_wrong_usage(schedules: Make, options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        schedules(["property_id", "type"], ["p1", "k-fire"], **options)


def test_an_export_of_schedules_plans_nothing_and_a_status_cannot_be_written(home: WorldHome, tmp_path: Path) -> None:
    columns = "property_id, assessment_type_id, {status}, due_date, description, custom_reference, assigned_users"
    sql = f"select {columns} from schedules"
    plan = planned(home, tmp_path, Wanted("schedules", sql=sql.format(status="status")))
    assert (plan.entries, plan.refused) == ([], [])
    plan = planned(home, tmp_path, Wanted("schedules", sql=sql.format(status="'inprogress' as status")))
    assert {one.reason.partition(",")[0] for one in plan.refused} == {"the API sets it"}


# every dialect

_FAMILIES = [Objects, *slow(*some([one for one in FAMILIES if one is not Objects], 3))]


@pytest.mark.parametrize("family", _FAMILIES, ids=lambda family: family.name)
def test_templates_plan_nothing_in_every_dialect_of_the_api(tmp_path: Path, family: type[Dialect]) -> None:
    with WorldServer(family(small_world(assets=36, assessments=0, schedules=20))) as server:
        home = WorldHome(tmp_path / "home", server)
        home.sync(["assets", "schedules"])
    for number, kind in enumerate(home.column("select asset_type_id from asset_types")):
        path = tmp_path / f"{number}.xlsx"
        assert make_template(home.settings(), "assets", kind, (), path)[1] == 6
        plan = planned(home, tmp_path, Wanted("assets", path))
        assert (plan.entries, plan.refused) == ([], [])
    make_template(home.settings(), "schedules", None, (), tmp_path / "schedules.csv")
    plan = planned(home, tmp_path, Wanted("schedules", tmp_path / "schedules.csv"))
    assert (plan.entries, plan.refused) == ([], [])


# the command line

_SILENT = ("asset_id", "Tag")


@pytest.fixture
def line(home: WorldHome, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, home.environ(token=""))  # planning reads no token


def test_a_plan_is_saved_for_its_owner_and_printed_with_the_next_command(
    home: WorldHome, line: CommandLine, tmp_path: Path
) -> None:
    csv_file(tmp_path / "edits.csv", _SILENT, [DOOR, "new"], ["a-door01", "QR00001"])
    done = line("push", "plan", "assets", "edits.csv")
    assert done.returncode == 0, done.stderr
    (path,) = (home.path / "state" / "plans").glob("*.plan")
    assert path.stat().st_mode & 0o777 == 0o600
    assert f"Plan {path.stem} of edits.csv: {path}" in done.stdout
    assert "0 to create, 1 to update, 0 to delete; 1 value to set" in done.stdout
    assert done.stdout.splitlines()[-1] == f"Nothing is sent yet. Next: propsync push apply {path}"
    assert line("push", "show", str(path)).stdout == done.stdout
    shown = json.loads(line("push", "plan", "assets", "edits.csv", "--json").stdout)
    assert shown["plan"] == str(path)
    assert shown["records"] == {"create": 0, "update": 1, "delete": 0}
    assert shown["fields"] == {"set": 1, "clear": 0}
    assert [(one["record"], one["old"], one["new"]) for one in shown["changes"]] == [([DOOR], "QR00000", "new")]
    assert shown["notes"] == ["1 row changes nothing"]
    path.unlink()


def test_refused_rows_end_with_3_and_an_unusable_file_with_2(line: CommandLine, tmp_path: Path) -> None:
    csv_file(tmp_path / "edits.csv", _SILENT, ["a-nobody", "new"])
    done = line("push", "plan", "assets", "edits.csv", "--out", "my.plan")
    assert done.returncode == 3
    assert "Refused: row 2, asset_id (A2) has 'a-nobody': no asset has this id" in done.stdout
    shown = json.loads(line("push", "show", "my.plan", "--json").stdout)
    assert [(one["row"], one["column"], one["found"]) for one in shown["refused"]] == [(2, "asset_id (A2)", "a-nobody")]
    csv_file(tmp_path / "edits.csv", ["asset_id", "Tga"], [DOOR, "new"])
    done = line("push", "plan", "assets", "edits.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "edits.csv, column Tga (B): nothing that propsync can write is called 'Tga'; did you mean" in done.stderr


def test_a_plan_replaces_a_plan_and_no_other_file(line: CommandLine, tmp_path: Path) -> None:
    csv_file(tmp_path / "edits.csv", _SILENT, [DOOR, "new"])
    before = (tmp_path / "edits.csv").read_bytes()
    done = line("push", "plan", "assets", "edits.csv", "--out", "edits.csv")
    assert (done.returncode, (tmp_path / "edits.csv").read_bytes()) == (2, before)
    assert "it exists already, and is no plan" in done.stderr
    assert line("push", "plan", "assets", "edits.csv", "--out", ".").stderr.startswith("propsync: .: it exists already")
    assert [line("push", "plan", "assets", "edits.csv", "--out", "my.plan").returncode for _ in range(2)] == [0, 0]


@pytest.mark.parametrize("out", ["/proc/x.plan", "edits.csv/x.plan", ".", "typo/x.plan"])
def test_a_plan_that_cannot_be_saved_where_somebody_says_ends_with_2(
    line: CommandLine, tmp_path: Path, out: str
) -> None:
    csv_file(tmp_path / "edits.csv", _SILENT, [DOOR, "new"])
    done = line("push", "plan", "assets", "edits.csv", "--out", out)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Give --out a" in done.stderr
    assert not (tmp_path / "typo").exists()
    assert "fault in propsync" not in done.stderr


def test_only_the_first_50_changes_are_printed_and_show_has_the_rest(line: CommandLine, tmp_path: Path) -> None:
    rows = [[f"a-door{number:02d}", "x", "2027-01-01", "1"] for number in range(20)]
    csv_file(tmp_path / "edits.csv", ["asset_id", "Tag", "Due", "Height (mm)"], *rows)
    done = line("push", "plan", "assets", "edits.csv", "--out", "my.plan")
    assert done.stdout.count("a-door") == 50
    assert "The first 50 of 60 changes. For all of them: propsync push show my.plan --all" in done.stdout
    assert line("push", "show", "my.plan", "--all").stdout.count("a-door") == 60


def test_each_change_has_the_names_of_its_record(assets: Make, schedules: Make, home: WorldHome) -> None:
    """A second reader sees which property and which door it is, as far as the tables know it."""

    def named(plan: Plan) -> list[str]:
        names = names_of(home.settings(), plan)
        assert [one["name"] for one in changes_to_json(plan, names)] == [row[3] for row in change_rows(plan, names)]
        return [row[3] for row in change_rows(plan, names)]

    rows = [["a-door00", "", "", "1"], ["a-door01", "", "", "1"], ["a-lift0", "", "", "1"], ["", "p8", "Lifts", "1"]]
    assert named(assets(["asset_id", "property_id", "type", "Height"], *rows[2:])) == [
        "p1: Lifts S0",
        "New House: Lifts",
    ]
    assert named(assets(["asset_id", "property_id", "type", "Height (mm)"], *rows[:2])) == [
        "Ash House: Doors QR00000",
        "p1: Doors QR00001",
    ]
    rows = [["p0", "k-fire", "2027-01-01"], ["p1", "k-gas", "2027-01-01"]]
    found = named(schedules(["property_id", "assessment_type_id", "due_date"], *rows))
    assert found == ["Ash House: Fire risk", "p1: Gas safety"]


class _Twins:
    properties: ClassVar = {"p0": "Ash House", "p1": "Ash House", "p2": "Elm House", "p3": None}

    def types(self, _: str) -> dict[str, str]:
        return {}

    marks = types


def test_properties_of_one_name_have_their_ids_too(home: WorldHome) -> None:
    names = Names({"p0": "Ash House"}, {"t": "Lifts\x1b[31m"}, {})
    assert names.of(Entry(2, UPDATE, ("a",), "p0", "t")) == r"Ash House: Lifts\u001b[31m"

    twins = Names.of_plan(Plan("assets", "a.csv", "", "run", []), cast("Published", _Twins()))
    assert twins.properties == {"p0": "Ash House (p0)", "p1": "Ash House (p1)", "p2": "Elm House"}


def test_a_template_names_itself_and_the_next_command(line: CommandLine, tmp_path: Path) -> None:
    done = line("push", "template", "assets", "--type", "lifts", "--property", "p1", "p2")
    assert done.stdout == "lifts.xlsx has 3 rows. Edit it, then: propsync push plan assets lifts.xlsx\n"
    done = line("push", "template", "schedules", "--property", "p1", "my edits.csv")
    assert done.stdout == "my edits.csv has 2 rows. Edit it, then: propsync push plan schedules 'my edits.csv'\n"
    assert "needs --type. Give one of:" in line("push", "template", "assets").stderr
    assert line("push", "template", "assets", "--type", "lifts").returncode == 2, "it has people's edits"
    typo = line("push", "template", "schedules", "typo/edits.csv")
    assert (typo.returncode, typo.stdout) == (2, "")
    assert "there is no folder typo. Give a folder that exists" in typo.stderr
    barred = line("push", "template", "schedules", "/proc/edits.csv")
    assert (barred.returncode, barred.stdout) == (2, "")
    assert barred.stderr.endswith(". Give the template a place where you may write\n")


@pytest.mark.parametrize("words", [("plan", "assets"), ("show",), ("apply",)])
def test_a_file_that_nobody_may_read_says_what_to_check(
    line: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Root may read every file, so a folder takes its place, and the system is made to deny the right."""
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    done = line("push", *words, ".")
    assert done.returncode == 2
    assert ".: it cannot be read: " in done.stderr


def test_a_text_longer_than_a_cell_is_left_out_with_a_note(home: WorldHome, tmp_path: Path) -> None:
    path, _, notes = make_template(home.settings(), "assets", "Doors", (), tmp_path / "doors.csv")
    cells = ", ".join(f"a-door{len(TEXTS) - 1} {label}" for label in ("Location", "备注"))
    assert notes == [f"A cell holds 32,767 characters. Longer texts are left out, and stay as they are: {cells}"]
    assert "long long" not in path.read_text(encoding="utf-8")
