"""Changes: of one asset, records that came and went, and doors that no longer pass."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from questions.oracle.due import Rows
from questions.witness import Members, Witness

_DOORS = ("Communal fire doors", "Flat entrance doors")


def busiest_asset(witness: Witness) -> str:
    """One that changed in most nights, to ask about."""
    changes = Counter(
        change.record.key
        for change in witness.world.changes
        if change.resource == "assets" and change.kind == "edited" and change.record.key in witness.now.assets
    )
    return str(max(changes, key=lambda key: (changes[key], str(key))))


def asset_changes(witness: Witness, asset_id: str) -> Rows:
    """day of the sync that saw it, the field's id or `property_id`, old value, new value, as texts

    Options by their labels, joined by "; "; images, files and pins as None.
    """
    found: Rows = []
    for before, after in zip(witness.views, witness.views[1:], strict=False):
        old, new = before.assets.get(asset_id), after.assets.get(asset_id)
        if old is None or new is None or old == new:
            continue
        if old["property"] != new["property"]:
            found.append((after.day, "property_id", old["property"], new["property"]))
        was, becomes = _values(old), _values(new)
        for field in was.keys() | becomes.keys():
            if was.get(field) != becomes.get(field) or (field in was) != (field in becomes):
                found.append((after.day, field, *(_text(witness, new, field, of) for of in (was, becomes))))
    return found


def _values(asset: Members) -> dict[str, Any]:
    return {result["field"]: result["value"] for result in asset["fields"]}


def _text(witness: Witness, asset: Members, field: str, values: dict[str, Any]) -> str | None:
    value = values.get(field)
    if value is None or isinstance(value, dict):
        return None
    if isinstance(value, list):
        options = witness.world.asset_types.field(asset["type"], field)["options"]
        labels = {option["id"]: option["label"] for option in options}
        return "; ".join(labels[one] for one in value)
    return str(value) if isinstance(value, str | int | Decimal) else None


def came_and_went(witness: Witness) -> Rows:
    """resource, `new` or `deleted`, type, records; by the syncs of the last seven days but the first"""
    counts: Counter[tuple[str, str, str]] = Counter()
    for before, after in zip(witness.views, witness.views[1:], strict=False):
        if after.day <= witness.today - timedelta(days=7):
            continue
        for resource, records in after.records.items():
            old = before.records[resource]
            for key in records.keys() - old.keys():
                counts[resource, "new", witness.type_names[records[key].type]] += 1
            for key in old.keys() - records.keys():
                counts[resource, "deleted", witness.type_names[old[key].type]] += 1
    return [(*group, count) for group, count in counts.items()]


def doors_that_fail_now(witness: Witness, since: date) -> Rows:
    """asset_id, property_id, asset_type; passed on that day and fail today"""
    then = witness.view_of(since)
    if then is None:
        return []
    found: Rows = []
    for key, asset in witness.now.assets.items():
        name = witness.type_names[asset["type"]]
        if name in _DOORS and key in then.assets:
            results = [_result(witness, one) for one in (then.assets[key], asset)]
            if results == ["Pass", "Fail"]:
                found.append((key, asset["property"], name))
    return found


def _result(witness: Witness, asset: Members) -> str | None:
    for field in witness.world.asset_types.fields(asset["type"]):
        if field["label"].partition(" (v")[0] == "Result":
            return _text(witness, asset, field["id"], _values(asset))
    return None
