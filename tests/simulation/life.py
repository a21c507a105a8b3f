"""The course of one seed: nights of trouble, then a quiet one, and the oracle's questions after each."""

from __future__ import annotations

import shutil
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from propsync_sandbox import RESOURCES, Entry, Sandbox

from . import buckets
from .bugs import FROM_THE_START, planted
from .coverage import Coverage, of_run
from .erased_life import ErasedLife
from .further import write_toml
from .ground import SmallWorld
from .grounds import FIRST_RUN, TOKEN, Runner, first_window, ground_home
from .hearing import Hearing
from .hints import Hinting
from .nights import Kill, Night
from .oracle.problems import Problems
from .oracle.state import latest_run
from .outcome import Order, Outcome
from .papers import write_plain_documents
from .pushes import Push
from .questions import Questions
from .scenario import Scenario
from .watch import Watch, Window
from .writing import Writing, Written

_DOCUMENTS = ("/assessments/*/report.pdf",)


class Life:
    """One seed, from its ground to the last question. `grounds` keeps homes that were synced once, for later seeds."""

    def __init__(
        self,
        scenario: Scenario,
        runner: Runner,
        grounds: Path,
        bug: str = "",
    ) -> None:
        self.scenario = scenario
        self._bug = bug
        self._runner = runner
        self._grounds = grounds
        self._clock: datetime = FIRST_RUN
        write_plain_documents()
        self.world = SmallWorld(scenario.ground, properties=scenario.further is not None)
        archive = scenario.archive
        self.watch = Watch(scenario.seed, self.world, archive.statuses if archive else ())
        self.questions = Questions(scenario, self.world, runner.home)
        self.writing = Writing(scenario.seed, self.world, runner.home)
        self.coverage: Coverage = Counter()
        self.erased = ErasedLife(self)

    def live(self) -> Coverage:
        """The whole course. Raises Broken at the first moment at which a promise does not hold."""
        if self.scenario.ground_run:
            self._begin_on_ground()
        with self._sandbox() as self.sandbox:
            for number, night in enumerate(self.scenario.nights, 1):
                self._night(night, number)
                self._after_night(number, is_list_named=night.is_list_named)
            self._quiet()
            self.coverage += self.writing.check(self.sandbox.journal.writes(), self.questions.veil)
        self.coverage += self.questions.coverage
        self.coverage.update({f"edit {kind}": count for kind, count in self.watch.editor.done.items()})
        if self.questions.archived:
            self.coverage["document damaged and mended"] += self.questions.archived.mended
        if self.watch.properties:
            self.coverage.update(self.watch.properties.done)
        if self.watch.documents:
            self.coverage.update({f"edit {kind}": count for kind, count in self.watch.documents.done.items()})
        self.coverage["body rotted"] += self.questions.rot.struck
        self.coverage["seed"] += 1
        return self.coverage

    def _after_night(self, number: int, *, is_list_named: bool) -> None:
        """What people do then."""
        for push in self.scenario.pushes:
            if push.night == number:
                self._push(push, is_list_named=is_list_named)
        for hinting in self.scenario.hints:
            if hinting.night == number:
                self._hear(hinting, is_list_named=is_list_named)
        if self.scenario.erasing and self.scenario.erasing.night == number:
            self.erased.erase(self.scenario.erasing, is_list_named=is_list_named)

    def _begin_on_ground(self) -> None:
        early = self._bug if self._bug in FROM_THE_START else ""
        with planted(early):
            home = ground_home(self.scenario, self._runner, self._grounds, early)
        shutil.copytree(home, self._runner.home)
        self.questions.runs.append((None, self._first_window(), Outcome(0)))

    def _first_window(self) -> Window:
        further = self.scenario.further
        return first_window(self.world, self.world.resources if further and further.on_ground else RESOURCES)

    def _sandbox(self) -> Sandbox:
        archive, refused = self.scenario.archive, () if self.scenario.documents_allowed else _DOCUMENTS
        return Sandbox(
            world=self.world,
            seed=self.scenario.seed,
            token=TOKEN,
            rights={TOKEN: refused},
            order=self.scenario.order,
            signed_links=self.scenario.signed_links,
            accept_ranges=bool(archive and archive.accept_ranges),
            etags=archive.etags if archive else "strong",
            before=self.watch.before,
        )

    def _night(self, night: Night, number: int) -> None:
        dice = Random(f"day {self.scenario.seed} {number}")
        self.watch.edit(dice, night.edits_before)
        self.watch.edit_documents(dice, night.edits_before, 0.5)
        self.watch.edit_properties(Random(f"before {self.scenario.seed} {number}"), night.edits_before)
        self.watch.edit_chance = night.edit_chance
        self.sandbox.set_faults(night.faults)
        scope = self._scope(night.ids_of, dice) if night.ids_of else None
        if self._would_refuse(night):
            return
        self._rot(number)
        if night.documents == "verify" and self.questions.archived is not None:
            self.questions.archived.damage(dice)
        self._change_machine(is_nightly=not (night.ids_of or night.rebuilds or night.documents))
        life = self.scenario.bucket
        self.run(
            f"night {number}",
            night.hours,
            kill=night.kill,
            weather=life.weather.get(number) if life else None,
            only=night.only,
            scope=scope,
            rebuild=night.rebuilds,
            documents=night.documents,
            is_list_named=night.is_list_named,
        )
        self.questions.after_run()

    def _push(self, push: Push, *, is_list_named: bool) -> None:
        """Plans from what is published, lets others edit, and applies in trouble; at once again, or at the end."""
        self.watch.edit_chance = 0.0
        written = self.writing.make(push, len(self.sandbox.journal.writes()))
        if written is None:
            return
        self.watch.edit(Random(f"theirs {self.scenario.seed} {push.night}"), push.theirs)
        self.writing.edit_by_others(written, push.theirs)
        self.sandbox.set_faults(push.faults)
        name = f"the push after night {push.night}"
        self.apply(name, written, kill=push.kill, is_list_named=is_list_named)
        self.sandbox.set_faults(())
        if push.is_repeated:
            self.apply(f"{name}, again", written, is_list_named=is_list_named)

    def apply(self, name: str, written: Written, *, is_list_named: bool, kill: Kill | None = None) -> None:
        """One apply. It is no run if it stops before it begins one, or if an earlier one has done it all."""
        outcome = self.run(name, 1, kill=kill, push=str(written.path), is_list_named=is_list_named)
        if outcome.killed or outcome.exit_code in (0, 3):
            self.questions.after_run()

    def _hear(self, hinting: Hinting, *, is_list_named: bool) -> None:
        """Edits with posts about them, looks through trouble, and a last look without any."""
        if not (self._runner.home / "published" / "_published.json").exists():
            return
        dice, hearing = Random(f"heard {self.scenario.seed}"), Hearing(self.world, self._runner.home)
        self.watch.edit_chance = 0.0
        items = hearing.edits(lambda: self.watch.edit(Random(f"told {self.scenario.seed}"), hinting.edits))
        hearing.post(hinting, items, self._clock + timedelta(minutes=30), dice)
        for number, look in enumerate(hinting.looks, 1):
            self.watch.edit_chance = look.edit_chance
            self.sandbox.set_faults(look.faults)
            self._look(f"look {number} after night {hinting.night}", look.kill, is_list_named=is_list_named)
            if hinting.is_early and number == 1:
                self.watch.edit(Random(f"told late {self.scenario.seed}"), hinting.edits)
        self.watch.edit_chance = 0.0
        self.sandbox.set_faults(())
        for which in ("last", "very last"):  # the first may come before looks that a failure has put off
            self._look(f"the {which} look after night {hinting.night}", None, is_list_named=is_list_named)
        self.coverage += hearing.check(hinting)

    def _look(self, name: str, kill: Kill | None, *, is_list_named: bool) -> None:
        """One look at what is due; without anything it is no run."""
        outcome = self.run(name, 0.5, kill=kill, hints=True, is_list_named=is_list_named)
        if outcome.killed or (outcome.run_id and outcome.exit_code in (0, 3)):
            self.questions.after_run()

    def _rot(self, number: int) -> None:
        """Bodies of merged snapshots rot; one that was killed before its merge may have nothing but its bodies."""
        latest = self.questions.runs[-1:]
        if self.scenario.bucket and not any(order and one.exit_code in (0, 3) for order, _, one in latest):
            return  # the bucket may not have them yet
        if not any(outcome.killed for _, _, outcome in latest):
            self.questions.rot.strike(Random(f"rot {self.scenario.seed} {number}"))

    def _would_refuse(self, night: Night) -> bool:
        """Rightly: nothing landed that could be rebuilt, nothing published whose documents could be asked for."""
        if night.rebuilds:
            return not any(self._runner.home.glob("landing/*/*/manifest.json"))
        return bool(night.documents) and not (self._runner.home / "published" / "_published.json").exists()

    def _scope(self, ids_of: str, dice: Random) -> dict[str, tuple[str, ...]]:
        """A few ids to backfill by, those of records that are gone among them."""
        books = {"asset_types": self.world.asset_types, "assessment_types": self.world.assessment_types}
        if ids_of == "properties":
            known = self.world.properties.ids()
        elif ids_of in books:
            known = books[ids_of].ids()
        else:
            shelf = self.world.shelf(ids_of)
            known = [str(key) for key in (*shelf.keys(), *shelf.gone_keys())]
        return {ids_of: tuple(sorted(dice.sample(known, min(len(known), dice.randint(1, 5)))))}

    def _quiet(self) -> None:
        self.watch.edit_chance = 0.0
        self.sandbox.set_faults(())
        is_named = not (self.scenario.further and self.scenario.further.is_dropped_at_end)
        self.erased.forget(is_list_named=is_named)
        self._change_machine(is_nightly=not self.writing.all)
        self._rot(0)
        for written in self.writing.all:
            self.apply(f"the last push of {written.path.stem}", written, is_list_named=is_named)
        for written in self.writing.unfinished():  # somebody has undone a write since: it may only be late to show
            self.apply(f"the very last push of {written.path.stem}", written, is_list_named=is_named)
        outcome = self.run("the quiet run", 24, is_list_named=is_named)
        if outcome.held:
            self.questions.after_run()
            outcome = self._accept(str(outcome.run_id), is_list_named=is_named)
        if self.erased.cannot_be_split(outcome):
            self.questions.after_run()
            self.erased.erase_in_api()
            outcome = self.run("the quiet run, once the API has erased it too", 24, is_list_named=is_named)
        problems = Problems()
        is_well = self.questions.ended_well(outcome)
        problems.expect(is_well, "a quiet run ends well", outcome.exit_code, outcome.left_behind)
        problems.settle("the quiet run")
        self.questions.after_run()
        is_settled = self.questions.after_quiet()
        if self.scenario.quiet_twice and is_settled:
            ask = self.questions.before_another()
            outcome = self.run("the second quiet run", 24, is_list_named=is_named)
            if not self.erased.cannot_be_split(outcome):  # the order of the night decides
                ask()
        if self.scenario.rebuild or self.erased.target:
            self._rebuild(is_list_named=is_named)

    def _accept(self, held: str, *, is_list_named: bool) -> Outcome:
        """Takes a person's word for what a run held; some runs that do so are killed, and the word is given again."""
        seed, further = self.scenario.seed, self.scenario.further
        if seed % 2:  # some of what is held comes back before somebody accepts
            self.watch.edit(Random(f"held {seed}"), 3, ["bring_back"])
            if self.watch.properties:
                self.watch.bring_back_property(Random(f"held property {seed}"))
        kill = further.accepting_kill(seed) if further else None
        outcome = self.run("the accepting run", 1, accept=held, kill=kill, is_list_named=is_list_named)
        if not outcome.killed:
            return outcome
        self.questions.after_run()
        return self.run("the accepting run again", 1, accept=held, is_list_named=is_list_named)

    def _rebuild(self, *, is_list_named: bool) -> None:
        further = self.scenario.further
        without_state = self.scenario.seed % 12 == 0 or bool(further and further.loses_state)
        without_state = without_state or self.erased.loses_state
        ask = self.questions.before_rebuild(without_state=without_state)
        is_named = is_list_named and not (further and further.is_rebuilt_without)
        self.run("the rebuild", 1, rebuild=True, is_list_named=is_named)
        ask()

    def _entries(self) -> list[Entry]:
        """The answers of this run: the sandbox keeps effects of earlier ones."""
        return [entry for entry in self.sandbox.journal.entries() if entry.sequence > self._answered]

    def _environ(self, home: Path) -> dict[str, str]:
        environ = self.scenario.settings(self.sandbox.base_url, TOKEN, home)
        return environ | (buckets.settings(home) if self.scenario.bucket else {})

    def _change_machine(self, *, is_nightly: bool) -> None:
        """Lets another machine work from now on, in some seeds; a night that cannot rebuild comes after a rebuild."""
        life, runs = self.scenario.bucket, self.questions.runs
        is_whole = bool(runs) and runs[-1][0] is not None and runs[-1][2].exit_code in (0, 3)
        if life is None or not life.change_machine(self._runner.home, len(runs), is_whole=is_whole):
            return
        self.coverage[f"machine {life.machines}"] += 1
        if not is_nightly:
            self.run("the rebuild on another machine", 1, rebuild=True)
            self.questions.after_run()

    def run(
        self,
        name: str,
        hours: float,
        *,
        kill: Kill | None = None,
        only: tuple[str, ...] = (),
        accept: str | None = None,
        scope: dict[str, tuple[str, ...]] | None = None,
        rebuild: bool = False,
        documents: str = "",
        is_list_named: bool = True,
        push: str = "",
        hints: bool = False,
        weather: buckets.Weather | None = None,
        erase: dict[str, str] | None = None,
        resumes: bool = False,
        forget: str = "",
    ) -> Outcome:
        """One run. A backfill or a push has no clock of its own: it comes a moment after the last run with a trace.

        A look at hints may be several runs, of which the first has the time of the clock.
        """
        is_after = scope is not None or bool(push or erase or resumes or forget)
        latest = latest_run(self._runner.home) or datetime.now(UTC) if is_after else None
        self._clock += timedelta(hours=hours)
        self._answered = max((entry.sequence for entry in self.sandbox.journal.entries()), default=0)
        self.sandbox.journal.clear()
        self.watch.begin(is_written=bool(push))
        if self.scenario.further is not None:
            write_toml(self._runner.home, self.scenario.further.toml if is_list_named else "")
        environ, plain = self._environ(self._runner.home), self.scenario.plain_plans
        order = Order(
            environ,
            self._clock,
            kill,
            only,
            accept,
            scope,
            rebuild,
            plain,
            documents,
            is_list_named,
            push,
            hints,
            weather,
            erase,
            resumes,
            forget,
        )
        with planted(self._bug):
            outcome = self._runner.run(order)
        began = self._clock - timedelta(microseconds=1) if hints else latest or self._clock
        window = self.watch.window(name, began, is_after or hints, self._entries())
        self.questions.runs.append((order, window, outcome))
        self.coverage += of_run(outcome, window, kill)
        problems = Problems()
        is_refused = rebuild and (outcome.error or "").startswith("BaseLost") and bool(self.questions.rot.damaged())
        self.coverage["rebuild refused"] += is_refused
        is_away = weather is not None and (outcome.error or "").startswith("StorageAway")
        self.coverage["bucket away"] += is_away
        is_behind = (scope is not None or bool(forget)) and (outcome.error or "").startswith("HomeBehind")
        is_kept_away = self.erased.is_refusal(name, order, outcome, problems)
        self.coverage["run refused for an erasure"] += is_kept_away
        is_refused = is_refused or is_kept_away
        is_right = outcome.error is None or is_refused or is_away or (is_behind and self.scenario.bucket is not None)
        problems.expect(is_right, "a run ends with a report", outcome.error)
        problems.settle(name)
        return outcome
