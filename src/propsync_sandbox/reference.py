"""The three lists that people keep themselves and point the setting `[reference]` at.

They differ a little from the API, as people's lists do. Two properties are new and have no record yet. One that has
records is missing, and so is a user who left.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

from .duties import DUTIES
from .people import Property, made_up_property
from .world import World

_PROPERTIES = (
    "property_id", "name", "address", "postcode", "region", "uprn", "homes", "height_m", "built_year", "heating",
)  # fmt: skip
_USERS = ("user_id", "name", "team", "email")
_REQUIREMENTS = ("assessment_type_id", "property_id", "condition", "every_months")
_NEW = 2
_COMPLETE = 12
"""Lists no longer than this have no one missing."""


def write_reference(world: World, folder: Path | str) -> tuple[Path, Path, Path]:
    """Writes properties.csv, users.csv and requirements.csv into the folder; returns their paths.

    It makes the folder if needed. Raises ValueError, and writes nothing, if such a list exists and differs.
    """
    folder = Path(folder)
    paths = folder / "properties.csv", folder / "users.csv", folder / "requirements.csv"
    places = listed_properties(world)
    users = world.users[: -1 if len(world.users) > _COMPLETE else None]
    texts = (
        _csv(_PROPERTIES, map(_property_row, places)),
        _csv(_USERS, ((user.id, user.name, user.team, user.email) for user in users)),
        _csv(_REQUIREMENTS, _requirements(world, places)),
    )
    for path, text in zip(paths, texts, strict=True):
        if path.exists() and path.read_bytes() != text.encode():
            raise ValueError(f"{path} exists already and has other contents. Move it, or give another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8", newline="")
    return paths


def listed_properties(world: World) -> list[Property]:
    """The world's properties without the last, and two that are new."""
    rng = Random(f"new properties {world.seed}")
    known = world.properties.all()
    return [*known[: -1 if len(known) > _COMPLETE else None], *(made_up_property(rng) for _ in range(_NEW))]


def _property_row(place: Property) -> tuple[object, ...]:
    heating = "gas" if place.has_gas else "electric"
    return (
        place.id, place.name, place.address, place.postcode, place.region, place.uprn, place.homes, place.height_m,
        place.built_year, heating,
    )  # fmt: skip


def _requirements(world: World, places: Sequence[Property]) -> Iterator[tuple[object, ...]]:
    """One line with a condition where a column says which properties; else one line a property."""
    types = dict(zip((duty.name for duty in DUTIES), world.assessment_types.ids(), strict=False))
    for duty in DUTIES:
        type_id = types[duty.name]
        if duty.condition is not None:
            yield type_id, "", duty.condition, duty.months
            continue
        for place in places:
            if duty.applies(place):
                yield type_id, place.id, "", duty.months


def _csv(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(heading)
    writer.writerows(rows)
    return text.getvalue()
