"""A fifth of the seeds write back on one of their nights: which records, through which trouble, and who dies of it.

All of it is drawn apart from the rest, which is the same with writes and without.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .nights import Kill
from .trouble import Rule

_EVENTS = {"line": (10, 14), "page": (2, 4), "manifest": (2, 1), "commit": (3, 5), "publish": (3, 25), "copy": (1, 2)}
"""Kinds of moment: how often each is drawn, and how many of it a run that writes has, roughly."""
_FROM_OUTSIDE = {"request": (6, 20), "time": (3, 100)}
_METHODS = ("POST", "PATCH", "PUT", "DELETE", "GET")
_EFFECTS = (
    {"kind": "reset", "apply": True},
    {"kind": "close", "apply": True},
    {"kind": "close", "apply": False},
    {"kind": "status", "status": 502, "apply": True},
    {"kind": "status", "status": 503},
    {"kind": "status", "status": 429},
    {"kind": "status", "status": 401},
    {"kind": "status", "status": 403},
)


@dataclass(frozen=True)
class Push:
    """One plan after a night: how much it writes, and how much somebody else edits before it is sent.

    It is applied again at once if `is_repeated`, else after the other nights.
    """

    night: int
    resource: str
    updates: int
    creations: int
    deletes: int
    theirs: int
    faults: tuple[Rule, ...]
    kill: Kill | None
    is_repeated: bool

    def __str__(self) -> str:
        kinds = [f"{rule['match']['method']} {rule['effect']['kind']}" for rule in self.faults]
        death = f", {self.kill}" if self.kill else ""
        return (
            f"  after night {self.night}: {self.resource}, {self.updates} updates, {self.creations} creations, "
            f"{self.deletes} deletes, {self.theirs} edits by others, faults {kinds}{death}"
        )


def draw_pushes(seed: int, kind: str, nights: int) -> tuple[Push, ...]:
    """At most two, each after a night of its own."""
    dice = Random(f"pushes {seed}")
    if dice.random() >= 0.2:
        return ()
    chosen = dice.sample(range(1, nights + 1), min(nights, dice.choice((1, 1, 2))))
    return tuple(_push(dice, kind, night) for night in sorted(chosen))


def _push(dice: Random, kind: str, night: int) -> Push:
    resource = dice.choice(("assets", "schedules"))
    return Push(
        night=night,
        resource=resource,
        updates=dice.randint(0, 5),
        creations=dice.randint(0, 3),
        deletes=dice.randint(0, 2) if resource == "schedules" else 0,
        theirs=dice.choice((0, 0, 0, 4)),
        faults=tuple(_fault(dice) for _ in range(dice.choice((0, 1, 2, 3)))),
        kill=_kill(dice, kind) if dice.random() < 0.6 else None,
        is_repeated=dice.random() < 0.5,
    )


def _fault(dice: Random) -> Rule:
    effect = dice.choice(_EFFECTS)
    return {
        "match": {"method": dice.choice(_METHODS)},
        "after": dice.choice((0, 0, 1, 3)),
        "times": dice.choice((1, 1, 2, 6)),
        "effect": effect,
    }


def _kill(dice: Random, kind: str) -> Kill:
    events = _EVENTS | (_FROM_OUTSIDE if kind == "kill" else {})
    event = dice.choices(tuple(events), [weight for weight, _ in events.values()])[0]
    return Kill(event, dice.randint(1, events[event][1]), dice.random() < 0.5)
