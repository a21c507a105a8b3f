"""The findings of an assessment, as the report and the CSVs of its bundle show them (API §4.8): actions, controls,
elements.

The columns are a guess; only the names of the three files are documented. All of it follows from the record's key, but
for the state of an action, which follows from the day too.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from random import Random

from . import phrases
from .identity import new_uid
from .shelf import Record
from .world import World

Row = dict[str, object]
CONTROL_COLUMNS = ("id", "name", "inPlace", "effectiveness", "comment")
ELEMENT_COLUMNS = ("id", "name", "location", "condition", "quantity", "photo")


@dataclass(frozen=True)
class Subject:
    """The content of every document of one assessment, fixed at the moment of the request."""

    record: Record
    property_name: str
    address: str
    type_name: str
    today: date

    def dice(self, part: str) -> Random:
        """The same for the same assessment, different for any other."""
        return Random(f"{part} {self.record.key}")


def subject(world: World, record: Record) -> Subject:
    place = world.properties.get(record.property)
    name, address = (place.name, f"{place.address}, {place.postcode}") if place else ("", "")
    type_name = world.assessment_types.get(record.type)["name"] if record.type in world.assessment_types else ""
    return Subject(record, name, address, type_name, world.today)


def controls(about: Subject) -> list[Row]:
    rng = about.dice("controls")
    return [
        {
            "id": new_uid(rng),
            "name": name,
            "inPlace": rng.choice(("true", "false")),
            "effectiveness": rng.choice(("Good", "Adequate", "Poor", "")),
            "comment": rng.choice(phrases.NOTES),
        }
        for name in rng.sample(phrases.CONTROLS, rng.randrange(2, 6))
    ]


def elements(about: Subject) -> list[Row]:
    rng = about.dice("elements")
    return [
        {
            "id": new_uid(rng),
            "name": rng.choice(("Fire door", "Stair", "Riser", "Luminaire", "Hydrant", "Cladding panel")),
            "location": rng.choice(phrases.LOCATIONS),
            "condition": rng.choice(("Good", "Fair", "Poor")),
            "quantity": rng.randrange(1, 20),
            "photo": f"images/elements/E{number:02d}.png" if rng.random() < 0.4 else "",
        }
        for number in range(1, rng.randrange(2, 7))
    ]


def as_csv(columns: Sequence[str], rows: list[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()
