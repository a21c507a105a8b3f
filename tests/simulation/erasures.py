"""Three seeds of eleven erase something after one of their nights: what, who dies of it, and whether it is forgotten.

All of it is drawn apart from the rest, which is the same with erasures and without until they come.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .nights import Kill

KINDS = {"asset": 3, "assessment": 3, "field": 2, "asset field": 2, "text": 3}
"""Kinds of erasure, and how often each is drawn."""
_EVENTS = {
    "page": (6, 12),
    "manifest": (4, 8),
    "commit": (8, 14),
    "statement": (4, 6),
    "publish": (8, 30),
    "copy": (2, 3),
    "checkpoint": (2, 3),
    "remove": (8, 25),
    "state": (3, 3),
    "close": (2, 6),
}
"""Kinds of moment: how often each is drawn, and how many of it an erasure has, roughly."""
_FROM_OUTSIDE = {"time": (8, 150)}
_IN_BUCKETS = {"put": (20, 30), "blob": (2, 2)}
_SEEDS = (0, 4, 8)
"""Remainders by eleven; the seeds that tests name have others, and stay the same."""


@dataclass(frozen=True)
class Erasing:
    """One erasure after a night, the deaths of its commands one after another, and what comes later."""

    night: int
    kind: str
    kills: tuple[Kill, ...]
    resumes: bool
    """Whether people type `--resume`, where that is possible, or the same command again."""
    is_gone: bool
    """Whether the API has erased the record too."""
    tries_night: bool
    """Whether a night begins while the erasure is unfinished."""
    backfills: bool
    is_forgotten: bool
    loses_state: bool
    """Whether the rebuild at the end finds no state database."""

    def __str__(self) -> str:
        words = [
            f"an erasure of kind {self.kind}",
            *map(str, self.kills),
            *(["resumed"] if self.resumes else []),
            *(["gone in the API"] if self.is_gone else []),
            *(["a night between"] if self.tries_night else []),
            *(["backfills"] if self.backfills else []),
            *(["forgotten at the end"] if self.is_forgotten else []),
            *(["state lost"] if self.loses_state else []),
        ]
        return f"  after night {self.night}: {', '.join(words)}"


def draw_erasure(seed: int, kind: str, nights: int) -> Erasing | None:
    """That of a seed."""
    dice = Random(f"erasures {seed}")
    if seed % 11 not in _SEEDS:
        return None
    return Erasing(
        night=dice.randint(1, nights),
        kind=dice.choices(tuple(KINDS), tuple(KINDS.values()))[0],
        kills=tuple(_kill(dice, kind) for _ in range(dice.choice((0, 1, 1, 2, 3)))),
        resumes=dice.random() < 0.5,
        is_gone=dice.random() < 0.3,
        tries_night=dice.random() < 0.3,
        backfills=dice.random() < 0.4,
        is_forgotten=dice.random() < 0.3,
        loses_state=dice.random() < 0.3,
    )


def _kill(dice: Random, kind: str) -> Kill:
    events = _EVENTS | (_FROM_OUTSIDE if kind.endswith("kill") else {})
    events |= _IN_BUCKETS if kind.startswith("bucket") else {}
    event = dice.choices(tuple(events), [weight for weight, _ in events.values()])[0]
    return Kill(event, dice.randint(1, events[event][1]), dice.random() < 0.5)
