"""The register of assets: what to replace, in which condition, how well filled, what does not fit, what looks alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from questions.oracle.due import Rows
from questions.witness import Witness

Definition = dict[str, Any]


def label_of(definition: Definition) -> str:
    """The label without the version that nights of renaming add."""
    label: str = definition["label"]
    return label.partition(" (v")[0]


def _cells(witness: Witness) -> Iterator[tuple[str, dict[str, Any], Definition, Any]]:
    """Each asset with each field of its type and its value, None without one."""
    for key, asset in witness.now.assets.items():
        values = {result["field"]: result["value"] for result in asset["fields"]}
        for definition in witness.world.asset_types.fields(asset["type"]):
            yield key, asset, definition, values.get(definition["id"])


def to_replace(witness: Witness) -> Rows:
    """asset_id, property_id, asset_type, replacement year; this year, next year or past"""
    return [
        (key, asset["property"], witness.type_names[asset["type"]], int(value))
        for key, asset, field, value in _cells(witness)
        if label_of(field) == "Replacement year" and isinstance(value, int | Decimal)
        if value <= witness.today.year + 1
    ]


def conditions(witness: Witness) -> Rows:
    """asset_type, condition (NULL where nobody recorded one), assets; of types that have such a field"""
    counts: Counter[tuple[str, str | None]] = Counter()
    for _, asset, field, value in _cells(witness):
        if "condition" in field["label"].lower():
            labels = {option["id"]: option["label"] for option in field["options"]}
            counts[witness.type_names[asset["type"]], "; ".join(labels[one] for one in value or []) or None] += 1
    return [(*group, count) for group, count in counts.items()]


def fill_rates(witness: Witness) -> Rows:
    """asset_type, field_id, assets, filled; an empty text or list is not filled"""
    assets: Counter[tuple[str, str]] = Counter()
    filled: Counter[tuple[str, str]] = Counter()
    for _, asset, field, value in _cells(witness):
        group = witness.type_names[asset["type"]], field["id"]
        assets[group] += 1
        filled[group] += value not in (None, "", [])
    return [(*group, count, filled[group]) for group, count in assets.items()]


def misfits(witness: Witness) -> Rows:
    """asset_id, field_id, value; a number or date that is none"""
    return [
        (key, field["id"], value)
        for key, _, field, value in _cells(witness)
        if isinstance(value, str) and not _fits(field["type"], value)
    ]


def _fits(kind: str, value: str) -> bool:
    if kind != "date":
        return kind != "number"
    try:
        return date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def lookalikes(witness: Witness) -> Rows:
    """asset_type, tag or serial number, assets; of one type with the same one"""
    counts: Counter[tuple[str, str]] = Counter()
    for _, asset, field, value in _cells(witness):
        if value and (field["type"] == "qr" or label_of(field) == "Serial number"):
            counts[witness.type_names[asset["type"]], value] += 1
    return [(*group, count) for group, count in counts.items() if count > 1]
