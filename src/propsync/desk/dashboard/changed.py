"""The changes of last night in words: a few sentences for each list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from propsync.desk.dashboard.answer import Answer
from propsync.desk.dashboard.words import cut

ORDER = ("assessments", "schedules", "assets")
_MOST_STEPS = 8  # sentences on a status or a due date
_MOST_FIELDS = 6
_STATUSES = {"notstarted": "not started", "inprogress": "in progress"}
_CHANGES = {
    "new": ("is new", "are new"),
    "deleted": ("was deleted", "were deleted"),
    "returned": ("returned after it was deleted", "returned after they were deleted"),
}
_STEPS = {
    "to another property": "moved to another property",
    "to other people": "went to other people",
    "later": "got a later due date",
    "earlier": "got an earlier due date",
    "set": "got a first due date",
    "removed": "lost the due date",
}


@dataclass(frozen=True)
class Changed:
    """One list: its sentences, then the fields that changed besides, each with its records."""

    resource: str
    sentences: Sequence[str]
    fields: Sequence[tuple[str, int]]
    other_fields: int


def in_words(answer: Answer) -> Sequence[Changed]:
    """Each list that changed, assessments first."""
    rows = answer.dicts()
    found = sorted({str(row["resource"]) for row in rows}, key=lambda one: (one not in ORDER, _place(one), one))
    return [_changed(one, [row for row in rows if row["resource"] == one]) for one in found]


def _place(resource: str) -> int:
    return ORDER.index(resource) if resource in ORDER else len(ORDER)


def _changed(resource: str, rows: Sequence[Mapping[str, Any]]) -> Changed:
    steps = [row for row in rows if row["how"] is not None]
    fields = [(cut(str(row["field"])), int(row["records"])) for row in rows if _is_of_a_field(row)]
    sentences = [*_steps(steps), *_whole_records(resource, rows)]
    return Changed(resource, sentences, fields[:_MOST_FIELDS], len(fields[_MOST_FIELDS:]))


def _is_of_a_field(row: Mapping[str, Any]) -> bool:
    return row["change"] == "changed" and row["field"] is not None and row["how"] is None


def _steps(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Statuses, due dates and the like, those of most records first."""
    for row in sorted(rows, key=lambda one: -int(one["records"]))[:_MOST_STEPS]:
        yield f"{row['records']:,} {_STEPS.get(row['how']) or _status(row['how'])}."


def _status(how: str) -> str:
    for written, spelt in _STATUSES.items():
        how = how.replace(written, spelt)
    return f"went {cut(how)}"


def _whole_records(resource: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for row in rows:
        if row["change"] == "first read":
            yield f"propsync read {row['records']:,} {resource} for the first time."
        elif verbs := _CHANGES.get(row["change"]):
            yield f"{row['records']:,} {verbs[row['records'] > 1]}."
