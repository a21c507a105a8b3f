"""The course of one seed: nights of trouble, then a quiet one, and the oracle's questions after each."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Protocol

import duckdb

from propsync_sandbox import RESOURCES, Entry, Sandbox

from .coverage import Coverage, of_end, of_run
from .ground import SmallWorld, write_plain_reports
from .oracle.again import check_same
from .oracle.files import check_landing, check_leftovers, check_note
from .oracle.past import Past
from .oracle.present import Present, check_keys
from .oracle.problems import Problems
from .oracle.published import published
from .outcome import Outcome
from .product import HAS_DELETES, rebuild
from .scenario import Kill, Night, Scenario
from .watch import Watch, Window

_TOKEN = "simulated"
_DOCUMENTS = ("/assessments/*/report.pdf",)


class Runner(Protocol):
    """Runs nights of one home."""

    home: Path

    def run(self, environ: dict[str, str], kill: Kill | None = None, accept: str | None = None) -> Outcome:
        """One run, to its end or to its death."""


class Life:
    """One seed, from its ground to the last question. `grounds` keeps homes that were synced once, for later seeds."""

    def __init__(self, scenario: Scenario, runner: Runner, grounds: Path) -> None:
        self.scenario = scenario
        self.coverage: Coverage = Counter()
        self._runner = runner
        self._grounds = grounds
        self._windows: list[Window] = []
        self._outcomes: list[Outcome] = []
        self._settled: list[str] = []
        write_plain_reports()
        self.world = SmallWorld(scenario.ground)
        self.watch = Watch(scenario.seed, self.world)

    def live(self) -> Coverage:
        """The whole course. Raises Broken at the first moment at which a promise does not hold."""
        if self.scenario.ground_run:
            self._begin_on_ground()
        with self._sandbox() as self.sandbox:
            for number, night in enumerate(self.scenario.nights, 1):
                self._night(night, number)
            self._quiet()
        self.coverage.update({f"edit {kind}": count for kind, count in self.watch.editor.done.items()})
        self.coverage["seed"] += 1
        return self.coverage

    def _sandbox(self) -> Sandbox:
        refused = () if self.scenario.documents_allowed else _DOCUMENTS
        return Sandbox(
            world=self.world,
            seed=self.scenario.seed,
            token=_TOKEN,
            rights={_TOKEN: refused},
            order=self.scenario.order,
            signed_links=self.scenario.signed_links,
            before=self.watch.before,
        )

    def _begin_on_ground(self) -> None:
        """A copy of a home that was synced once from this ground, when all was well."""
        home = ground_home(self.scenario, self._runner, self._grounds)
        shutil.copytree(home, self._runner.home)
        told = json.loads((home.parent / "when.json").read_text())
        began, ended = (datetime.fromisoformat(told[name]) for name in ("began", "ended"))
        self._windows.append(Window("the first run", began, ended, _all_shown(self.world)))
        self._outcomes.append(Outcome(0))

    def _night(self, night: Night, number: int) -> None:
        dice = Random(f"day {self.scenario.seed} {number}")
        self.watch.edit(dice, night.edits_before)
        self.watch.edit_chance = night.edit_chance
        self.sandbox.set_faults(night.faults)
        outcome = self._run(f"night {number}", night.kill)
        if outcome.error:
            self._fail(f"night {number}", "a run ends with a report", outcome.error)
        self._ask(f"after night {number}", outcome)

    def _quiet(self) -> None:
        self.watch.edit_chance = 0.0
        self.sandbox.set_faults(())
        outcome = self._run("the quiet run")
        if outcome.held:
            self._ask("after the quiet run that holds deletes", outcome)
            outcome = self._run("the accepting run", accept=outcome.run_id)
        if outcome.exit_code != 0:
            self._fail("the quiet run", "it ends well", outcome.exit_code, outcome.left_behind, outcome.error or "")
        self._ask("after the quiet run", outcome)
        self._ask_at_the_end()
        if self.scenario.quiet_twice:
            self._ask_twice()
        if self.scenario.rebuild and rebuild is not None:
            self._ask_rebuilt()

    def _run(self, name: str, kill: Kill | None = None, accept: str | None = None) -> Outcome:
        self.sandbox.journal.clear()
        self.watch.begin()
        settings = self.scenario.settings(self.sandbox.base_url, _TOKEN, self._runner.home)
        began = datetime.now(UTC)
        outcome = self._runner.run(settings, kill, accept)
        window = self.watch.window(name, began, datetime.now(UTC), self.sandbox.journal.entries())
        self._windows.append(window)
        self._outcomes.append(outcome)
        self.coverage += of_run(outcome, window, kill)
        time.sleep(0.000_002)  # windows must not touch: a run's time tells which one it was
        return outcome

    def _ask(self, moment: str, outcome: Outcome) -> None:
        """What holds after every run, however it went."""
        problems = Problems()
        home = self._runner.home
        if (home / "published" / "warehouse.duckdb").exists():
            try:
                with published(home) as found:
                    if outcome.killed:
                        found.read_all()
                    check_keys(found, problems)
                    self._past(problems).check(found)
            except duckdb.Error as error:
                problems.add("what is published is whole", error)
        if not outcome.killed:
            check_leftovers(home, problems)
            if outcome.exit_code in (0, 3):
                check_note(home, outcome.run_id, problems)
        problems.settle(moment)

    def _past(self, problems: Problems) -> Past:
        return Past(self._windows, problems, documents_allowed=self.scenario.documents_allowed)

    def _ask_at_the_end(self) -> None:
        """What holds after a quiet run."""
        problems = Problems()
        with published(self._runner.home) as found:
            if HAS_DELETES:
                Present(
                    self.world,
                    problems,
                    page_limit=self.scenario.page_limit,
                    documents_allowed=self.scenario.documents_allowed,
                ).check(found)
            running = found.rows("select run_id from ops.runs where status = 'running'")
            problems.expect(not running, "no run is told to be running", running)
            self._check_told(found.rows("select run_id, status from ops.runs"), problems)
            self.coverage += of_end(found)
        check_landing(self._runner.home, problems)
        problems.settle("after the quiet run")

    def _check_told(self, told: Sequence[tuple[str, str]], problems: Problems) -> None:
        """A run that died is told as killed, or it had come to its end before."""
        for run_id, status in told:
            time_of = datetime.strptime(run_id, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)
            for window, outcome in zip(self._windows, self._outcomes, strict=True):
                if window.began <= time_of <= window.ended:
                    is_so = (status == "killed") <= outcome.killed
                    problems.expect(is_so, "ops.runs tells the truth", run_id, status, window.name)

    def _ask_twice(self) -> None:
        """Nothing changed, so nothing changes."""
        before = self._runner.home.parent / "before.duckdb"
        shutil.copyfile(self._runner.home / "published" / "warehouse.duckdb", before)
        outcome = self._run("the second quiet run")
        problems = Problems()
        problems.expect(outcome.exit_code == 0, "a second quiet run ends well", outcome)
        after = self._runner.home / "published" / "warehouse.duckdb"
        check_same(before, after, "a second quiet run changes nothing", problems)
        problems.settle("after the second quiet run")

    def _ask_rebuilt(self) -> None:
        """From landing alone come the same tables."""
        assert rebuild is not None
        copy = self._runner.home.parent / "rebuilt"
        shutil.copytree(self._runner.home, copy)
        rebuild(self.scenario.settings(self.sandbox.base_url, _TOKEN, copy))
        problems = Problems()
        files = [home / "published" / "warehouse.duckdb" for home in (self._runner.home, copy)]
        check_same(files[0], files[1], "rebuild = incremental", problems)
        problems.settle("after a rebuild")
        self.coverage["rebuilt"] += 1

    def _fail(self, moment: str, promise: str, *what: object) -> None:
        problems = Problems()
        problems.add(promise, *what)
        problems.settle(moment)


def ground_home(scenario: Scenario, runner: Runner, grounds: Path) -> Path:
    """The home of a ground, made when it is first asked for."""
    folder = grounds / f"{scenario.ground}{'-signed' if scenario.signed_links else ''}"
    if not folder.exists():
        with Sandbox(world=SmallWorld(scenario.ground), token=_TOKEN, signed_links=scenario.signed_links) as sandbox:
            settings = scenario.settings(sandbox.base_url, _TOKEN, runner.home) | {"PROPSYNC_PAGE_LIMIT": "100"}
            began = datetime.now(UTC)
            outcome = runner.run(settings)
            ended = datetime.now(UTC)
        if outcome.exit_code != 0:
            raise RuntimeError(f"a ground could not be made: {outcome}")
        making = grounds / f"making-{folder.name}-{ended.timestamp()}"
        making.mkdir(parents=True)
        runner.home.rename(making / "home")
        told = {"began": began.isoformat(), "ended": ended.isoformat()}
        (making / "when.json").write_text(json.dumps(told))
        making.rename(folder)
    return folder / "home"


def _all_shown(world: SmallWorld) -> list[Entry]:
    """What a first run saw of a world in which nothing had happened yet."""
    paths = {"assets": "/properties/assets", "assessments": "/assessments", "schedules": "/assessments/schedules"}
    entries = [
        Entry("GET", paths[name], "", "", 200, records=tuple(world.shelf(name).records()), with_flags=True)
        for name in RESOURCES
    ]
    types = {"/properties/assets": world.asset_types, "/assessments/types": world.assessment_types}
    return [*entries, *(Entry("GET", path, "", "", 200, types=book.listed_json()) for path, book in types.items())]
