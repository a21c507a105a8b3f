"""The assets that earlier plans of a file of the same name created, or may have: planning it again repeats none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from propsync.push.files.source import QUERY
from propsync.push.plan import FieldChange
from propsync.push.values.published import Published
from propsync.push.values.sameness import is_same


@dataclass
class Creation:
    """One asset that propsync created: its id, the run that recorded it, and the values written.

    If a person must look, the id is that of an asset that it may be, or None.
    """

    file: str
    asset_id: str | None
    run_id: str
    is_unsure: bool
    message: str | None
    values: dict[str, Any] = field(default_factory=dict)
    is_unseen: bool = False
    """Whether no answer has shown it yet."""

    def is_of(self, values: Mapping[str, Any]) -> bool:
        """Whether propsync wrote exactly these values."""
        return self.values.keys() == values.keys() and all(is_same(self.values[key], values[key]) for key in values)

    @property
    def reason(self) -> str:
        """Why a row with these values is refused, and what helps."""
        is_query = self.file == QUERY
        source, step = ("a query", "plan it from a file") if is_query else ("a file of this name", "rename the file")
        if self.is_unseen:
            what = f"run {self.run_id} created it from {source}, as asset {self.asset_id}, which no sync has shown yet"
            seen = "run `propsync sync`, then plan again. If it stays so, look for it and write its id into asset_id"
            return f"{what}: {seen}; for one more, {step}"
        if not self.is_unsure:
            what = f"run {self.run_id} created it from {source}, as asset {self.asset_id}"
            return f"{what}: write that id into asset_id; for one more, {step}"
        what = f"run {self.run_id} sent it from {source}, and does not know whether it exists"
        found = f" ({self.message})" if self.message else ""
        return f"{what}{found}. If it does, write its id into asset_id; if not, {step}"


class CreatedBefore:
    """The creations by property and type; each answers for one row.

    Nobody knows the property of one that may not exist, or that no answer has shown yet: it answers for a row of any
    property. With `after`, only those
    of later runs count.
    """

    def __init__(self, published: Published, file: str, after: str = "") -> None:
        found: dict[tuple[Any, ...], Creation] = {}
        for plan_id, row, asset_id, run_id, is_unsure, message, field_id, value in published.created(file):
            if run_id <= after:
                continue
            one = found.setdefault((plan_id, row, asset_id), Creation(file, asset_id, run_id, is_unsure, message))
            if field_id is not None:
                one.values[field_id] = value
        sure = {one.asset_id: one for one in found.values() if one.asset_id and not one.is_unsure}
        places = published.assets(list(sure)) if sure else {}
        self._unsure = [one for one in found.values() if one.is_unsure]
        self._unsure += _unseen(published, [one for asset_id, one in sure.items() if asset_id not in places])
        self._left: dict[tuple[str | None, str | None], list[Creation]] = {}
        for asset_id, place in places.items():
            self._left.setdefault(place, []).append(sure[asset_id])

    def take(self, property_id: str, type_id: str, changes: Sequence[FieldChange]) -> Creation | None:
        """The creation of an asset with exactly these values, None without one."""
        values = {change.field: change.new for change in changes}
        for left in (self._left.get((property_id, type_id), []), self._unsure):
            for one in left:
                if one.is_of(values):
                    left.remove(one)
                    return one
        return None


def _unseen(published: Published, created: Sequence[Creation]) -> list[Creation]:
    """Those that the API has accepted and never shown; somebody may have deleted the others."""
    deleted = published.deleted_assets([str(one.asset_id) for one in created])
    return [replace(one, is_unseen=True) for one in created if one.asset_id not in deleted]
