"""Servers that lie all night: totals that are wrong in four ways, and filters of which only the first values count.

Their dice are their own, so that the other seeds stay as they were.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from .nights import Night
from .trouble import Rule

_LISTS = ("/properties/assets", "/assessments", "/assessments/schedules")
_FILTERS = (*[("/properties/assets", name) for name in ("id", "property")],)
_FILTERS += (*[("/assessments", name) for name in ("assessment", "assessment", "property", "status")],)
_FILTERS += (*[("/assessments/schedules", name) for name in ("property", "status")],)


def among_liars(seed: int, nights: tuple[Night, ...]) -> tuple[Night, ...]:
    """A lie in one night of a third of the seeds; half of those nights stand still, so that what is read is known.

    That night reads all lists if the seed has one that does, and is not the first, so that there is something to lose.
    """
    dice = Random(f"liars {seed}")
    if dice.random() >= 1 / 3:
        return nights
    reading = [place for place, night in enumerate(nights) if night.reads_all]
    place = dice.choice([place for place in reading if place] or reading or range(len(nights)))
    lie = dice.choice((_wrong_total, _cut_filter, _cut_look_up))(dice)
    still = {"edit_chance": 0.0, "kill": None} if dice.random() < 0.5 else {}
    lying = replace(nights[place], faults=(*lie, *nights[place].faults), **still)  # type: ignore[arg-type]
    return (*nights[:place], lying, *nights[place + 1 :])


def lies(dice: Random, path: str, filters: tuple[str, ...]) -> tuple[Rule, ...]:
    """One lie about one list: its total is wrong, or one of its filters is cut."""
    if dice.random() < 0.5:
        return tuple({**rule, "match": {"path": path}} for rule in _wrong_total(dice))
    return (_cut(path, dice.choice(filters), dice.choice((1, 1, 2, 5))),)


def _wrong_total(dice: Random) -> tuple[Rule, ...]:
    how = dice.choice(("capped", "capped", "page", "nothing", "by"))
    effect = {"kind": "total", "how": how, "pages": dice.choice((1, 1, 2, 3)), "by": dice.choice((-2, 1))}
    return ({"match": {"path": dice.choice(_LISTS)}, "effect": effect},)


def _cut_filter(dice: Random) -> tuple[Rule, ...]:
    path, name = dice.choice(_FILTERS)
    return (_cut(path, name, dice.choice((1, 1, 2, 5))),)


def _cut_look_up(dice: Random) -> tuple[Rule, ...]:
    """Lists leave out the same rows each time, and of the ids that are then asked for the first alone are heeded.

    In half of the cases their totals leave these rows out too, so nothing but a look-up can tell.
    """
    dropped = {"kind": "move_rows", "how": "drop", "rows": dice.choice((2, 3))}
    effect = dropped if dice.random() < 0.5 else {"kind": "hide", "rows": 4 * dropped["rows"]}
    lists = {"match": {"path": "/assessments", "query": {"performed": "For|By"}}, "effect": effect}
    return (_cut("/assessments", "assessment", 1), lists)


def _cut(path: str, name: str, first: int) -> Rule:
    effect = {"kind": "cut_filter", "of": name, "first": first}
    return {"match": {"path": path, "query": {name: ".*"}}, "effect": effect}
