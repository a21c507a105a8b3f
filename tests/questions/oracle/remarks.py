"""Flags, and the actions of bundles: open, closed, closed without evidence, and back again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from math import floor
from typing import Any

from questions.oracle.due import Rows
from questions.witness import Witness, local_day

_AGES = ((30, "0-30"), (90, "31-90"), (180, "91-180"))


def age_band(days: int) -> str:
    return next((name for most, name in _AGES if days <= most), "over 180")


def open_flags(witness: Witness) -> Rows:
    """age_band, priority, flags; of the flags that assessments carry now"""
    counts = Counter(
        (age_band((witness.today - local_day(flag["raisedAt"])).days), flag["priority"])
        for flag in _flags(witness)
        if flag["status"] == "open"
    )
    return [(*key, count) for key, count in counts.items()]


def days_to_close(witness: Witness) -> Rows:
    """month (its first day), flags closed, days from raised to closed on average, to one decimal"""
    days: dict[date, list[int]] = {}
    for flag in _flags(witness):
        if flag["status"] == "closed":
            closed = local_day(flag["closedAt"])
            days.setdefault(closed.replace(day=1), []).append((closed - local_day(flag["raisedAt"])).days)
    return [(month, len(of), _tenths(sum(of) / len(of))) for month, of in days.items()]


def _tenths(number: float) -> float:
    """Rounded as SQL does: halves go up."""
    return floor(10 * number + 0.5) / 10


def _flags(witness: Witness) -> Iterator[dict[str, Any]]:
    for one in witness.now.assessments.values():
        yield from one["flags"]


def _latest(witness: Witness) -> Iterator[tuple[str, dict[str, Any]]]:
    """The actions in the last bundle that was given of each assessment, with the assessment."""
    for key, given in witness.action_rows.items():
        for row in given[-1][1]:
            yield key, row


def open_actions(witness: Witness) -> Rows:
    """priority, age_band, actions, their cost; open or under way in the latest bundle of an assessment that exists"""
    counts: Counter[tuple[str, str]] = Counter()
    costs: Counter[tuple[str, str]] = Counter()
    for key, row in _latest(witness):
        if row["status"] != "closed" and key in witness.now.assessments:
            group = row["priority"], age_band((witness.today - date.fromisoformat(row["raisedDate"])).days)
            counts[group] += 1
            costs[group] += round(float(row["cost"]) * 100)
    return [(*group, count, costs[group] / 100) for group, count in counts.items()]


def closed_without_evidence(witness: Witness) -> Rows:
    """assessment_id, action_id, title, closed_on; closed, and the column for evidence is empty"""
    return [
        (key, row["id"], row["title"], date.fromisoformat(row["closedDate"]))
        for key, row in _latest(witness)
        if row["status"] == "closed" and not row["evidence"]
    ]


def closed_at_once(witness: Witness) -> Rows:
    """property_id, closed_on, actions; ten or more of a property closed on one day"""
    counts: Counter[tuple[str, date]] = Counter()
    for key, row in _latest(witness):
        if row["closedDate"]:
            counts[witness.place_of(key), date.fromisoformat(row["closedDate"])] += 1
    return [(*group, count) for group, count in counts.items() if count >= 10]


def found_again(witness: Witness) -> Rows:
    """property_id, title, location, assessments, first and last raised; the same finding at the same place"""
    seen: dict[tuple[str, str, str], dict[str, date]] = {}
    for key, row in _latest(witness):
        group = witness.place_of(key), row["title"], row["location"]
        seen.setdefault(group, {})[key] = date.fromisoformat(row["raisedDate"])
    return [(*group, len(of), min(of.values()), max(of.values())) for group, of in seen.items() if len(of) > 1]
