"""The next 90 days: how much is due in each week, and who has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from propsync.desk.dashboard.answer import Answer
from propsync.desk.dashboard.bars import Chart, Heights, chart
from propsync.desk.dashboard.words import counted, on_day, short_day

_WEEK = timedelta(days=7)
_MOST_PEOPLE = 40
_WIDEST = 1_000  # a number of four digits is wider than its bar


@dataclass(frozen=True)
class Person:
    """One line: a number a week."""

    name: str
    is_somebody: bool
    due: Sequence[int]

    @property
    def sum(self) -> int:
        """Of all weeks."""
        return sum(self.due)


@dataclass(frozen=True)
class Ahead:
    """A line for each person, nobody first and then those with the most."""

    weeks: Sequence[date]
    people: Sequence[Person]
    others: int
    totals: Sequence[int]
    chart: Chart


def look_ahead(answer: Answer) -> Ahead | None:
    """The answer as a table of people and weeks; None if nothing is due."""
    rows = answer.dicts()
    if not rows:
        return None
    weeks = _weeks([row["week_from"] for row in rows])
    people = _people(rows, weeks)
    totals = [sum(of) for of in zip(*(one.due for one in people), strict=True)]
    nobody = [sum(one.due[place] for one in people if not one.is_somebody) for place in range(len(weeks))]
    bars = _chart(weeks, totals, nobody)
    return Ahead(weeks, people[:_MOST_PEOPLE], len(people[_MOST_PEOPLE:]), totals, bars)


def _people(rows: Sequence[Mapping[str, Any]], weeks: Sequence[date]) -> list[Person]:
    """By user, because two people may have one name."""
    due: dict[tuple[str, bool, str | None], list[int]] = defaultdict(lambda: [0] * len(weeks))
    for row in rows:
        due[row["assignee"], row["assigned"], row["user_id"]][weeks.index(row["week_from"])] += row["due"]
    people = [Person(name, is_somebody, counts) for (name, is_somebody, _), counts in due.items()]
    return sorted(people, key=lambda one: (one.is_somebody, -one.sum))


def _weeks(found: Sequence[date]) -> list[date]:
    """Every Monday from the first to the last, also those without anything due."""
    first, last = min(found), max(found)
    return [first + _WEEK * place for place in range((last - first) // _WEEK + 1)]


def _chart(weeks: Sequence[date], totals: Sequence[int], nobody: Sequence[int]) -> Chart:
    top = max(totals)
    bars = [
        Heights(
            f"week from {on_day(week)}: {counted(total, 'assignment', 'assignments')}, {lacking:,} of them nobody's",
            {"assigned": total - lacking, "nobody": lacking},
            short_day(week) if place % 2 == 0 else "",
            str(total) if top < _WIDEST else "",
        )
        for place, (week, total, lacking) in enumerate(zip(weeks, totals, nobody, strict=True))
    ]
    return chart(bars, top)
