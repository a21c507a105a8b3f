"""The six numbers at the top: noted each day, so that the next day can compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from propsync.desk.dashboard.answer import Answer, Reader
from propsync.warehouse import Warehouse, statement


@dataclass(frozen=True)
class Headline:
    """A number of the page, and the number of the last day before; None where either is unknown."""

    answer: Answer
    before: int | None = None
    before_on: date | None = None

    @property
    def change(self) -> int | None:
        """How many more than then."""
        if self.answer.count is None or self.before is None:
            return None
        return self.answer.count - self.before


def note_headlines(warehouse: Warehouse, run_id: str, today: date, answers: Iterable[Answer]) -> None:
    """Notes the numbers of today, in place of those that an earlier run of today noted."""
    rows = [(today, one.question.name, one.count, run_id) for one in answers]
    with warehouse.transaction():
        warehouse.execute(statement("desk/dashboard/forget_headlines"), {"day": today})
        warehouse.add("ops.headlines", rows)


def headlines(reader: Reader, today: date, answers: Iterable[Answer]) -> list[Headline]:
    """Each answer beside the number of the last day before today."""
    _, rows = reader.rows(statement("desk/dashboard/headlines"))
    before = {number: (value, day) for number, day, value in rows if day < today}
    return [Headline(one, *before.get(one.question.name, (None, None))) for one in answers]
