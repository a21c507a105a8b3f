"""People's own lists as the sandbox wrote them, read with the csv module alone."""

from __future__ import annotations

import csv
import operator
import re
from pathlib import Path
from typing import Any

Row = dict[str, str]
Pair = tuple[str, str]

_CONDITION = re.compile(r"(\w+) (>=|<=|>|<|=) (\S+)")
_COMPARED = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "=": operator.eq}


class Lists:
    """`required` has the months between two assessments by property and assessment type."""

    def __init__(self, folder: Path) -> None:
        self.properties = {row["property_id"]: row for row in _rows(folder / "properties.csv")}
        self.users = {row["user_id"]: row for row in _rows(folder / "users.csv")}
        self.required = dict(self._required(_rows(folder / "requirements.csv")))

    def name(self, property_id: str | None) -> str | None:
        """The property's name; None if the list lacks it."""
        row = self.properties.get(property_id or "")
        return row["name"] if row else None

    def _required(self, rows: list[Row]) -> list[tuple[Pair, int]]:
        return [
            ((property_id, row["assessment_type_id"]), int(row["every_months"]))
            for row in rows
            for property_id in ([row["property_id"]] if row["property_id"] else self._where(row["condition"]))
        ]

    def _where(self, condition: str) -> list[str]:
        found = _CONDITION.fullmatch(condition)
        assert found is not None, condition
        column, sign, value = found.groups()
        return [key for key, row in self.properties.items() if _COMPARED[sign](float(row[column]), float(value))]


def _rows(path: Path) -> list[Any]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
