"""Writes down the statements of the marts and the questions of the dashboard, for the floor to run once.

    python -m benchmarks.desk_script STATE FOLDER

propsync builds the marts of a copy of STATE, and draws the page. FOLDER then has another copy, and `script`. It has the
statements that made or changed rows, each once and in order, and the questions of the page. It leaves out how propsync
finds out which marts to build. Nothing of this is measured.
"""

import pickle
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.floor_desk import STATE, ZONE, Script
from propsync.desk import Chosen, CountedDays, DeskChoices, Given, Marts, choose
from propsync.desk.dashboard import draw
from propsync.merge import ShapeStore
from propsync.settings import DeskSettings
from propsync.warehouse import MARTS, Warehouse
from propsync.warehouse.macros import macros

Contents = dict[str, tuple[int, int | None]]
NOTHING = (0, None)
"""Of a mart without rows."""
_Noted = list[tuple[str, Any]]
_WRITES = re.compile(
    r'(--.*\n)*(create( or replace)? (table|view)|insert into|delete from|drop table) "?(staging|marts)\b'
)
"""The statements that make rows. Others ask what there is, or keep propsync's own notes."""


class _Recorded(Warehouse):
    """Notes each statement that it runs."""

    noted: _Noted

    def _run(self, sql: str, parameters: Any) -> Any:
        if hasattr(self, "noted"):
            self.noted.append((sql, parameters))
        return super()._run(sql, parameters)


def write(state: Path, folder: Path) -> Contents:
    """Leaves the script and the copy of the state in the folder; returns what the marts have after it."""
    folder.mkdir(parents=True, exist_ok=True)
    trial = folder / "trial" / STATE  # views name the database, which has the name of its file
    trial.parent.mkdir()
    shutil.copy(state, folder / STATE)
    with Warehouse(folder / STATE, memory_limit="1GB", folder=folder) as warehouse:
        _chosen(warehouse)  # which the state keeps, and marts read
    shutil.copy(folder / STATE, trial)
    with _Recorded(trial, memory_limit="1GB", folder=folder) as warehouse:
        before = contents(warehouse.rows) if warehouse.value("select count(*) from ops.marts") else {}
        warehouse.noted = []
        _build(warehouse)
        statements, warehouse.noted = [*_kept(warehouse.noted)], []
        questions = _questions(warehouse)
        after = contents(warehouse.rows)
    shutil.rmtree(trial.parent)
    changed = [mart for mart in after if after[mart] != before.get(mart)]
    (folder / "script").write_bytes(pickle.dumps(Script(macros("staging"), statements, questions, changed)))
    return after


def _build(warehouse: Warehouse) -> None:
    """As propsync does at the end of a run, with no list and no choice of people's own."""
    run_id, chosen = _chosen(warehouse)
    shapes = ShapeStore(warehouse, {})
    given = Given(warehouse, run_id, chosen, {})
    given.stage({"staging.listed_properties", "staging.required"})
    counted = CountedDays(warehouse, given.models, shapes.get("assessment_types")).stage()
    chosen = replace(chosen, choices=replace(chosen.choices, lists=counted))
    failed = Marts(warehouse, run_id, chosen, given).build()
    assert not failed, failed


def _chosen(warehouse: Warehouse) -> tuple[str, Chosen]:
    """The last run, and the choices as of it."""
    run_id = str(warehouse.value("select max(run_id) from ops.runs"))
    defaults = DeskChoices.of(warehouse, ZONE)
    assert defaults is not None
    return run_id, choose(warehouse, run_id, DeskSettings(), defaults, ShapeStore(warehouse, {}).get("asset_types"))


def _questions(warehouse: _Recorded) -> list[str]:
    page = draw(_State(warehouse), ZoneInfo(ZONE))
    assert page is not None
    assert not page.errors, page.errors
    return [sql for sql, _ in warehouse.noted]


class _State:
    """The state as the page reads it."""

    def __init__(self, warehouse: Warehouse) -> None:
        self.rows = warehouse.named_rows


def _kept(noted: _Noted) -> Iterator[tuple[str, Any]]:
    """Each statement that writes rows, once."""
    seen: set[str] = set()
    for sql, parameters in noted:
        mark = repr((sql, parameters))
        if _WRITES.match(sql) and mark not in seen:
            seen.add(mark)
            yield sql, parameters


def contents(rows: Callable[[str], list[Any]]) -> Contents:
    """Of each mart, how many rows it has and a sum of their hashes; `rows` runs a query."""
    query = "select count(*), sum(hash(found)::hugeint) from (select found from {} as found)"
    return {mart: rows(query.format(mart))[0] for mart in MARTS}


if __name__ == "__main__":
    write(*map(Path, sys.argv[1:]))
