"""The inputs of the marts: a mark of each table, the settings, and the SQL of propsync."""

from __future__ import annotations

from functools import cache

import xxhash

from propsync import __version__
from propsync.desk.choices import DeskChoices
from propsync.shipped import shipped
from propsync.warehouse import Warehouse, statement


def marks_of_tables(warehouse: Warehouse, time_zone: str) -> dict[str, str]:
    """A mark of each table that marts read; it changes with the rows."""
    return dict(warehouse.rows(statement("desk/inputs"), {"time_zone": time_zone}))


def inputs_of_all(warehouse: Warehouse, choices: DeskChoices, given: object) -> str:
    """A hash of every table's mark, the day, the settings that people have `given`, and the SQL.

    If it stays, a run need not look at the marts.
    """
    marks = marks_of_tables(warehouse, choices.time_zone)
    return xxhash.xxh3_128_hexdigest(repr((marks, choices.today, choices.time_zone, given, made_by())).encode())


@cache
def made_by() -> str:
    """A hash of propsync's version and SQL: after an upgrade, earlier rows may not be what the new one would make."""
    digest = xxhash.xxh3_128(__version__.encode())
    for path in sorted(path for path in shipped("sql").rglob("*") if path.suffix in (".sql", ".toml")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
