"""Changes of the world between two requests, and between two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from propsync_sandbox import RESOURCES, Key, World

from .statuses import ASKED, UNLISTED

Edit = Callable[[Random], bool]
_WEIGHTS = {
    "asset_value": 8,
    "asset_order": 2,
    "asset_null": 1,
    "asset_move": 4,
    "asset_type": 2,
    "assessment_value": 4,
    "assessment_status": 6,
    "assessment_hidden": 4,
    "assessment_shown": 3,
    "assessment_performed": 4,
    "assessment_flag": 2,
    "assessment_move": 1,
    "schedule_value": 4,
    "schedule_status": 4,
    "schedule_hidden": 4,
    "schedule_shown": 2,
    "schedule_move": 2,
    "schedule_users": 1,
    "add": 9,
    "delete": 10,
    "bring_back": 7,
    "label": 1,
    "type_name": 1,
    "type_hidden": 1,
    "field_added": 1,
    "clear_out": 1,
    "all_back": 1,
}
KINDS = tuple(_WEIGHTS)


class Editor:
    """Edits a world; `done` counts what was done, by kind."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.done: Counter[str] = Counter()
        self._labels = 0

    def edit(self, dice: Random, kinds: Sequence[str] = KINDS) -> str:
        """Does one thing at random; some are impossible at times, then another is tried."""
        for _ in range(20):
            kind = dice.choices(kinds, [_WEIGHTS[kind] for kind in kinds])[0]
            edit: Edit = getattr(self, f"_{kind}")
            if edit(dice):
                self.done[kind] += 1
                return kind
        return "nothing"

    def show(self, resource: str, key: Key) -> None:
        """Deleted records come back and hidden ones show, just when propsync looks for them."""
        shelf = self.world.shelf(resource)
        record = shelf.get(key)
        if record is None and key in shelf.gone_keys():
            shelf.bring_back(key)
            self.done["back just in time"] += 1
        elif resource == "assessments" and record is not None and record.status == UNLISTED:
            self.world.assessments.set_status(str(key), ASKED[resource][0])
            self.done["shown just in time"] += 1

    def _asset_value(self, dice: Random) -> bool:
        return self._with_asset(dice, lambda key: self.world.assets.scribble(key, dice))

    def _asset_order(self, dice: Random) -> bool:
        """The same record, its field results in another order: no new version."""

        def turn(key: str) -> None:
            record = self.world.assets.get(key)
            assert record is not None
            self.world.assets.set_members(key, fields=record.members()["fields"][::-1])

        return self._with_asset(dice, turn)

    def _asset_null(self, dice: Random) -> bool:
        def blank(key: str) -> None:
            record = self.world.assets.get(key)
            assert record is not None
            field = dice.choice(self.world.asset_types.fields(record.type))
            self.world.assets.edit_result(key, field["id"], None)

        return self._with_asset(dice, blank)

    def _asset_move(self, dice: Random) -> bool:
        place = self.world.properties.pick(dice)
        return self._with_asset(dice, lambda key: self.world.assets.move(key, place))

    def _asset_type(self, dice: Random) -> bool:
        kind = self.world.asset_types.pick(dice)
        return self._with_asset(dice, lambda key: self.world.assets.change_type(key, kind, dice))

    def _assessment_value(self, dice: Random) -> bool:
        return self._with_assessment(dice, lambda key: self.world.assessments.scribble(key, dice))

    def _assessment_status(self, dice: Random) -> bool:
        """To a status that is asked for, from whatever it has."""
        status = dice.choice(ASKED["assessments"])
        return self._with_assessment(dice, lambda key: self.world.assessments.set_status(key, status))

    def _assessment_hidden(self, dice: Random) -> bool:
        return self._with_assessment(dice, lambda key: self.world.assessments.set_status(key, UNLISTED))

    def _assessment_shown(self, dice: Random) -> bool:
        """From the status that nobody asks for to one that is asked for."""
        hidden = [one.key for one in self.world.assessments.records() if one.status == UNLISTED]
        status = dice.choice(ASKED["assessments"])
        return _with_any(hidden, dice, lambda key: self.world.assessments.set_status(key, status))

    def _assessment_performed(self, dice: Random) -> bool:
        sides = dice.choice((("For",), ("By",), ("For", "By")))
        return self._with_assessment(dice, lambda key: self.world.assessments.set_performed(key, sides))

    def _assessment_flag(self, dice: Random) -> bool:
        return self._with_assessment(dice, lambda key: self.world.assessments.raise_flag(key, dice))

    def _assessment_move(self, dice: Random) -> bool:
        place = self.world.properties.pick(dice)
        return self._with_assessment(dice, lambda key: self.world.assessments.move(key, place))

    def _schedule_value(self, dice: Random) -> bool:
        return self._with_schedule(dice, lambda key: self.world.schedules.scribble(key, dice))

    def _schedule_status(self, dice: Random) -> bool:
        status = dice.choice(ASKED["schedules"])
        return self._with_schedule(dice, lambda key: self.world.schedules.set_status(key, status))

    def _schedule_hidden(self, dice: Random) -> bool:
        return self._with_schedule(dice, lambda key: self.world.schedules.set_status(key, UNLISTED))

    def _schedule_shown(self, dice: Random) -> bool:
        hidden = [one.key for one in self.world.schedules.records() if one.status == UNLISTED]
        status = dice.choice(ASKED["schedules"])
        return _with_any(hidden, dice, lambda key: self.world.schedules.set_status(key, status))

    def _schedule_move(self, dice: Random) -> bool:
        """The key changes with it: one goes and another comes."""
        place = self.world.properties.pick(dice)

        def move(key: tuple[str, str]) -> None:
            if (place, key[1]) not in self.world.schedules:
                self.world.schedules.move(key, place)

        return self._with_schedule(dice, move)

    def _schedule_users(self, dice: Random) -> bool:
        """The same users in another order: no new version."""

        def turn(key: tuple[str, str]) -> None:
            record = self.world.schedules.get(key)
            assert record is not None
            self.world.schedules.set_members(key, assignedUsers=record.members()["assignedUsers"][::-1])

        return self._with_schedule(dice, turn)

    def _add(self, dice: Random) -> bool:
        shelf = dice.choice((self.world.assets, self.world.assessments, self.world.schedules))
        shelf.add(rng=dice)
        return True

    def _delete(self, dice: Random) -> bool:
        shelf = self.world.shelf(dice.choice(RESOURCES))
        if not len(shelf):
            return False
        shelf.delete(shelf.pick(dice))
        return True

    def _bring_back(self, dice: Random) -> bool:
        shelf = self.world.shelf(dice.choice(RESOURCES))
        gone = shelf.gone_keys()
        if gone:
            shelf.bring_back(dice.choice(gone))
        return bool(gone)

    def _label(self, dice: Random) -> bool:
        types = self.world.asset_types
        kind = types.pick(dice)
        self._labels += 1
        types.rename_field(kind, dice.choice(types.fields(kind))["id"], f"Label {self._labels}")
        return True

    def _type_name(self, dice: Random) -> bool:
        self._labels += 1
        book = dice.choice((self.world.asset_types, self.world.assessment_types))
        book.rename(book.pick(dice), f"Name {self._labels}")
        return True

    def _type_hidden(self, dice: Random) -> bool:
        """No longer listed, or listed again; at least one stays."""
        book = dice.choice((self.world.asset_types, self.world.assessment_types))
        listed = [kind["id"] for kind in book.truth()]
        kind = book.pick(dice)
        if listed == [kind]:
            return False
        book.hide(kind, kind in listed)
        return True

    def _field_added(self, dice: Random) -> bool:
        self._labels += 1
        types = self.world.asset_types
        types.add_field(types.pick(dice), dice.choice(("text", "number", "date")), f"Field {self._labels}")
        return True

    def _clear_out(self, dice: Random) -> bool:
        """A property, a type, or a large share of a resource goes at once: what holds are for."""
        shelf = self.world.shelf(dice.choice(("assets", "assets", "assessments", "schedules")))
        records = shelf.records()
        if not records:
            return False
        model, how = dice.choice(records), dice.choice(("property", "type", "share"))
        share = dice.choice((0.5, 0.8, 1.0))
        for record in records:
            same = dice.random() < share if how == "share" else getattr(record, how) == getattr(model, how)
            if same:
                shelf.delete(record.key)
        return True

    def _all_back(self, dice: Random) -> bool:
        shelf = self.world.shelf(dice.choice(RESOURCES))
        gone = shelf.gone_keys()
        for key in gone:
            shelf.bring_back(key)
        return bool(gone)

    def _with_asset(self, dice: Random, edit: Callable[[str], object]) -> bool:
        return _with_any(self.world.assets.keys(), dice, edit)

    def _with_assessment(self, dice: Random, edit: Callable[[str], object]) -> bool:
        return _with_any(self.world.assessments.keys(), dice, edit)

    def _with_schedule(self, dice: Random, edit: Callable[[tuple[str, str]], object]) -> bool:
        return _with_any(self.world.schedules.keys(), dice, edit)


def _with_any(keys: list[Key], dice: Random, edit: Callable[..., object]) -> bool:
    if keys:
        edit(dice.choice(keys))
    return bool(keys)
