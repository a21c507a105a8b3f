"""Types with very many fields, and records with members of their own: slower by their number, not by its square."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from kit.small_api import SmallHome, assessment, asset

from propsync.warehouse import Warehouse

KINDS = ("text", "number", "option", "image", "date")
SHOWN = {
    "text": "it",
    "number": 1.5,
    "option": ["o1", "o2"],
    "image": {"url": "u"},
    "date": "2024-01-02",
}
COLUMN = {"text": "it", "number": 1.5, "option": "One; o2", "image": '{"url":"u"}', "date": "2024-01-02"}


def field(number: int) -> dict[str, Any]:
    kind = KINDS[number % len(KINDS)]
    options = {"options": [{"id": "o1", "label": "One"}]} if kind == "option" else {}
    return {"id": f"f{number}", "type": "text" if kind == "date" else kind, "label": f"Field {number}"} | options


def result(number: int) -> dict[str, Any]:
    kind = KINDS[number % len(KINDS)]
    return {"type": kind, "field": f"f{number}", "value": SHOWN[kind]}


def widen(small_nights: SmallHome, fields: int, assets: int) -> None:
    small_nights.server.types = [{"id": "t1", "name": "Doors", "fields": [field(number) for number in range(fields)]}]
    results = [result(number) for number in range(fields)]
    small_nights.server.assets = [asset(f"a{number}", fields=results) for number in range(assets)]


@pytest.mark.slow
def test_a_type_of_many_fields_has_its_values_in_their_columns(small_nights: SmallHome):
    widen(small_nights, 300, 5)
    small_nights.server.assets[0]["fields"] = small_nights.server.assets[0]["fields"][:7]
    small_nights.server.assets[1]["fields"] = []
    assert small_nights.sync().exit_code == 0
    with duckdb.connect(small_nights.published, read_only=True) as published:
        found = {row[0]: row for row in published.execute("from by_type.doors").fetchall()}
        names = [column[0] for column in published.execute("from by_type.doors limit 0").description]
    told = dict(zip(names, map(str, found["a4"]), strict=True))
    assert told == {"asset_id": "a4", "property_id": "p1"} | {
        f"field_{number}": str(COLUMN[KINDS[number % 5]]) for number in range(300)
    }
    assert sum(value is not None for value in found["a0"]) == 2 + 7
    assert found["a1"] == ("a1", "p1", *[None] * 300)


@pytest.mark.release
def test_a_value_that_changes_in_a_wide_type_is_the_only_one_to_change(small_nights: SmallHome):
    widen(small_nights, 300, 3)
    small_nights.sync()
    small_nights.server.assets[0] = asset("a0", fields=[{"type": "text", "field": "f0", "value": "other"}])
    small_nights.server.types[0]["fields"].append(field(300))
    small_nights.sync()
    query = "select asset_id, field_0, field_1, field_300 from by_type.doors order by all"
    assert small_nights.rows(query) == [("a0", "other", None, None), ("a1", "it", 1.5, None), ("a2", "it", 1.5, None)]


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What DuckDB is asked, statement by statement."""
    asked: list[str] = []
    run = Warehouse._run

    def noted(self: Warehouse, sql: str, parameters: Any) -> Any:
        asked.append(sql)
        return run(self, sql, parameters)

    monkeypatch.setattr(Warehouse, "_run", noted)
    return asked


@pytest.mark.release
def test_more_fields_are_no_more_statements_and_no_more_aggregates(small_nights: SmallHome, statements: list[str]):
    widen(small_nights, 60, 2)
    small_nights.sync()
    few = len(statements)
    statements.clear()
    widen(small_nights, 600, 2)
    small_nights.sync()
    assert len(statements) <= few
    assert max(sql.count("any_value(") for sql in statements) <= 10


@pytest.mark.release
def test_dictionaries_in_every_table_leave_a_row_that_says_so_once(small_nights: SmallHome):
    def own(number: int) -> dict[str, Any]:
        return {f"{number} key {key}": key for key in range(60)}

    small_nights.server.assets = [asset(f"a{n}", own=own(n), score=n) for n in range(12)]
    flags = lambda n: [{"own": own(n), "label": "x", "history": [{"own": own(n), "state": "open"}]}]  # noqa: E731
    small_nights.server.assessments = [assessment(f"s{n}", **own(n), flags=flags(n), zeal=n) for n in range(12)]
    assert small_nights.sync().exit_code == 0
    small_nights.server.assets[0] = asset("a0", own=own(99), score=1.5)
    assert small_nights.sync().exit_code == 0
    query = "select resource, name, after from ops.schema_changes where change = 'further members stay in payload'"
    assert sorted(small_nights.rows(query)) == [
        ("assessment_flag_history", "own", "300 columns"),
        ("assessment_flags", "own", "300 columns"),
        ("assessments", "(record)", "400 columns"),
        ("assets", "own", "300 columns"),
    ]
    assert small_nights.rows("select score from assets where asset_id = 'a0'") == [(1.5,)]
    assert small_nights.rows("select count(zeal), count(label) from assessments, assessment_flags") == [(144, 144)]
    assert small_nights.rows("""select payload->'$.own."99 key 7"' from assets where asset_id = 'a0'""") == [("7",)]
