"""The part of a life that is about its erasure: the commands, what they refuse, and how a thing comes back."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from propsync.push.plan import load_plan

from .erasing import SILENT, Erasure, names
from .erasures import Erasing
from .oracle.problems import Problems
from .oracle.veil import Target
from .outcome import Order, Outcome

if TYPE_CHECKING:
    from .life import Life


class ErasedLife:
    """The erasure of one life; `target` is None before it, and for most seeds."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._is_forgotten = False
        self.target: Target | None = None

    @property
    def loses_state(self) -> bool:
        """Whether the rebuild at the end finds no state database."""
        erasing = self._life.scenario.erasing
        return bool(self.target and erasing and erasing.loses_state)

    def erase(self, erasing: Erasing, *, is_list_named: bool) -> None:
        """Erases in spite of deaths, without a server, and asks the API for it afterwards."""
        life = self._life
        life.watch.edit_chance = 0.0
        life.questions.rot.restore()
        for written in life.writing.unfinished():
            life.apply(f"{written.path.stem}, before an erasure", written, is_list_named=is_list_named)
        erasure = Erasure.of(erasing, life.questions, Random(f"erased {life.scenario.seed}"))
        if erasure is None:
            return
        if erasure.erase_in(life.world):
            life.coverage["erased in the API"] += 1
        life.sandbox.set_faults(SILENT)
        for number, kill in enumerate((*erasing.kills, None), 1):
            name = f"erasure {number} after night {erasing.night}"
            outcome = life.run(name, 1, **erasure.command(kill), is_list_named=is_list_named)
            if kill and outcome.killed:
                life.coverage[f"erasure killed at {kill.event}"] += 1
            erasure.note()
            if outcome.killed or outcome.run_id:
                life.questions.after_run()
            if not outcome.killed:
                break
            if erasing.tries_night and erasure.is_unfinished():
                life.run("a night amid an erasure", 1, is_list_named=is_list_named)
        life.sandbox.set_faults(())
        erasure.check()
        self.target = erasure.target
        life.coverage[f"erased {erasure.target.kind}"] += 1
        if erasing.backfills:
            self._backfill(erasure.target, is_list_named=is_list_named)

    def _backfill(self, target: Target, *, is_list_named: bool) -> None:
        """By its id, which propsync refuses, and by its property."""
        life = self._life
        resource, key = target.resource or "assets", target.asset or target.words
        if target.resource:
            life.run("the backfill of what was erased", 1, scope={resource: (key,)}, is_list_named=is_list_named)
        record = life.world.shelf(resource).get(key)
        if record is not None:
            scope: dict[str, tuple[str, ...]] = {"properties": (record.property,)}
            life.run("the backfill of its property", 1, scope=scope, is_list_named=is_list_named)
            life.questions.after_run()

    def forget(self, *, is_list_named: bool) -> None:
        """Lets an erased thing come back, for some seeds; a home behind its bucket is rebuilt first."""
        life, target, erasing = self._life, self.target, self._life.scenario.erasing
        if target is None or erasing is None or not erasing.is_forgotten:
            return
        outcome = life.run("the forgetting", 1, forget=target.words, is_list_named=is_list_named)
        if (outcome.error or "").startswith("HomeBehind"):
            life.run("the rebuild before the forgetting", 1, rebuild=True, is_list_named=is_list_named)
            life.run("the forgetting again", 1, forget=target.words, is_list_named=is_list_named)
        life.questions.uncover()
        self._is_forgotten = True
        life.coverage[f"forgotten {target.kind}"] += 1

    def is_refusal(self, name: str, order: Order, outcome: Outcome, problems: Problems) -> bool:
        """Whether an erasure is why propsync refuses: an unfinished one, or one of what a backfill or a plan names."""
        told, target = outcome.error or "", self.target
        if "amid an erasure" in name:
            is_kept_away = told.startswith("ErasureUnfinished") and not order.erases
            problems.expect(is_kept_away, "no run begins amid an erasure", outcome)
            return is_kept_away
        if target is None or self._is_forgotten:
            return False
        if order.push and names(load_plan(Path(order.push)), target):
            is_refused = told.startswith("UsageError") and "erased" in told
            problems.expect(is_refused or outcome.killed, "no plan is applied that names what was erased", outcome)
            return is_refused
        named = (order.scope or {}).get(target.resource or "", ())
        return told.startswith("UsageError") and target.words in named

    def cannot_be_split(self, outcome: Outcome) -> bool:
        """Whether a list in no order may need to be asked for by ids: propsync has no id of an erased record."""
        target, life = self.target, self._life
        if target is None or target.resource is None or life.scenario.order == "stable":
            return False
        is_there = target.words in life.world.shelf(target.resource)
        is_split = outcome.exit_code == 3 and outcome.resources.get(target.resource) == "incomplete"
        return is_there and is_split and life.questions.is_veiled

    def erase_in_api(self) -> None:
        """The API erases the record too."""
        assert self.target is not None
        assert self.target.resource is not None
        self._life.world.shelf(self.target.resource).delete(self.target.words)
        self._life.coverage["erased among what only ids part"] += 1
