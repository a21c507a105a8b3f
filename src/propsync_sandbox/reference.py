"""The two lists that people keep themselves and point the setting `[reference]` at."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from .world import World


def write_reference(world: World, folder: Path | str) -> tuple[Path, Path]:
    """Writes properties.csv and users.csv into the folder, and makes it if needed; returns their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    properties, users = folder / "properties.csv", folder / "users.csv"
    places = ((place.id, place.name, place.address, place.postcode) for place in world.properties.all())
    _write(properties, ("property_id", "name", "address", "postcode"), places)
    _write(users, ("user_id", "name", "email"), ((user.id, user.name, user.email) for user in world.users))
    return properties, users


def _write(path: Path, heading: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heading)
        writer.writerows(rows)
