"""The values of a record that a plan does not name: the API's document does not say that a write keeps them.

The journal has the names of those that held a value, so that a later apply can compare too. It has no value of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from propsync.push.journals.journal import WriteJournal
from propsync.push.journals.records import Shown
from propsync.push.outcome import APPLIED
from propsync.push.plan import UPDATE, Entry
from propsync.push.sending import verdicts
from propsync.push.values.sameness import is_empty, is_stored
from propsync.push.values.schedule_values import MEMBERS, STATUS, is_set_back
from propsync.resources import ASSETS

_HIDDEN = "a value that [privacy] hides"


class Unplanned:
    """Keeps them from the look before a write until its read-back; threads may share it."""

    def __init__(self, resource: str, may_write: Callable[[str, str], bool]) -> None:
        """`may_write` says whether a write may have a field of a type: links to images differ at each reading."""
        self._is_assets, self._may_write = resource == ASSETS.name, may_write
        self._before: dict[int, Mapping[str, Any]] = {}

    def note(self, number: int, entry: Entry, values: Mapping[str, Any]) -> list[str]:
        """Takes the values of a record right before its write, by field; returns the names of those not empty."""
        planned = {change.field for change in entry.changes}
        if entry.action != UPDATE:
            return []
        self._before[number] = {name: value for name, value in values.items() if name not in planned}
        return [name for name, value in self._before[number].items() if not is_empty(value)]

    def compare(
        self,
        journal: WriteJournal,
        shown: Shown,
        whole: Shown,
        hidden: Collection[str],
        labels: Mapping[str, str],
    ) -> None:
        """Gives the records that lost such values an outcome that says so. `shown` are the values after the write.

        `whole` are those of records with `hidden` values, which no message names.
        """
        so_far = journal.so_far
        for number in so_far.held.keys() - so_far.compared:
            entry, outcome = so_far.plan.entries[number], so_far.outcomes.get(number)
            if outcome and outcome.state == APPLIED and entry.key in shown:
                unshown = {name: value for name, value in whole.get(entry.key, {}).items() if name in hidden}
                values = {**shown[entry.key], **unshown}
                changed = self._changed(number, entry, so_far.held[number], values, hidden)
                unnamed = {_HIDDEN} if changed.intersection(hidden) and entry.key in whole else set()
                named = {labels.get(one) or one for one in changed.difference(hidden)} | unnamed
                if named:
                    journal.done(number, verdicts.others_changed(outcome, named))

    def _changed(
        self, number: int, entry: Entry, held: Collection[str], there: Mapping[str, Any], hidden: Collection[str]
    ) -> set[str]:
        """The fields whose value is gone or differs, and the members of a schedule that are not as a PUT had them.

        An API may work out further values, such as another status: only one that it sets back to the first is named.
        Nobody knows the kind of a hidden field, and links to images differ, so it counts only if its value is gone.
        """
        gone = {name for name in held if is_empty(there.get(name))}
        before = self._before.get(number)
        if before is None:
            return gone
        if self._is_assets:
            kept = (name for name in held if name not in hidden and self._may_write(entry.type_id, name))
            return gone | {name for name in kept if not is_stored(before.get(name), there.get(name))}
        differ = {one for one in MEMBERS if one in before and not is_stored(before[one], there.get(one))}
        status = {STATUS} if is_set_back(before.get(STATUS), there.get(STATUS)) else set()
        return gone.difference(MEMBERS) | differ | status
