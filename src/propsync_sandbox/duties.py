"""Which assessments a housing provider must have, of which properties and how often; and how well it keeps up.

`condition` says the same as `applies`, on a column of properties.csv. Without a condition, the list of requirements
names each property.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from .people import Property

_DAYS_A_MONTH = 30.4375


@dataclass(frozen=True)
class Duty:
    name: str
    months: int
    applies: Callable[[Property], bool]
    condition: str | None
    in_time: float
    """The share of properties that are in time."""

    @property
    def days(self) -> int:
        return round(self.months * _DAYS_A_MONTH)

    def next_after(self, performed: date) -> date:
        return performed + timedelta(days=self.days)


DUTIES = (
    Duty("Fire risk assessment", 12, lambda place: place.homes > 1, "homes > 1", 0.91),
    Duty("Fire door inspection", 3, lambda place: place.height_m >= 11, "height_m >= 11", 0.62),
    Duty("LOLER thorough examination", 6, lambda place: place.has_lift, None, 0.95),
    Duty("Legionella risk assessment", 24, lambda place: place.homes > 1, "homes > 1", 0.86),
    Duty("EICR", 60, lambda place: place.homes >= 1, "homes >= 1", 0.93),
    Duty("Gas safety check", 12, lambda place: place.has_gas, None, 0.98),
    Duty("Asbestos survey", 12, lambda place: place.built_year < 2000, "built_year < 2000", 0.78),
    Duty("Emergency lighting test", 12, lambda place: place.homes > 1, "homes > 1", 0.88),
    Duty("Stock condition survey", 60, lambda place: place.homes >= 1, "homes >= 1", 0.7),
)
ASSESSMENT_TYPES = tuple(duty.name for duty in DUTIES)
_BY_NAME = {duty.name: duty for duty in DUTIES}
_OTHER = Duty("", 12, lambda _place: False, None, 0.8)


def duty_of(type_name: str) -> Duty:
    """A yearly one for types that it does not know."""
    return _BY_NAME.get(type_name, _OTHER)
