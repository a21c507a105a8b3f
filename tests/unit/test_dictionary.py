"""Promises of docs/tables.md: it exists, it is whole, and it is that of this version."""

from pathlib import Path

from propsync.publish.dictionary import dictionary
from propsync.warehouse import TABLES

WRITTEN = Path(__file__).parents[2] / "docs" / "tables.md"


def test_what_is_written_is_that_of_this_version():
    assert WRITTEN.read_text(encoding="utf-8") == dictionary(), "run `make docs`"


def test_every_table_has_a_section_with_a_row_for_each_column():
    sections = {lines[0]: lines for section in dictionary().split("\n## ")[1:] if (lines := section.splitlines())}
    for table in TABLES.values():
        lines = sections[table.full_name.removeprefix("main.")]
        rows = [line.split(" | ")[0].strip("| `") for line in lines if line.startswith("| `")]
        assert rows == list(table.columns)
        assert any(table.comment in line for line in lines)


def test_every_row_has_as_many_cells_as_its_head():
    for line in dictionary().splitlines():
        if line.startswith("|"):
            assert line.replace("\\|", "").count("|") in (3, 4)
            assert line.endswith(" |")
