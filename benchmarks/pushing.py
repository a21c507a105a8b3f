"""The case of writing back: propsync applies a plan, and a bare loop writes as many records of the same API."""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import cases, programs
from benchmarks.measured import Notes
from benchmarks.measuring import Cost
from benchmarks.writable import Writable, serving

EDITS = 5_000
ASSETS = 4 * EDITS
_Assets = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class _Bench:
    """A served world, and a folder with propsync's home and files of edits."""

    api: Writable
    folder: Path
    notes: Notes

    def ours(self, assets: _Assets, value: str) -> None:
        """propsync plans the edits of a sheet, then applies the plan, which alone is measured."""
        sheet, plan = self.folder / "sheet.csv", self.folder / "sheet.plan"
        _write(sheet, [("asset_id", self.api.field), *((asset, value) for asset, _ in assets)])
        plan.unlink(missing_ok=True)
        printed = self._propsync(f"push plan assets {sheet} --out {plan} --json").said
        plan_id = json.loads(printed.splitlines()[-1])["plan_id"]
        self._note(cases.PROPSYNC, lambda: self._propsync(f"push apply {plan} --allow-large {plan_id}"))

    def theirs(self, assets: _Assets, value: str) -> None:
        """The bare loop does the same."""
        edits = self.folder / "edits.csv"
        _write(edits, [(place, asset, self.api.field, value) for asset, place in assets])
        self._note(cases.FLOOR, lambda: programs.floor_push(self.api, edits))

    def _propsync(self, command: str) -> Cost:
        return programs.propsync(command, self.api, self.folder / "home", self.notes.memory_limit)

    def _note(self, who: str, run: Callable[[], Cost]) -> None:
        """Two cases: the time that the API sees, from the first to the last request, and that of the whole program."""
        before = self.api.last()
        cost = run()
        effects = self.api.effects_since(before)
        assert effects == EDITS, (who, effects)
        self.notes.add(cases.PUSH, who, replace(cost, wall_seconds=self.api.seconds_since(before)))
        self.notes.add(cases.WHOLE_PUSH, who, cost)


def push(folder: Path, notes: Notes, repeats: int) -> None:
    """Both write 5,000 records, in turns; each has its own."""
    folder.mkdir(parents=True)
    with serving(ASSETS) as api:
        bench = _Bench(api, folder, notes)
        programs.propsync(cases.SYNC, api, folder / "home", notes.memory_limit)
        for turn in range(repeats):
            bench.ours(api.assets[:EDITS], f"ours {turn}")
            bench.theirs(api.assets[EDITS : 2 * EDITS], f"theirs {turn}")


def _write(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
