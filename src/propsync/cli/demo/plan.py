"""The last chapter of the demo: somebody corrects a spreadsheet, and propsync plans what to write back."""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

from propsync.cli.push.plan import print_plan
from propsync.runbooks.push.plans import ASSETS, Wanted, make_plan, make_template, names_of
from propsync.settings import Settings

_TYPE, _LABEL = "communal_fire_doors", "Last inspected"
_CORRECTED, _MISTYPED = 3, "31/02"


def show_plan(settings: Settings, folder: Path) -> None:
    """Makes a template, corrects it as a person would, with one mistake, and prints the plan. Sends nothing."""
    path = folder / "fire-doors.csv"
    make_template(settings, ASSETS, _TYPE, [], path)
    _correct(path)
    plan, saved = make_plan(settings, Wanted(ASSETS, path))
    print_plan(plan, names_of(settings, plan), saved, as_json=False, with_next=False)


def _correct(path: Path) -> None:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    today = datetime.now().astimezone().date().isoformat()
    column = next(place for place, name in enumerate(rows[0]) if name.startswith(_LABEL))
    for row, value in zip(rows[1:], [today] * _CORRECTED + [_MISTYPED], strict=False):
        row[column] = value
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
