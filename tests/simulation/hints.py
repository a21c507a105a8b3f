"""Two seeds of seven hear hints after one of their nights: how well these come, and what the looks go through.

All of it is drawn apart from the rest, which is the same with hints and without until they come.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .nights import Kill
from .trouble import Rule, draw_faults

_EVENTS = {
    "page": (2, 4),
    "manifest": (2, 2),
    "commit": (5, 8),
    "statement": (2, 3),
    "publish": (3, 25),
    "copy": (1, 2),
}
"""Kinds of moment: how often each is drawn, and how many of it a run after hints has, roughly."""
_EVENTS |= {"state": (3, 3), "remove": (2, 4)}
_SEEDS = (2, 4)
"""Remainders by seven; the seeds that tests name have others, and stay the same."""
_FROM_OUTSIDE = {"request": (4, 10), "time": (3, 80)}


@dataclass(frozen=True)
class Look:
    """One run after hints: the chance of edits before its requests, faults, and maybe a kill."""

    edit_chance: float
    faults: tuple[Rule, ...]
    kill: Kill | None

    def __str__(self) -> str:
        kinds = [rule["effect"]["kind"] for rule in self.faults]
        return f"edits {self.edit_chance:.0%}, faults {kinds}{f', {self.kill}' if self.kill else ''}"


@dataclass(frozen=True)
class Hinting:
    """Hints after a night: edits, and how many of the posts about them are lost, doubled, early, or hostile ones."""

    night: int
    edits: int
    lost: float
    doubled: float
    hostile: int
    is_early: bool
    """Whether posts come before the edits that they are about."""
    looks: tuple[Look, ...]

    @property
    def is_calm(self) -> bool:
        """Whether nobody edits while propsync looks."""
        return not any(look.edit_chance for look in self.looks)

    def __str__(self) -> str:
        looks = "; ".join(map(str, self.looks))
        early = ", early" if self.is_early else ""
        return (
            f"  after night {self.night}: hints of {self.edits} edits{early}, {self.lost:.0%} lost, "
            f"{self.doubled:.0%} doubled, {self.hostile} hostile; looks: {looks}"
        )


def draw_hints(seed: int, kind: str, nights: int) -> tuple[Hinting, ...]:
    """At most one; a home in a bucket has none, for a machine that goes takes its posts along."""
    dice = Random(f"hints {seed}")
    if kind.startswith("bucket") or seed % 7 not in _SEEDS:
        return ()
    calm = dice.random() < 0.5
    return (
        Hinting(
            night=dice.randint(1, nights),
            edits=dice.choice((2, 4, 8)),
            lost=dice.choice((0.0, 0.0, 0.3)),
            doubled=dice.choice((0.0, 0.3)),
            hostile=dice.choice((0, 1, 3)),
            is_early=dice.random() < 0.3,
            looks=tuple(_look(dice, kind, is_calm=calm) for _ in range(dice.choice((1, 2, 3)))),
        ),
    )


def _look(dice: Random, kind: str, *, is_calm: bool) -> Look:
    chance, faults = dice.choice((0.0, 0.1, 0.3)), draw_faults(dice)
    return Look(0.0 if is_calm else chance, faults, _kill(dice, kind) if dice.random() < 0.5 else None)


def _kill(dice: Random, kind: str) -> Kill:
    events = _EVENTS | (_FROM_OUTSIDE if kind == "kill" else {})
    event = dice.choices(tuple(events), [weight for weight, _ in events.values()])[0]
    return Kill(event, dice.randint(1, events[event][1]), dice.random() < 0.5)
