"""Chooses what a seed erases, from what is published, and asks afterwards what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import msgspec

from propsync.push.plan import Plan
from propsync_sandbox import World

from .erasures import Erasing
from .nights import Kill
from .oracle.erased import Before, begun
from .oracle.problems import Problems
from .oracle.published import published
from .oracle.veil import Target
from .outcome import Outcome
from .questions import Questions

SILENT = ({"match": {}, "effect": {"kind": "status", "status": 503}},)
"""A server that answers nothing: an erasure needs none."""
_SHORTEST = 4
"""Letters of a text that may be erased."""
_QUERIES = {
    "asset": "select asset_id from assets order by all",
    "assessment": "select assessment_id from assessments order by all",
    "stored": "select distinct assessment_id from documents where state = 'stored' order by all",
    "field": "select distinct field_id from asset_field_values order by all",
    "asset field": "select field_id, asset_id from asset_field_values order by all",
    "text": "select distinct value_text from asset_field_values where kind = 'text' order by all",
}
Run = Callable[..., Outcome]


@dataclass
class Erasure:
    """One erasure of a home, command by command."""

    erasing: Erasing
    questions: Questions
    target: Target
    before: Before

    @classmethod
    def of(cls, erasing: Erasing, questions: Questions, dice: Random) -> Erasure | None:
        """None if nothing is published that it could name."""
        home = questions.home
        if not (home / "published" / "_published.json").exists() or not (home / "state" / "warehouse.duckdb").exists():
            return None
        target = _target(erasing.kind, home, dice)
        return cls(erasing, questions, target, Before(home)) if target else None

    def erase_in(self, world: World) -> bool:
        """The API has erased the record too, in some seeds."""
        shelf = world.shelf(self.target.resource) if self.erasing.is_gone and self.target.resource else None
        if shelf is None or self.target.words not in shelf:
            return False
        shelf.delete(self.target.words)
        return True

    def command(self, kill: Kill | None) -> dict[str, Any]:
        """What a person types now."""
        told = begun(self.questions.home)
        is_unfinished = told is not None and told["state"] == "begun"
        if is_unfinished and self.erasing.resumes:
            return {"resumes": True, "kill": kill}
        return {"erase": self.target.options(), "kill": kill}

    def is_unfinished(self) -> bool:
        """Whether other runs must refuse."""
        told = begun(self.questions.home)
        return told is not None and told["state"] == "begun"

    def note(self) -> None:
        """Once an erasure has begun, its tables may be published at any moment."""
        told = begun(self.questions.home)
        if self.questions.veil is None and told is not None:
            problems = Problems()
            self.questions.cover(self.before.veil(self.target, told, problems))
            problems.settle("once an erasure had begun")

    def check(self) -> None:
        """Asked when it is done."""
        problems = Problems()
        veil = self.questions.veil
        told = begun(self.questions.home)
        problems.expect(told is not None and told["state"] == "done", "an erasure is done in the end", told)
        asked = [one.path for one in self.questions.runs[-1][1].entries]
        problems.expect(not asked, "an erasure asks no server", asked)
        assert veil is not None
        with published(self.questions.home) as found:
            rows = found.rows("select kind from ops.erasures")
            problems.expect(rows == [(self.target.kind,)], "ops.erasures tells of it", rows)
            self.before.check(found, veil, problems)
        problems.settle("after an erasure")
        self.questions.after_erasure()


def names(plan: Plan, target: Target) -> bool:
    """Whether a plan has what was erased, or writes an erased field of one asset."""
    if target.kind == "asset field":
        return any(
            change.field == target.words and entry.key == (target.asset,)
            for entry in plan.entries
            for change in entry.changes
        )
    return any(target.pattern.search(text) for text in _texts(msgspec.to_builtins(plan)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    else:
        yield str(value)


def _target(kind: str, home: Path, dice: Random) -> Target | None:
    with duckdb.connect(home / "published" / "warehouse.duckdb", read_only=True) as connection:
        stored = connection.execute(_QUERIES["stored"]).fetchall() if kind == "assessment" else []
        there = {key for (key,) in connection.execute(_QUERIES["assessment"]).fetchall()}
        rows = [row for row in stored if row[0] in there] or connection.execute(_QUERIES[kind]).fetchall()
    if kind == "text":
        rows = [row for row in rows if len((row[0] or "").strip()) >= _SHORTEST]
    return Target(kind, *dice.choice(rows)) if rows else None
