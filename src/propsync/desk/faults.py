"""Entries of `[desk]` that fit nothing in the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

AGAINST = "propsync.toml says otherwise: "
"""Begins the evidence of a choice whose entry in propsync.toml fits nothing in the data."""
UNREAD_DATES = "has no date such as 2026-03-31"
"""The evidence, behind the member, if assessments have their dates in a form that propsync does not read."""

Row = tuple[str, str | None, str, str]
"""A row of ops.desk: setting, value, source, evidence."""


class Fault(NamedTuple):
    """An entry that fits nothing: its name in ops.desk, and a line for people."""

    setting: str
    line: str


def with_faults(rows: Iterable[Row], faults: Iterable[Fault]) -> Iterator[Row]:
    """The rows with the faults as evidence, and a row for each entry that has none."""
    lines: dict[str, list[str]] = {}
    for one in faults:
        lines.setdefault(one.setting, []).append(one.line)
    for setting, value, source, evidence in rows:
        against = lines.pop(setting, [])
        yield setting, value, source, f"{AGAINST}{'; '.join([*against, evidence])}" if against else evidence
    for setting, found in lines.items():
        yield setting, None, "found", AGAINST + "; ".join(found)
