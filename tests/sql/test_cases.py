"""Every model with a case, a join or a window does what it says: rows in, rows out, and a reason for each row."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from sql.case import FOLDER, Case, difference, read_cases
from sql.running import STAGED, Running

from propsync.resources import SCHEDULES
from propsync.shipped import shipped
from propsync.warehouse import Warehouse, resource_fragments

CASES = read_cases()
ROOT = shipped("sql")
SHOWN = ("macros/", "statements/cli/demo/")
"""Files whose rows are shown elsewhere: each macro has a case below, and what the demo asks is in its output."""
FILLING = resource_fragments(SCHEDULES) | {
    "open_columns": "",
    "by_asset": "by_asset as (from field_values)",
    "of_dirty": "",
    "lot": "lot",
    "listed": "staging.listed",
    "scope": "",
    "kept_columns": "",
    "earlier_columns": "",
    "names": "",
    "cells": "null",
}
_INTO = re.compile(
    r"^(create (or replace )?(table|view) \S+ as|insert into \S+( by name)?)\s(?=\s*(select|with|from)\b)"
)
_NO_SELECTS = ("delete", "create", "copy", "drop", "alter", "comment", "insert", "attach", "detach")
FILES = sorted(str(path.relative_to(ROOT)).removesuffix(".sql") for path in ROOT.rglob("*.sql"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_rows_in_rows_out(warehouse: Warehouse, case: Case) -> None:
    lines = difference(case, Running(warehouse, case).rows())
    assert not lines, "\n".join(["", *lines])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_expected_row_has_its_reason(case: Case) -> None:
    reasons = [row.get("reason", "") for row in case.rows] or [case.expected.get("nothing", "")]
    assert all(len(reason.split()) > 1 for reason in reasons)
    assert case.columns or not case.rows
    assert case.model in FILES


@pytest.mark.parametrize("name", ["compliance", "requirements"])
def test_what_is_of_no_day_has_the_columns_of_any_day(shared: Warehouse, name: str) -> None:
    shared.execute("create or replace table staging.counted_days (day date)")
    query = (ROOT / f"staging/desk/{name}_of_no_day.sql").read_text(encoding="utf-8")
    described = shared.rows(f"select column_name, column_type from (describe {query})")
    assert dict(described) == STAGED[f"{name}_then"]


@pytest.mark.parametrize("model", [name for name in FILES if not name.startswith(SHOWN)])
def test_a_model_with_a_case_a_join_or_a_window_has_a_case(shared: Warehouse, model: str) -> None:
    if model.startswith("checks/") or _has_logic(shared, model):
        assert [case.id for case in CASES if case.model == model] != []


@pytest.mark.parametrize("model", [name for name in FILES if name.startswith("checks/")])
def test_a_check_is_shown_to_object(model: str) -> None:
    assert any(case.rows for case in CASES if case.model == model)


@pytest.mark.parametrize("path", sorted((ROOT / "macros").rglob("*.sql")), ids=lambda path: path.stem)
def test_a_file_of_macros_has_a_case(path: Any) -> None:
    name = str(path.relative_to(ROOT)).removesuffix(".sql")
    assert [case.id for case in CASES if f"{name}/".startswith(f"{case.model}/")] != []


def test_no_folder_is_half_a_case() -> None:
    given, expected = ({path.parent for path in FOLDER.rglob(f"{name}.toml")} for name in ("given", "expected"))
    assert given == expected


def _has_logic(warehouse: Warehouse, model: str) -> bool:
    """By DuckDB's parser, which takes selects alone: those of what is made or inserted too. An update may join."""
    written = re.sub(r"^\s*--.*$", "", (ROOT / f"{model}.sql").read_text(encoding="utf-8"), flags=re.MULTILINE)
    select = _INTO.sub("", _filled(written))
    if re.match(r"update\b", select):
        return re.search(r"^from\b", select, re.MULTILINE) is not None
    tree = json.loads(warehouse.value("select json_serialize_sql(?)", [select]))
    is_select = not re.match(rf"({'|'.join(_NO_SELECTS)})\b", select)
    assert is_select is not tree["error"], tree
    return any(node.get("class") in ("CASE", "WINDOW") or node.get("type") == "JOIN" for node in _nodes(tree))


def _filled(written: str) -> str:
    """Fragments are names and expressions, and queries where rows come from brackets."""
    written = re.sub(r"from \(\s*\{\{\w+\}\}\s*\)", "from (select 1)", written)
    written = re.sub(r"\b(from|join) \{\{\w+\}\}", r"\1 shown", written)
    written = re.sub(r"\bas \w+\(\{\{\w+\}\}\)", "", written)
    return re.sub(r"\{\{(\w+)\}\}", lambda found: FILLING.get(found[1], "null"), written).strip()


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _nodes(inner)
