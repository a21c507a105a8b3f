"""The values that marts bind: the day that they are of, and the words and numbers of `[desk]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from propsync.desk.measure_rules import measure_rules
from propsync.desk.words import DEFAULTS
from propsync.warehouse import Warehouse, statement


@dataclass(frozen=True)
class DeskChoices:
    """The values that marts bind, by name.

    `as_of` is the start of the last run that read the API or documents, `today` its day in PROPSYNC_TIME_ZONE. `lists`
    has the mark of each staging table that counts days. `first_reads` has the first complete read of each resource.
    Words are in lower case; `priority_order` begins with the most urgent. `configured` names the entries whose words
    propsync.toml has.
    """

    as_of: datetime
    today: date
    time_zone: str
    lists: Mapping[str, str] = field(default_factory=dict)
    first_reads: tuple[dict[str, Any], ...] = ()
    assessment_date: str | None = None
    due_soon_days: int = 30
    fiscal_year_end: str = "03-31"
    flag_open: tuple[str, ...] = DEFAULTS["flag_open"]
    flag_closed: tuple[str, ...] = DEFAULTS["flag_closed"]
    action_open: tuple[str, ...] = DEFAULTS["action_open"]
    action_closed: tuple[str, ...] = DEFAULTS["action_closed"]
    priority_order: tuple[str, ...] = DEFAULTS["priority_order"]
    fails: tuple[str, ...] = DEFAULTS["fails"]
    configured: tuple[str, ...] = ()
    measure_rules: tuple[dict[str, Any], ...] = field(default_factory=measure_rules)

    @classmethod
    def of(cls, warehouse: Warehouse, time_zone: str) -> DeskChoices | None:
        """The choices as of the last run, None before the first. A rebuild has the day of the run before it."""
        as_of: datetime | None = warehouse.value(statement("desk/last_run"))
        if as_of is None:
            return None
        rows = warehouse.rows(statement("desk/first_reads"))
        first_reads = tuple({"resource": resource, "read_at": read_at} for resource, read_at in rows)
        return cls(as_of, as_of.astimezone(ZoneInfo(time_zone)).date(), time_zone, first_reads=first_reads)

    def values(self) -> dict[str, Any]:
        """For models to bind."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self.__dict__.items()}
