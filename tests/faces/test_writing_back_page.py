"""docs/writing-back.md is true: a person who follows it corrects records, finds the wrong cell, and takes all back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import xlsxwriter
from faces.pages import PAGES
from faces.test_readme import ran
from kit.command_line import CommandLine, Done, settings_of
from python_calamine import load_workbook

from propsync_sandbox import Sandbox

pytestmark = pytest.mark.slow
PAGE = PAGES["writing-back.md"]
WRONG = "31/12/2026"
EXITS = {"propsync push plan assets doors.xlsx --out doors.plan": 3}


@pytest.fixture(scope="module")
def writable() -> Iterator[Sandbox]:
    """A sandbox that the other pages don't see."""
    with Sandbox(scale=240, seed=5) as running:
        yield running


class Reader:
    """Types what the page shows, and does with the files what it says."""

    def __init__(self, folder: Path, sandbox: Sandbox) -> None:
        self.folder, self.settings = folder, settings_of(sandbox, folder / "home")
        self.said: dict[str, str] = {}

    def follow(self) -> None:
        """Runs every command in the order shown."""
        edits: dict[str, Callable[[], None]] = {"push template assets": self._edit, "push undo": self._create}
        for command, output in PAGE.shown():
            done = self._run(command)
            assert done.returncode == EXITS.get(command, 0), f"{command}\n{done.stdout}{done.stderr}"
            self.said[command] = done.stdout
            assert set(output) <= set(done.stdout.splitlines()), done.stdout
            for begin, edit in edits.items():
                if command.startswith(f"propsync {begin}"):
                    edit()

    def _run(self, command: str) -> Done:
        past = [line for line in self.said.get("propsync push history", "").splitlines() if line[:1] == "2"]
        run = past[0].split()[0] if past else "RUN"
        return ran(command.replace("RUN", run), self.folder, self.settings, in_a_shell=False)

    def _edit(self) -> None:
        path = self.folder / "doors.xlsx"
        rows = load_workbook(path).get_sheet_by_index(0).to_python()
        rows[1][rows[0].index("Location")] = "Ground floor lobby, by the lift"
        rows[2][rows[0].index("Notes")] = "[clear]"
        rows[4][rows[0].index("Next inspection due")] = WRONG
        with xlsxwriter.Workbook(path) as book:
            sheet = book.add_worksheet()
            for place, row in enumerate(rows):
                sheet.write_row(place, 0, row)

    def _create(self) -> None:
        example = next(block for block in PAGE.text.split("```") if block.startswith("\nasset_id,property_id"))
        (place,) = CommandLine(self.folder, self.settings)(
            "query", "select property_id from assets limit 1", "--format", "csv"
        ).stdout.split()[1:]
        (self.folder / "new.csv").write_text(example.strip().replace("0mFaiKurpIu2TdC3H0W3zA", place))


def test_every_command_runs_and_the_wrong_cell_is_named(writable: Sandbox, tmp_path: Path):
    before = writable.world.truth("assets")
    reader = Reader(tmp_path, writable)
    assert CommandLine(tmp_path, reader.settings)("sync", "--no-archive").returncode == 0
    reader.follow()
    (shown,) = [line for line in PAGE.text.splitlines() if line.startswith("Refused: ")]
    assert shown in reader.said["propsync push plan assets doors.xlsx --out doors.plan"].splitlines()
    assert "1 to create" in reader.said['propsync push plan assets new.csv --type "Communal fire doors"']
    assert len(writable.journal.writes()) == 4, "two records were written, and both were taken back"
    assert writable.world.truth("assets") == before
