"""Promises of bundle tables: usual columns always have their cells, and nothing that a CSV says is lost."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from propsync.documents.content_rows import ContentRows
from propsync.documents.csv_rows import csv_tables
from propsync.documents.zips.bundle import Bounds, read_bundle
from propsync.suppression import DONE, ID, Erasure, Marker, Suppression
from propsync.warehouse import Warehouse

USUAL = ("Id", "Reference", "Title", "Priority", "Status", "Due date", "Responsible", "Cost", "Image")
ORDINARY = {"Reference": "A01", "Priority": "High", "Hazard": "Gas", "Due date": "2026-03-01"}
WIDE = {f"c{number}": f"w{number}" for number in range(1_000)} | {"Priority": "Low"}
OTHER_WIDE = {f"d{number}": f"v{number}" for number in range(999)} | {"Reference": "B09"}


class Shelf:
    """Bundle tables in a state database; an assessment's bundle has one actions.csv with one row."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.suppression = Suppression(None, ())
        self.warehouse = Warehouse(folder / "state.duckdb", memory_limit="1GB", folder=folder)

    def read(self, assessment_id: str, cells: dict[str, str] | Sequence[Sequence[str]], run_id: str = "run") -> None:
        """Reads a bundle: by columns, or as lines."""
        lines = [list(cells), list(cells.values())] if isinstance(cells, dict) else cells
        text = io.StringIO(newline="")
        csv.writer(text).writerows(lines)
        self.read_bytes(assessment_id, text.getvalue().encode(), run_id)

    def read_bytes(self, assessment_id: str, content: bytes, run_id: str = "run") -> None:
        path = self.folder / "bundle.zip"
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("actions.csv", content)
        rows = ContentRows(self.warehouse, run_id, self.suppression)
        with self.warehouse.transaction():
            rows.clear({f"hash of {assessment_id}"}, {assessment_id})
            for table, lots in csv_tables(path, read_bundle(path, Bounds())):
                rows.csv(assessment_id, f"hash of {assessment_id}", table, lots)
            rows.flush()

    def cells(self, assessment_id: str) -> dict[str, Any]:
        """The cells of its row that say anything, those in `further` beside the others."""
        names = self.columns()
        query = "select * from main.bundle_actions where assessment_id = ?"
        [row] = self.warehouse.rows(query, [assessment_id])
        found = {name: cell for name, cell in zip(names, row, strict=True) if cell is not None}
        further = json.loads(found.pop("further", "{}"))
        assert not further.keys() & set(names)
        return {name: cell for name, cell in (found | further).items() if name not in names[:3]}

    def columns(self) -> list[str]:
        return [name for (name,) in self.warehouse.rows("select column_name from (describe main.bundle_actions)")]

    def issues(self) -> list[tuple[Any, ...]]:
        query = "select resource, record_id, name, issue, value from ops.value_issues order by all"
        return self.warehouse.rows(query)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    made = Shelf(tmp_path)
    with made.warehouse:
        yield made


def named(cells: dict[str, str]) -> dict[str, str]:
    return {name.lower().replace(" ", "_"): cell for name, cell in cells.items()}


@pytest.mark.parametrize("order", list(permutations(("wide", "other wide", "ordinary"))), ids=" - ".join)
def test_in_any_order_every_cell_is_kept_and_an_ordinary_csv_has_its_columns(
    shelf: Shelf, order: Sequence[str]
) -> None:
    bundles = {"wide": WIDE, "other wide": OTHER_WIDE, "ordinary": ORDINARY}
    for name in order:
        shelf.read(name, bundles[name])
    columns = shelf.columns()
    assert {"reference", "priority", "hazard", "due_date"} <= set(columns)
    assert 200 <= len(columns) <= 300
    for name, cells in bundles.items():
        assert shelf.cells(name) == named(cells)
    query = "select reference, priority, hazard, due_date, further from main.bundle_actions where assessment_id = ?"
    assert shelf.warehouse.rows(query, ["ordinary"]) == [("A01", "High", "Gas", "2026-03-01", None)]
    assert {issue[1] for issue in shelf.issues()} == {"wide", "other wide"}


def test_the_usual_columns_are_there_before_any_bundle(shelf: Shelf) -> None:
    usual = [name.lower().replace(" ", "_") for name in USUAL]
    assert shelf.columns() == ["assessment_id", "document_sha256", "row_number", *usual, "further"]


