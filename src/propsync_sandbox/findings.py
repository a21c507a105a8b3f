"""The findings of an assessment, as the report and the CSVs of its bundle show them (spec 4.8): actions, controls,
elements.

The columns are a guess; the spec names the three files only. All of it follows from the record's key and version.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from . import phrases
from .identity import new_uid
from .shelf import Record
from .world import World

Row = dict[str, object]
ACTION_COLUMNS = ("id", "reference", "title", "priority", "status", "dueDate", "responsible", "cost", "image")
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
        """The same for the same version of the record, different for any other."""
        return Random(f"{part} {self.record.key} {self.record.version}")


def subject(world: World, record: Record) -> Subject:
    place = world.properties.get(record.property)
    name, address = (place.name, f"{place.address}, {place.postcode}") if place else ("", "")
    type_name = world.assessment_types.get(record.type)["name"] if record.type in world.assessment_types else ""
    return Subject(record, name, address, type_name, world.today)


def actions(about: Subject) -> list[Row]:
    rng = about.dice("actions")
    return [_action(number, about.today, rng) for number in range(1, rng.randrange(2, 9))]


def _action(number: int, today: date, rng: Random) -> Row:
    return {
        "id": new_uid(rng),
        "reference": f"A{number:02d}",
        "title": rng.choice(phrases.OBSERVATIONS),
        "priority": rng.choice(("Low", "Medium", "High", "Intolerable")),
        "status": rng.choice(("open", "inprogress", "closed")),
        "dueDate": (today + timedelta(days=rng.randrange(7, 180))).isoformat(),
        "responsible": rng.choice(phrases.FIRST_NAMES),
        "cost": f"{rng.randrange(100, 900000) / 100:.2f}",
        "image": f"images/actions/A{number:02d}.png" if rng.random() < 0.5 else "",
    }


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
