"""Whether a look is older than the write before it: the document does not say how soon a look shows a write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from propsync.api import BUSY, is_success
from propsync.push.plan import Entry
from propsync.push.values.sameness import is_still


def changed_labels(entry: Entry, shown: Mapping[str, Any]) -> list[str]:
    """The labels of the planned values whose old value the record no longer has; `shown` are its values by field.

    None of them: it is as before, so the write is not done, or the look is older than the write.
    """
    return [one.label for one in entry.changes if not is_still(one.old, shown.get(one.field))]


def is_accepted(status: int | None) -> bool:
    """Whether the API answered with success (API §4.3, 4.4): a look that shows nothing of it is older."""
    return status is not None and is_success(status)


def may_be_late(status: int | None) -> bool:
    """Whether such a look may be older than the write: yes, unless the API said that it did nothing.

    `status` is that of the answer which does not say what the API did, None without any.
    """
    return status not in BUSY
