"""A small world with everything that can go wrong between a table and a spreadsheet, and files for it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

from kit.encoding import Literal
from kit.home import Home
from kit.world import Assessment, AssessmentType, Asset, AssetType, Field, Result, Schedule, World

from propsync.push.plan import Plan
from propsync.runbooks.push.plans import Wanted, make_plan

TEXTS = (
    'say "it"',
    "two\nlines",
    "a\r\nb",
    "=1+1",
    "+44 7700 900123",
    "-",
    "@SUM(A1)",
    "'=quoted",
    "🚪 №7 Łódź",
    "0012",
    "1-2",
    "TRUE",
    "0012345678901234567890",
    "1E5",
    " lead and trail ",
    "tab\there",
    "control\x01\x1f",
    "_x0041_",
    "12.50",
    "#REF!",
    "[clear]",
    "a; b, c",
    "null",
    "\ufeffmark",
    "2024-01-02",
    "long " * 8_000,
)
_OPTIONS = (("o1", "FD30"), ("o2", "FD60"), ("o3", "Twin"), ("o4", "Twin"), ("o5", "Gap; wide"), ("o6", "=1"))
DOORS = AssetType(
    "t-doors",
    "Doors",
    "Door",
    "doors",
    [
        Field("f-place", "text", "Location", "location"),
        Field("f-place2", "text", "Location", "location_2"),
        Field("f-case", "text", "location", "location_3"),
        Field("f-none", "text", "", "field"),
        Field("f-note", "text", "#1 remark", "_1_remark"),
        Field("f-key", "text", "asset_id", "asset_id_2"),
        Field("f-type", "option", "Type", "type", (("k1", "Single"), ("k2", "Double"))),
        Field("f-formula", "text", "=1+1", "_1_1"),
        Field("f-zh", "text", "备注", "bei_zhu"),
        Field("f-zh2", "text", "日期", "riqi"),
        Field("f-rating", "option", "Rating", "rating", _OPTIONS),
        Field("f-height", "number", "Height (mm)", "height_mm"),
        Field("f-due", "text", "Due", "due", shown="date"),
        Field("f-at", "text", "At", "at", shown="time"),
        Field("f-tag", "qr", "Tag", "tag"),
        Field("f-photo", "image", "Photo", "photo"),
    ],
)
LIFTS = AssetType(
    "t-lifts",
    "Lifts",
    "Lift",
    "lifts",
    [
        Field("f-serial", "text", "Serial", "serial"),
        Field("f-lift", "text", "Location", "location"),
        Field("f-tall", "number", "Height", "height"),
    ],
)
TWINS = [AssetType(f"t-twin{n}", "Alarms", "Alarm", table, []) for n, table in ((1, "alarms"), (2, "alarms_2"))]


def _door(number: int, text: str) -> Asset:
    photo = {"name": "p.jpg", "url": "https://files.invalid/p", "size": 3}
    values = {
        "f-place": ("text", text),
        "f-place2": ("text", f"place {number}"),
        "f-case": ("text", None),
        "f-none": ("text", "without a label"),
        "f-zh": ("text", text),
        "f-type": ("option", ["k1"]),
        "f-rating": ("option", [["o1"], ["o3", "o1"], ["o5"], [], ["o6"]][number % 5]),
        "f-height": ("number", Literal(("12.50", "2400", "1E3", "9007199254740993", "-0.10")[number % 5])),
        "f-due": ("date", "2026-03-02"),
        "f-at": ("time", "09:30"),
        "f-tag": ("qr", f"QR{number:05d}"),
        "f-photo": ("image", photo),
    }
    results = [Result(field, kind, value) for field, (kind, value) in values.items()]
    return Asset(f"a-door{number:02d}", f"p{number % 3}", "t-doors", results)


def corrections_world() -> World:
    """Doors with the texts above, lifts, and schedules of three properties."""
    lifts = [
        Asset(f"a-lift{n}", "p1", "t-lifts", [Result("f-serial", "text", f"S{n}"), Result("f-lift", "text", "Core")])
        for n in range(3)
    ]
    kinds = [AssessmentType("k-fire", "Fire risk"), AssessmentType("k-gas", "Gas safety")]
    members = ("notstarted", "2026-03-01", "Bring a ladder", "REF/1")
    schedules = [Schedule(f"p{n}", kind.id, *members, ["u1", "u2"]) for n in range(3) for kind in kinds[: 1 + n % 2]]
    done = Assessment("s1", "p9", "k-fire", "approved", frozenset(("For",)), None, [])
    doors = [_door(number, text) for number, text in enumerate(TEXTS)]
    return World(deepcopy([DOORS, LIFTS, *TWINS]), [*doors, *lifts], kinds, [done], schedules)


def planned(home: Home, tmp_path: Path, wanted: Wanted) -> Plan:
    """The plan, saved beside the test's files."""
    out = tmp_path / "made.plan"
    return make_plan(home.settings(), Wanted(**{**vars(wanted), "out": out}))[0]


def csv_file(path: Path, *rows: Sequence[str]) -> Path:
    """A CSV of these rows, the header first."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path
