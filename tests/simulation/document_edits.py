"""Changes of documents and their assessments between two requests, and between two runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from random import Random

from propsync_sandbox import Key, World

from .papers import NAMES
from .statuses import ASKED, UNLISTED

_WEIGHTS = {
    "approved_again": 6,
    "approved": 4,
    "no_longer_approved": 2,
    "document_gone": 4,
    "document_back": 4,
    "assessment_gone": 1,
    "assessment_back": 1,
}


class DocumentEditor:
    """Edits a world in which documents of assessments in some `statuses` are wanted; `done` counts what was done."""

    def __init__(self, world: World, statuses: Collection[str]) -> None:
        self.assessments = world.assessments
        self.statuses = sorted(statuses)
        self.done: Counter[str] = Counter()

    def edit(self, dice: Random) -> None:
        """Does one thing at random, if it is possible now."""
        kind = dice.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        edit: Callable[[Random], bool] = getattr(self, f"_{kind}")
        self.done[kind] += edit(dice)

    def show_hidden(self) -> None:
        """The report of an assessment that no list shows is all that speaks for it, so it is always there."""
        hidden = {record.key for record in self.assessments.records() if record.status == UNLISTED}
        self.assessments.withheld -= {(key, name) for key in hidden for name in NAMES.values()}

    def change(self, key: Key, dice: Random) -> None:
        """Its documents then differ, if it is still there."""
        if key in {record.key for record in self.assessments.records()}:
            self.assessments.scribble(key, dice)
            self.done["changed_amid_document"] += 1

    def _approved_again(self, dice: Random) -> bool:
        """Its documents then differ."""
        return self._with_one(self._wanted(), dice, lambda key: self.assessments.scribble(key, dice))

    def _approved(self, dice: Random) -> bool:
        status = dice.choice(self.statuses)
        others = [record.key for record in self.assessments.records() if record.status not in self.statuses]
        return self._with_one(others, dice, lambda key: self.assessments.set_status(key, status))

    def _no_longer_approved(self, dice: Random) -> bool:
        status = dice.choice([one for one in ASKED["assessments"] if one not in self.statuses])
        return self._with_one(self._wanted(), dice, lambda key: self.assessments.set_status(key, status))

    def _document_gone(self, dice: Random) -> bool:
        name = dice.choice(list(NAMES.values()))
        return self._with_one(self._wanted(), dice, lambda key: self.assessments.withheld.add((key, name)))

    def _document_back(self, dice: Random) -> bool:
        withheld = sorted(self.assessments.withheld, key=str)
        if withheld:
            self.assessments.withheld.remove(dice.choice(withheld))
        return bool(withheld)

    def _assessment_gone(self, dice: Random) -> bool:
        return self._with_one(self._wanted(), dice, self.assessments.delete)

    def _assessment_back(self, dice: Random) -> bool:
        return self._with_one(self.assessments.gone_keys(), dice, self.assessments.bring_back)

    def _wanted(self) -> list[Key]:
        return [record.key for record in self.assessments.records() if record.status in self.statuses]

    @staticmethod
    def _with_one(keys: list[Key], dice: Random, edit: Callable[..., object]) -> bool:
        if keys:
            edit(dice.choice(keys))
        return bool(keys)