def test_a_table_that_is_full_keeps_what_comes_later_in_further(shelf: Shelf) -> None:
    """Not one wide CSV, but many with columns of their own."""
    for number in range(6):
        shelf.read(f"a{number}", {f"b{number}c{place}": "x" for place in range(60)})
    assert len(shelf.columns()) == 300
    shelf.read("late", ORDINARY)
    assert shelf.cells("late") == named(ORDINARY)
    reference = "select reference, priority, due_date, further->>'hazard' from main.bundle_actions"
    assert shelf.warehouse.rows(f"{reference} where assessment_id = 'late'") == [("A01", "High", "2026-03-01", "Gas")]
    issue = "1 columns of the CSV are in further: the table has no room for more"
    assert ("documents", "late", "bundle_actions.further", issue, "hazard") in shelf.issues()


def test_a_column_that_is_made_takes_over_what_earlier_rows_have_of_it(shelf: Shelf) -> None:
    shelf.read("wide", WIDE)
    assert "c900" not in shelf.columns()
    shelf.read("late", {"C900": "1", "C901": "", "Reference": "A01"})
    own = "select c900, c901, further->>'c900', further->>'c902' from main.bundle_actions where assessment_id = 'wide'"
    assert shelf.warehouse.rows(own) == [("w900", "w901", None, "w902")]
    before = shelf.warehouse.rows("from main.bundle_actions order by all")
    shelf.read("wide", WIDE)
    assert shelf.warehouse.rows("from main.bundle_actions order by all") == before


def test_reading_twice_is_reading_once(shelf: Shelf) -> None:
    bundles = {"wide": WIDE, "ordinary": ORDINARY}
    for name, cells in bundles.items():
        shelf.read(name, cells)
    tables = [shelf.warehouse.rows("from main.bundle_actions order by all"), shelf.issues(), shelf.columns()]
    for name, cells in reversed(bundles.items()):
        shelf.read(name, cells)
    assert [shelf.warehouse.rows("from main.bundle_actions order by all"), shelf.issues(), shelf.columns()] == tables


def test_an_issue_goes_with_the_columns_that_it_is_about(shelf: Shelf) -> None:
    shelf.read("a", WIDE)
    assert len(shelf.issues()) == 1
    shelf.read("a", ORDINARY)
    assert shelf.issues() == []
    assert shelf.cells("a") == named(ORDINARY)


def test_cells_that_a_row_lacks_and_empty_ones_are_told_apart_in_further(shelf: Shelf) -> None:
    names = [f"c{number}" for number in range(500)]
    shelf.read("a", [names, ["1"] * 450 + [""] * 10])
    query = "select further->>'c449', further->>'c455', json_exists(further, 'c460') from main.bundle_actions"
    assert shelf.warehouse.rows(query) == [("1", "", False)]


HEADERS = {
    "the same thousand times": ["Reference"] * 1_000,
    "no names": [""] * 1_000,
    "names that differ in case": [f"{'REFERENCE' if number % 2 else 'reference'}" for number in range(1_000)],
    "very long names": [f"{'x' * 5_000} {number}" for number in range(40)],
    "our own": ["Assessment ID", "document_sha256", "Row number", "Further", "further", "FURTHER", "csv_further"],
    "SQL": ['a"; drop table main.documents; --', "a'b", "$.a", "/a", "*", "a.b", "select", "rowid"],
    "letters that JSON escapes": ["\\", '"', "\x01", "\u2028", "é" * 400],
}


@pytest.mark.release
@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
def test_whatever_headers_say_each_cell_has_a_place_of_its_own(shelf: Shelf, headers: list[str]) -> None:
    cells = [f"cell {number}" for number in range(len(headers))]
    shelf.read("before", WIDE)
    shelf.read("odd", [headers, cells])
    shelf.read("after", ORDINARY)
    assert sorted(shelf.cells("odd").values()) == sorted(cells)
    assert shelf.cells("after") == named(ORDINARY)
    assert len(shelf.columns()) <= 300


def test_wide_rows_in_numbers_are_written_in_bounded_lots(shelf: Shelf) -> None:
    lines = [[f"c{number}" for number in range(1_000)], *([str(row)] * 1_000 for row in range(700))]
    shelf.read("a", lines)
    counts = "select count(*), count(c5), count(further), max(further->>'c999') from main.bundle_actions"
    assert shelf.warehouse.rows(counts) == [(700, 700, 700, "99")]


def test_a_row_that_names_an_erased_asset_has_its_pseudonym(shelf: Shelf) -> None:
    marker = Marker(bytes(32))
    erasure = Erasure(
        *("one", "asset", datetime.now(UTC), "asked", DONE),
        record=marker.mark(ID, "asset-gone-1"),
        pseudonym=marker.pseudonym("asset-gone-1"),
    )
    shelf.suppression = Suppression(marker, [erasure])
    shelf.read("one", {"Reference": "asset-gone-1", "Title": "Door of asset-gone-1", "Priority": "High"})
    gone = erasure.pseudonym
    assert shelf.cells("one") == {"reference": gone, "title": f"Door of {gone}", "priority": "High"}
