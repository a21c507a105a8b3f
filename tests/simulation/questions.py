"""What the oracle is asked, and when."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import duckdb

from propsync_sandbox import World

from .buckets import bucket_of
from .coverage import Coverage, of_end
from .folder_bucket import flaws
from .ground import SmallWorld
from .oracle.again import check_same
from .oracle.archived import Archived
from .oracle.claims import check_claims, check_whole
from .oracle.erased import check_erased_rows, traces
from .oracle.files import check_landing, check_leftovers, check_merged, check_note, check_received
from .oracle.further import Further
from .oracle.holds import check_holds
from .oracle.past import Past
from .oracle.present import Present, check_keys
from .oracle.problems import Problems
from .oracle.published import RUN_ID, Published, published
from .oracle.veil import Veil
from .oracle.wanted import WantedDocuments
from .outcome import Order, Outcome
from .rot import Rot
from .scenario import Scenario
from .watch import Window

_BEFORE_THE_END = ("page", "manifest")
_ASKED_AGAIN = [f"documents.{name}" for name in ("asked_at", "due_at", "attempts")]


@dataclass
class Questions:
    """Knows every run so far: its task, the pages that it saw, and its end."""

    scenario: Scenario
    world: SmallWorld
    home: Path
    runs: list[tuple[Order | None, Window, Outcome]] = field(default_factory=list)
    coverage: Coverage = field(default_factory=Counter)

    def __post_init__(self) -> None:
        archive = self.scenario.archive
        days = archive.recheck_days if archive else 0
        self.rot = Rot(self.home)
        further = self.scenario.further
        self.further = Further(has_filter=further.has_filter) if further else None
        files = bucket_of(self.home).root if self.scenario.bucket else None
        self.veil: Veil | None = None
        self._veiled_until: int | None = None
        self._erased_at: datetime | None = None
        self.archived = Archived(self.home, self.scenario.concurrency, days, files) if archive else None

    def after_run(self) -> None:
        """What holds after every run, however it went. Raises Broken."""
        problems = Problems()
        order, window, outcome = self.runs[-1]
        if (self.home / "published" / "warehouse.duckdb").exists():
            try:
                with published(self.home) as found:
                    self._ask(found, problems)
            except duckdb.Error as error:
                problems.add("what is published is whole", error)
        if not outcome.killed:
            is_archived = order is not None and order.asks_for_documents and outcome.exit_code in (0, 3)
            check_leftovers(self.home, problems, of_documents=is_archived)
        if outcome.exit_code in (0, 3):
            check_note(self.home, outcome.run_id, problems, with_documents=self.archived is not None)
            check_received(self.home, outcome.run_id, problems)
            if self.scenario.bucket and not (order and order.weather):
                told = flaws(bucket_of(self.home), self.home)
                found_flaws = [one for one in told if not any(name in one for name in self.rot.ever_damaged())]
                problems.expect(not found_flaws, "the bucket has all that home has, and nothing else", found_flaws)
            if self.scenario.concurrency == 1:
                self.coverage += check_claims(
                    self.home, outcome, self._seen_runs(self.veil)[-1][1], problems, self.pseudonym
                )
        problems.settle(f"after {window.name}")
        order = self.runs[-1][0]
        if self.veil is not None and self._erased_at is not None and not (order and order.erases):
            self.after_erasure(with_copies=False)

    def cover(self, veil: Veil) -> None:
        """From now on all that was shown is seen without what an erasure took, once its tables are published."""
        self.veil = veil

    def uncover(self) -> None:
        """Runs from now on show it again."""
        self._veiled_until = len(self.runs)

    @property
    def pseudonym(self) -> str | None:
        """The name in the place of an erased record's id."""
        return self.veil.pseudonym if self.veil and self.veil.target.resource else None

    @property
    def is_veiled(self) -> bool:
        """Whether something is kept away now."""
        return self.veil is not None and self._veiled_until is None

    @property
    def seen_world(self) -> World:
        """The world as the tables must show it."""
        return self.veil.world(self.world) if self.veil is not None and self.is_veiled else self.world

    def _ask(self, found: Published, problems: Problems) -> None:
        if self.runs[-1][2].killed:
            found.read_all()
        elif not self.runs[-1][2].error and len(self.runs) > 1 and self.runs[-2][2].killed:  # it publishes twice
            _check_files(found, problems)
        check_keys(found, problems)
        is_erased = self.veil is not None and bool(found.rows("from ops.erasures"))
        self._check_erased(found, problems, is_erased=is_erased)
        veil = self.veil if is_erased else None
        runs = self._seen_runs(veil)
        same = veil.same if veil else ()
        windows = [window for _, window, _ in runs]
        Past(windows, problems, documents_allowed=self.scenario.documents_allowed, same=same).check(found)
        check_holds(found, self._asked_to_delete(), self.scenario.delete_limit, problems, self._erased_at)
        self._check_archived(found, problems)
        if self.further is not None:
            self.further.check(found, runs, problems)
        _, window, outcome = self.runs[-1]
        check_whole(found, outcome, window, self.seen_world, problems)

    def _asked_to_delete(self) -> list[datetime]:
        """When a run carried out what a person wanted: held deletes, or what a killed push had done."""
        asked = []
        is_push_left = False
        for order, window, outcome in self.runs:
            if is_push_left or (order and order.accept):
                asked.append(window.time)
            is_push_left = outcome.killed and (is_push_left or bool(order and order.push))
        return asked

    def _seen_runs(self, veil: Veil | None) -> list[tuple[Order | None, Window, Outcome]]:
        if veil is None:
            return self.runs
        until = len(self.runs) if self._veiled_until is None else self._veiled_until
        return [
            (order, veil.window(window) if number < until else window, outcome)
            for number, (order, window, outcome) in enumerate(self.runs)
        ]

    def _check_erased(self, found: Published, problems: Problems, *, is_erased: bool) -> None:
        """Wholly before an erasure, or wholly after it."""
        check_erased_rows(found, self.veil if is_erased else None, problems)
        if self.veil is None or not is_erased:
            return
        if self._erased_at is None:
            self._erased_at = max(window.time for _, window, _ in self.runs)
            if self.archived is not None and self.veil.target.kind == "assessment":
                self.archived.erase(self.veil.target.words)
            if self.further is not None:
                self.further.veil(self.veil)

    def after_erasure(self, *, with_copies: bool = True) -> None:
        """Nothing of it is below home, nor in the bucket, whatever the runs since then have read."""
        if self.veil is None or self._veiled_until is not None or self.veil.target.kind == "asset field":
            return
        problems = Problems()
        folders = [self.home, *([bucket_of(self.home).root] if self.scenario.bucket else [])]
        for folder in folders:
            found = traces(folder, self.veil.target, with_copies=with_copies)
            problems.expect(not found, "nothing of what was erased is in any file", self.veil.target, found)
        problems.settle("after an erasure")

    def _check_archived(self, found: Published, problems: Problems) -> None:
        order, window, outcome = self.runs[-1]
        if self.archived is not None and order is not None:
            self.archived.check(found, window, order, outcome, problems)

    def after_quiet(self) -> bool:
        """What holds after a quiet run. Returns whether another should change nothing. Raises Broken."""
        problems = Problems()
        scenario = self.scenario
        with published(self.home) as found:
            present = Present(
                self.seen_world,
                problems,
                page_limit=scenario.page_limit,
                documents_allowed=scenario.documents_allowed,
            )
            order = self.runs[-1][0]
            is_named = self.further is not None and order is not None and order.is_list_named
            present.check(found, is_list_named=is_named)
            if self.further is not None and is_named:
                self.further.check_tables(found, problems)
            self._check_told(found, problems)
            check_merged(self.home, found, problems)
            _check_files(found, problems)
            is_waiting = self._check_wanted(found, problems)
            self.coverage += of_end(found)
        check_landing(self.home, problems, self.rot.damaged())
        problems.settle("after the quiet run")
        return present.is_settled and not is_waiting

    def _check_wanted(self, found: Published, problems: Problems) -> bool:
        if self.archived is None or self.scenario.archive is None:
            return False
        wanted = WantedDocuments(self.world, self.scenario.archive, self.archived.served, problems)
        wanted.check(found, self.runs[-1][1])
        return wanted.is_waiting

    def _check_told(self, found: Published, problems: Problems) -> None:
        """The journal calls a run that died killed, unless it had ended before; no run stays open."""
        for run_id, flow, status in found.rows("select run_id, flow, status from ops.runs"):
            problems.expect(status != "running", "no run is shown as running", run_id)
            if flow in ("archive", "rebuild", "erase"):  # runs of their own, which come a moment after the others
                continue
            time = datetime.strptime(run_id, RUN_ID).replace(tzinfo=UTC)
            of_time = (one for one in reversed(self.runs) if one[1].is_of(time))
            for order, window, outcome in islice(of_time, 1):
                died_early = outcome.killed and not window.after and order and _is_before_the_end(order)
                is_so = status == "killed" if died_early else (status != "killed" or outcome.killed)
                problems.expect(is_so, "ops.runs tells the truth", run_id, status, window.name)

    def ended_well(self, outcome: Outcome) -> bool:
        """Whether a quiet run left nothing behind, but for the line about a document's file that is still gone."""
        is_told = self.archived is not None and self.archived.has_gaps
        gaps = [line for line in outcome.left_behind if is_told and "without a file in archive/" in line]
        return outcome.exit_code == 0 or (outcome.exit_code == 3 and gaps == outcome.left_behind)

    def before_another(self) -> Callable[[], None]:
        """Asked before a run that should change nothing; what it returns, after. Raises Broken."""
        before = self.home.parent / "before.duckdb"
        after = self.home / "published" / "warehouse.duckdb"
        shutil.copyfile(after, before)

        def ask() -> None:
            problems = Problems()
            problems.expect(self.ended_well(self.runs[-1][2]), "a second quiet run ends well", self.runs[-1][2])
            check_same(before, after, "a second quiet run changes nothing", problems, moving=_ASKED_AGAIN)
            with published(self.home) as found:
                self._check_archived(found, problems)
            problems.settle("after the second quiet run")

        return ask

    def before_rebuild(self, *, without_state: bool) -> Callable[[], None]:
        """Asked before a rebuild, which may find the state database lost; what it returns, after. Raises Broken."""
        before = self.home.parent / "incremental.duckdb"
        after = self.home / "published" / "warehouse.duckdb"
        shutil.copyfile(after, before)
        self.rot.restore()
        if without_state:
            (self.home / "state" / "warehouse.duckdb").unlink()

        def ask() -> None:
            problems = Problems()
            problems.expect(self.runs[-1][2].exit_code == 0, "a rebuild ends well", self.runs[-1][2])
            check_same(before, after, "rebuild = incremental", problems)
            with published(self.home) as found:
                self._check_archived(found, problems)
                self._check_wanted(found, problems)
            problems.settle("after a rebuild")
            self.coverage["rebuilt"] += 1
            self.after_erasure()

        return ask


def _check_files(found: Published, problems: Problems) -> None:
    stale = found.stale_files()
    problems.expect(not stale, "each Parquet file has the rows of its table", stale)


def _is_before_the_end(order: Order) -> bool:
    """Whether the kill comes before the run could record its end; the tables of a rebuild have recorded it already."""
    return order.kill is not None and order.kill.event in _BEFORE_THE_END and not order.rebuild
