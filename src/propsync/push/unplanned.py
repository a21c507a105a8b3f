"""The values of a record that a plan does not name: the API's document does not say that a write keeps them.

They are known of the records that this apply writes. After a kill, those that it had written by then are not compared.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from propsync.push import verdicts
from propsync.push.journal import WriteJournal
from propsync.push.outcome import APPLIED
from propsync.push.plan import UPDATE, Entry
from propsync.push.sameness import is_empty, is_stored
from propsync.push.schedule_values import MEMBERS
from propsync.resources import ASSETS


class Unplanned:
    """Keeps them from the look before a write until its read-back; threads may share it."""

    def __init__(self, resource: str) -> None:
        self._is_assets = resource == ASSETS.name
        self._before: dict[int, Mapping[str, Any]] = {}

    def note(self, number: int, entry: Entry, values: Mapping[str, Any]) -> None:
        """The values of a record right before its write, by field."""
        planned = {change.field for change in entry.changes}
        if entry.action == UPDATE:
            self._before[number] = {name: value for name, value in values.items() if name not in planned}

    def compare(
        self,
        journal: WriteJournal,
        shown: Mapping[tuple[str, ...], Mapping[str, Any]],
        hidden: Collection[str],
        labels: Mapping[str, str],
    ) -> None:
        """Gives the records that lost such values an outcome that says so. `shown` are the values after the write."""
        for number in self._before:
            key, outcome = journal.so_far.plan.entries[number].key, journal.so_far.outcomes.get(number)
            if outcome and outcome.state == APPLIED and key in shown:
                named = [labels.get(one) or one for one in self._changed(number, shown[key]).difference(hidden)]
                if named:
                    journal.done(number, verdicts.others_changed(outcome, named))

    def _changed(self, number: int, there: Mapping[str, Any]) -> set[str]:
        """The fields of an asset whose value is gone, and the members of a schedule that are not as a PUT had them.

        An API may work out further values of an asset.
        """
        before = self._before[number]
        if self._is_assets:
            return {name for name, value in before.items() if not is_empty(value) and is_empty(there.get(name))}
        return {one for one in MEMBERS if one in before and not is_stored(before[one], there.get(one))}
