"""One night of the world: the changes between two runs of a reader, and the next day."""

from datetime import timedelta
from random import Random

from . import rounds
from .assessments import PERFORMED
from .world import PROPERTIES, RESOURCES, World

_EDITED_SHARE = 0.01
_PERFORMERS_MOVED = 3
_ASSETS_MOVED = 3
_TURNED_OVER_SHARE = 0.002
_INSPECTIONS = 0.6


def live_through_a_night(world: World, seed: int | None = None) -> dict[str, int]:
    """A day passes: about 1 % of records change, work moves on, a few records come and go, one label is renamed.

    Returns how many of each, for example `{"assets_edited": 20, "assets_added": 4, ...}`. Without a seed every further
    night of the same world has its own.
    """
    with world.lock:
        world.begin_night()
        rng = Random(f"night {world.seed} {world.nights if seed is None else seed}")
        summary: dict[str, int] = {}
        for resource in RESOURCES:
            summary[f"{resource}_deleted"] = _delete(world, resource, rng)
        summary["assets_edited"] = _edit_assets(world, rng)
        summary["assessments_edited"] = _edit_assessments(world, rng)
        summary["schedules_edited"] = _edit_schedules(world, rng)
        summary |= rounds.move_on(world, rng)
        summary["assessments_performed_moved"] = _swap_performed(world, rng)
        summary["assets_moved"] = _move_assets(world, rng)
        summary["assets_added"] = _add_assets(world, rng)
        summary["schedules_added"] = _add_schedules(world, rng)
        summary["labels_renamed"] = _rename(world, rng)
        if PROPERTIES in world.resources:
            summary |= _change_properties(world)
        return summary


def _change_properties(world: World) -> dict[str, int]:
    """By dice of their own: the other records change as in a world without this list."""
    rng, shelf = Random(f"night of properties {world.seed} {world.nights}"), world.property_list
    gone, edited = rng.sample(shelf.keys(), 1), rng.sample(shelf.keys(), 2)
    shelf.delete(gone[0])
    for key in edited:
        if key in shelf:
            shelf.scribble(key, rng)
    shelf.add(rng)
    return {"properties_deleted": 1, "properties_edited": len(set(edited) - set(gone)), "properties_added": 1}


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


def _edit_assets(world: World, rng: Random) -> int:
    """Most edits are inspections; in the others somebody corrects a value."""
    keys = [str(key) for key in _some(world, "assets", rng)]
    for key in keys:
        if rng.random() < _INSPECTIONS:
            world.assets.inspect(key, rng)
        else:
            world.assets.scribble(key, rng)
    return len(keys)


def _edit_assessments(world: World, rng: Random) -> int:
    """Half of them are steps of open flags, as long as some are open."""
    keys = [str(key) for key in _some(world, "assessments", rng)]
    flagged = [str(record.key) for record in world.assessments.records() if b'"status":"open","raised' in record.flags]
    flagged = rng.sample(flagged, min(len(flagged), len(keys) // 2))
    others = [key for key in keys if key not in flagged][: len(keys) - len(flagged)]
    for key in flagged:
        world.assessments.move_flag_on(key, rng)
    for key in others:
        world.assessments.scribble(key, rng)
    return len(flagged) + len(others)


def _edit_schedules(world: World, rng: Random) -> int:
    keys = [key for key in _some(world, "schedules", rng) if isinstance(key, tuple)]
    for key in keys:
        rounds.reschedule(world, key, rng)
    return len(keys)


def _some(world: World, resource: str, rng: Random) -> list[str | tuple[str, str]]:
    return rng.sample(world.shelf(resource).keys(), _share(world, resource, _EDITED_SHARE))


def _add_assets(world: World, rng: Random) -> int:
    many = _many_new(world, "assets")
    for _ in range(many):
        world.assets.add(rng=rng)
    return many


def _add_schedules(world: World, rng: Random) -> int:
    """New ones are due in the year to come."""
    many = _many_new(world, "schedules")
    for _ in range(many):
        due = world.today + timedelta(days=rng.randrange(20, 365))
        world.schedules.add(rng=rng, status="notstarted", dueDate=due.isoformat())
    return many


def _many_new(world: World, resource: str) -> int:
    return max(2, round(len(world.shelf(resource)) * _TURNED_OVER_SHARE))


def _swap_performed(world: World, rng: Random) -> int:
    keys = [str(key) for key in _some(world, "assessments", rng)[:_PERFORMERS_MOVED]]
    for key in keys:
        record = world.assessments.get(key)
        others = [side for side in PERFORMED if record and record.performed != {side}]
        world.assessments.set_performed(key, {rng.choice(others)})
    return len(keys)


def _move_assets(world: World, rng: Random) -> int:
    keys = [str(key) for key in _some(world, "assets", rng)[:_ASSETS_MOVED]]
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
