"""Nights: one run each, with its edits, faults and death, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from propsync_sandbox import RESOURCES

from .trouble import Rule, draw_faults

SCOPES = ("properties", "asset_types", "assessment_types", "assets", "assessments")
"""What a backfill can be narrowed by."""

EVENTS = (
    "page",
    "manifest",
    "commit",
    "statement",
    "checkpoint",
    "publish",
    "copy",
    "remove",
    "close",
)
"""Kinds of moment at which something becomes durable, or is about to."""

_EVENT_WEIGHTS = (8, 5, 8, 6, 2, 6, 2, 2, 1)


@dataclass(frozen=True)
class Kill:
    """Death at the n-th moment of a kind, `after` it or before.

    By kind `request` it comes at the n-th request, and by kind `time` after n hundredths of a second.
    """

    event: str
    number: int
    after: bool

    def __str__(self) -> str:
        return f"killed {'after' if self.after else 'before'} {self.event} {self.number}"


@dataclass(frozen=True)
class Night:
    """One run: the edits since the one before, the chance of edits before each request, faults, and maybe a kill.

    A night with `ids_of` is a backfill of some ids of that kind. One that `rebuilds` asks the API nothing. One with
    `documents` is an `archive` or a `verify` alone. The others are the nightly, of all or `only` some.
    """

    hours: int
    edits_before: int
    edit_chance: float
    faults: tuple[Rule, ...]
    kill: Kill | None
    only: tuple[str, ...] = ()
    ids_of: str | None = None
    rebuilds: bool = False
    documents: str = ""
    is_list_named: bool = True
    """Whether propsync.toml names the further list, in seeds that have one."""

    @property
    def reads_all(self) -> bool:
        """Whether it is a nightly of all resources."""
        return not (self.rebuilds or self.documents or self.ids_of or self.only)

    def __str__(self) -> str:
        kinds = [rule["effect"]["kind"] for rule in self.faults]
        what = f"backfill by {self.ids_of}" if self.ids_of else ", ".join(self.only) or "everything"
        what += "" if self.is_list_named else ", the further list not named"
        what = "rebuild" if self.rebuilds else self.documents or what
        return (
            f"{what} after {self.hours} h and {self.edits_before} edits, "
            f"edits before {self.edit_chance:.0%} of requests, faults {kinds}{f', {self.kill}' if self.kill else ''}"
        )


def draw_nights(dice: Random, kind: str) -> tuple[Night, ...]:
    """One to three, and sometimes a backfill or a rebuild after one of them."""
    nights = [_night(dice, kind) for _ in range(dice.choices((1, 2, 3), (5, 4, 1))[0])]
    if dice.random() < 0.15:
        nights.insert(dice.randint(1, len(nights)), replace(_night(dice, kind), only=(), ids_of=dice.choice(SCOPES)))
    elif dice.random() < 0.1:
        nights.insert(dice.randint(1, len(nights)), replace(_night(dice, kind), only=(), rebuilds=True))
    return tuple(nights)


def _night(dice: Random, kind: str) -> Night:
    return Night(
        hours=dice.choice((12, 24, 24, 100, 1000)),
        edits_before=dice.choice((0, 3, 8, 15)),
        edit_chance=dice.choices((0.0, 0.02, 0.1, 0.5), (10, 8, 5, 1))[0],
        faults=draw_faults(dice),
        kill=_kill(dice, kind),
        only=(dice.choice(tuple(RESOURCES)),) if dice.random() < 0.08 else (),
    )


def _kill(dice: Random, kind: str) -> Kill | None:
    if dice.random() < (0.45 if kind == "process" else 0.2):
        return None
    events: tuple[str, ...] = EVENTS
    weights: tuple[int, ...] = _EVENT_WEIGHTS
    if kind == "kill":  # only another process can be killed from outside
        events, weights = (*events, "request", "time"), (*weights, 8, 4)
    event = dice.choices(events, weights)[0]
    return Kill(event, 1 + int(dice.random() ** 1.5 * _MOST[event]), dice.random() < 0.5)


# moments of each kind in a run, roughly
_MOST = {"page": 12, "manifest": 5, "commit": 14, "statement": 2, "checkpoint": 2, "publish": 25, "copy": 4}
_MOST |= {"remove": 4, "close": 1, "request": 60, "time": 150}
