"""How bugs are planted in propsync: its attributes and its SQL are replaced, and put back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from propsync.runbooks import check
from propsync.warehouse import Findings, models

Plant = Callable[["Patches"], None]


class Patches(ExitStack):
    """Replaces attributes, and puts back what was there."""

    def put(self, owner: object, name: str, value: object) -> Any:
        """Returns what was there."""
        before = vars(owner)[name]
        setattr(owner, name, value)
        self.callback(setattr, owner, name, before)
        return before

    def rewrite(self, model: str, old: str, new: str) -> None:
        """Changes the text of a model under `sql/`."""

        def written(name: str) -> str:
            text: str = before(name)
            if name != model:
                return text
            if old not in text:
                raise LookupError(f"sql/{model}.sql has no {old!r} any more")
            return text.replace(old, new)

        before = self.put(models, "_written", written)

    def silence_checks(self) -> None:
        """Propsync's own checks would notice too; what counts here is that the oracle does."""
        self.put(check, "run_checks", lambda *_, **__: Findings())


def entered(book: dict[str, Plant], words: str) -> Callable[[Plant], Plant]:
    """Enters a bug in a book by what it is."""

    def enter(plant: Plant) -> Plant:
        book[words] = plant
        return plant

    return enter
