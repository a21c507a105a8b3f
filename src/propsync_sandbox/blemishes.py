"""Flaws that live data has: values that do not fit their kind, two assets with one tag, documents that are missing."""

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .jsontext import JsonObject
    from .shelf import Record
    from .world import World

_MISFITS = {"number": ("N/A", "2 or 3", "approx. 40"), "date": ("unknown", "31/02/2019", "Spring 2012")}
_PER_MISFIT = 250
_PER_LOOKALIKE = 400
_PER_MISSING = 500


def blemish(world: "World") -> None:
    """By dice of its own; a world of fewer than 250 assets has no flaws."""
    rng = Random(f"blemishes {world.seed}")
    assets = [record for record in world.assets.records() if world.scale >= _PER_MISFIT]
    for record in rng.sample(assets, min(len(assets), world.scale // _PER_MISFIT)):
        _misfit(world, record, rng)
    for record in rng.sample(assets, min(len(assets), world.scale // _PER_LOOKALIKE)):
        _copy_tag(world, record, rng)
    _withhold(world, rng)


def _misfit(world: "World", record: "Record", rng: Random) -> None:
    """One value of a kind that text does not fit."""
    fields = [one for one in world.asset_types.fields(record.type) if one["type"] in _MISFITS]
    if fields:
        field = rng.choice(fields)
        world.assets.edit_result(str(record.key), field["id"], rng.choice(_MISFITS[field["type"]]))


def _copy_tag(world: "World", record: "Record", rng: Random) -> None:
    """Another asset of the type gets its tag, or its serial number where it has one."""
    tags = [one for one in world.asset_types.fields(record.type) if _is_tag(one)]
    if not tags:
        return
    tag = tags[-1]["id"]
    shown = {result["field"]: result["value"] for result in record.members()["fields"]}
    twin = _another_of_its_type(world, record, rng)
    if shown.get(tag) and twin is not None:
        world.assets.edit(str(twin.key), {tag: shown[tag]})


def _another_of_its_type(world: "World", record: "Record", rng: Random) -> "Record | None":
    """Sought among some at random: a type with few assets may have none there."""
    keys = world.assets.keys()
    for key in rng.sample(keys, min(len(keys), 60)):
        other = world.assets.get(key)
        if other is not None and other.type == record.type and key != record.key:
            return other
    return None


def _is_tag(definition: "JsonObject") -> bool:
    return bool(definition["type"] == "qr" or definition["label"] == "Serial number")


def _withhold(world: "World", rng: Random) -> None:
    """A few approved assessments lack their report, half as many their bundle."""
    approved = [record.key for record in world.assessments.records() if record.status == "approved"]
    reports = world.scale // _PER_MISSING
    keys = rng.sample(approved, min(len(approved), reports + reports // 2))
    for place, key in enumerate(keys):
        world.assessments.withheld.add((key, "report.pdf" if place < reports else "bundle.zip"))
