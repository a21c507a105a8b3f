"""One night of the world: the changes between two runs of a reader."""

from random import Random

from .assessments import PERFORMED, Assessments
from .assessments import STATUSES as ASSESSMENT_STATUSES
from .assets import Assets
from .schedules import STATUSES as SCHEDULE_STATUSES
from .schedules import Schedules
from .world import RESOURCES, World

_EDITED_SHARE = 0.01
_MOVED_SHARE = 0.005
_TURNED_OVER_SHARE = 0.002


def live_through_a_night(world: World, seed: int | None = None) -> dict[str, int]:
    """Edits about 1 % of records, moves some statuses, adds and deletes a few records, and renames one label.

    Returns how many of each, for example `{"assets_edited": 20, "assets_added": 4, ...}`. Without a seed every further
    night of the same world has its own.
    """
    with world.lock:
        world.nights += 1
        rng = Random(f"night {world.seed} {world.nights if seed is None else seed}")
        summary: dict[str, int] = {}
        for resource in RESOURCES:
            summary[f"{resource}_deleted"] = _delete(world, resource, rng)
            summary[f"{resource}_edited"] = _edit(world, resource, rng)
        summary |= _move(world, rng)
        for resource in RESOURCES:
            summary[f"{resource}_added"] = _add(world, resource, rng)
        summary["labels_renamed"] = _rename(world, rng)
        return summary


def _share(world: World, resource: str, share: float) -> int:
    """At least two, so that a small world changes too, but never more than exist."""
    count = len(world.shelf(resource))
    return min(count, max(2, round(count * share)))


def _delete(world: World, resource: str, rng: Random) -> int:
    shelf = world.shelf(resource)
    keys = rng.sample(shelf.keys(), _share(world, resource, _TURNED_OVER_SHARE))
    for key in keys:
        shelf.delete(key)
    return len(keys)


def _edit(world: World, resource: str, rng: Random) -> int:
    shelf = _shelf(world, resource)
    keys = rng.sample(shelf.keys(), _share(world, resource, _EDITED_SHARE))
    for key in keys:
        shelf.scribble(key, rng)
    return len(keys)


def _add(world: World, resource: str, rng: Random) -> int:
    shelf = _shelf(world, resource)
    how_many = max(2, round(len(shelf) * _TURNED_OVER_SHARE))
    for _ in range(how_many):
        shelf.add(rng=rng)
    return how_many


def _shelf(world: World, resource: str) -> Assets | Assessments | Schedules:
    shelves: dict[str, Assets | Assessments | Schedules] = {
        "assets": world.assets,
        "assessments": world.assessments,
        "schedules": world.schedules,
    }
    return shelves[resource]


def _move(world: World, rng: Random) -> dict[str, int]:
    """Moves statuses of assessments and schedules, their performers, and the property of an asset."""
    assessments = [key for key in _some(world, "assessments", rng) if isinstance(key, str)]
    for key in assessments:
        _next_status(world, key, rng)
    schedules = [key for key in _some(world, "schedules", rng) if isinstance(key, tuple)]
    for pair in schedules:
        record = world.schedules.get(pair)
        world.schedules.set_status(pair, rng.choice([s for s in SCHEDULE_STATUSES if record and s != record.status]))
    return {
        "assessments_status_moved": len(assessments),
        "schedules_status_moved": len(schedules),
        "assessments_performed_moved": _swap_performed(world, rng),
        "assets_moved": _move_assets(world, rng),
    }


def _some(world: World, resource: str, rng: Random) -> list[str | tuple[str, str]]:
    return rng.sample(world.shelf(resource).keys(), _share(world, resource, _MOVED_SHARE))


def _next_status(world: World, key: str, rng: Random) -> None:
    record = world.assessments.get(key)
    others = [status for status in ASSESSMENT_STATUSES if record and status != record.status]
    world.assessments.set_status(key, rng.choice(others))


def _swap_performed(world: World, rng: Random) -> int:
    keys = [key for key in _some(world, "assessments", rng)[:3] if isinstance(key, str)]
    for key in keys:
        record = world.assessments.get(key)
        others = [side for side in PERFORMED if record and record.performed != {side}]
        world.assessments.set_performed(key, {rng.choice(others)})
    return len(keys)


def _move_assets(world: World, rng: Random) -> int:
    keys = [key for key in _some(world, "assets", rng)[:3] if isinstance(key, str)]
    for key in keys:
        record = world.assets.get(key)
        world.assets.move(key, rng.choice([p for p in world.properties.ids() if record and p != record.property]))
    return len(keys)


def _rename(world: World, rng: Random) -> int:
    """One label of one type gets a version number, so that it always differs from before."""
    type_id = rng.choice(world.asset_types.ids())
    definition = rng.choice(world.asset_types.fields(type_id))
    world.asset_types.rename_field(type_id, definition["id"], f"{definition['label']} (v{world.nights + 1})".strip())
    return 1
