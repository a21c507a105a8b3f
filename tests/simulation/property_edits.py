"""Edits of the list of properties between two requests, and between two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

from .ground import SmallWorld

_WEIGHTS = {
    "value": 6,
    "name": 3,
    "address": 4,
    "no_address": 1,
    "member": 2,
    "add": 8,
    "delete": 9,
    "bring_back": 6,
    "clear_out": 1,
    "all_back": 1,
}
# no document shows them: a column that widens, one whose name a table has itself, names that differ in case alone
_MEMBERS: tuple[dict[str, Any], ...] = (
    {"units": 7},
    {"units": 7.5},
    {"units": "seven"},
    {"isOpen": True},
    {"changedAt": "by hand"},
    {"payload": {"of": "its own"}},
    {"Name": "in capitals"},
    {"address_postcode": "beside the address"},
    {"property": "its own"},
    {"status": "open"},
    {"fields": [{"id": "f", "value": 1}]},
    {"units": None},
)


class PropertyEditor:
    """Edits the list of properties; `done` counts what was done, by kind."""

    def __init__(self, world: SmallWorld) -> None:
        self._list = world.property_list
        self.done: Counter[str] = Counter()

    def edit(self, dice: Random) -> None:
        """Does one thing at random, if it is possible now."""
        kind = dice.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        if getattr(self, f"_{kind}")(dice):
            self.done[f"property {kind}"] += 1

    def bring_back(self, dice: Random) -> None:
        """One that is gone, if any is."""
        self.done["property bring_back"] += self._bring_back(dice)

    def _value(self, dice: Random) -> bool:
        return self._with_any(dice, lambda key: self._list.scribble(key, dice))

    def _name(self, dice: Random) -> bool:
        return self._with_any(dice, lambda key: self._list.set_members(key, name=f"House {dice.randrange(100)}"))

    def _address(self, dice: Random) -> bool:
        address = {"line1": f"{dice.randrange(99)} New Street", "postcode": f"CF{dice.randrange(9)} 1AA"}
        return self._with_any(dice, lambda key: self._list.set_members(key, address=address))

    def _no_address(self, dice: Random) -> bool:
        return self._with_any(dice, lambda key: self._list.set_members(key, address=None))

    def _member(self, dice: Random) -> bool:
        return self._with_any(dice, lambda key: self._list.set_members(key, **dice.choice(_MEMBERS)))

    def _add(self, dice: Random) -> bool:
        self._list.add(dice)
        return True

    def _delete(self, dice: Random) -> bool:
        return self._with_any(dice, self._list.delete)

    def _bring_back(self, dice: Random) -> bool:
        gone = self._list.gone_keys()
        if gone:
            self._list.bring_back(dice.choice(gone))
        return bool(gone)

    def _clear_out(self, dice: Random) -> bool:
        """A large share goes at once: what holds are for."""
        share = dice.choice((0.5, 0.8, 1.0))
        gone = [one.key for one in self._list.records() if dice.random() < share]
        for key in gone:
            self._list.delete(key)
        return bool(gone)

    def _all_back(self, _dice: Random) -> bool:
        gone = self._list.gone_keys()
        for key in gone:
            self._list.bring_back(key)
        return bool(gone)

    def _with_any(self, dice: Random, edit: Callable[[str], object]) -> bool:
        keys = [str(one.key) for one in self._list.records()]
        if keys:
            edit(dice.choice(keys))
        return bool(keys)
