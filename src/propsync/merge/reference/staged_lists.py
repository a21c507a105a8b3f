"""People's lists as staging tables with fixed columns and real numbers, and their requirements, read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from propsync.merge.reference.list_file import OF_PROPERTIES
from propsync.merge.reference.list_table import KEYS, api_lists, key_of, list_columns, list_target
from propsync.merge.reference.requirements import REQUIREMENTS, Requirement
from propsync.warehouse import Models, Warehouse, quoted, statement

_PROPERTIES = ("property_id", *OF_PROPERTIES)
_USERS = ("user_id", "name", "team", "email")
_NUMBERS = ("homes", "height_m", "built_year")


class StagedLists:
    """Makes the tables. `files` are the lists that propsync.toml names; a list without a table has no rows."""

    def __init__(self, warehouse: Warehouse, models: Models, files: Mapping[str, Path]) -> None:
        self._warehouse = warehouse
        self._models = models
        self._files = files

    def stage_properties(self) -> None:
        """Makes `staging.listed_property_texts`, and `staging.listed_properties` with real numbers."""
        self._stage("properties", "listed_property_texts", _PROPERTIES)
        self._models.stage("staging/reference/listed_properties")

    def stage_api_properties(self) -> None:
        """Makes `staging.api_properties`, and `staging.listed_by_api` with the versions in the API's own lists."""
        self._warehouse.execute(statement("merge/reference/make_listed_by_api"))
        for one in api_lists(self._warehouse, KEYS["properties"]):
            versions = {"key": quoted(one.key_columns[0]), "history": f"history.{quoted(one.name)}"}
            self._warehouse.execute(statement("merge/reference/add_listed_by_api", **versions))
        self._models.stage("staging/reference/api_properties")

    def stage_users(self) -> None:
        """Makes `staging.listed_user_texts`, and `staging.listed_users` with labels."""
        self._stage("users", "listed_user_texts", _USERS)
        self._models.stage("staging/reference/listed_users")

    def stage_requirements(self) -> bool:
        """Makes `staging.stated_requirements` and the tables that its rows apply to; whether it has any.

        It reads the tables of both lists of properties.
        """
        self._warehouse.execute(statement("merge/reference/make_requirements"))
        stated = self._stated()
        self._warehouse.add("staging.stated_requirements", stated)
        self._stage_cells({str(row[3]) for row in stated if row[3]})
        self._models.stage("staging/reference/known_properties")
        self._models.stage("staging/reference/condition_matches")
        return bool(stated)

    def _columns(self, name: str) -> list[str]:
        return list_columns(self._warehouse, name) if name in self._files else []

    def _stage(self, name: str, staged: str, columns: Sequence[str]) -> None:
        """The agreed columns of people's list as text; NULL for those that it lacks."""
        own = self._columns(name)
        made = ", ".join(f"{quoted(column)} varchar" for column in columns)
        self._warehouse.execute(statement("merge/reference/make_staged", table=f"staging.{staged}", columns=made))
        if not own:
            return
        key = key_of(self._warehouse, name) or KEYS[name]
        present = {KEYS[name]: key} | {column: column for column in columns[1:] if column in own}
        names, values = (", ".join(map(quoted, side)) for side in (present, present.values()))
        source = list_target(self._warehouse, name)
        filling = {"table": f"staging.{staged}", "names": names, "values": values, "source": source}
        self._warehouse.execute(statement("merge/reference/fill_staged", **filling))

    def _stated(self) -> list[tuple[object, ...]]:
        columns = self._columns(REQUIREMENTS)
        if not columns:
            return []
        rows = self._warehouse.rows(statement("merge/rows_of", table=list_target(self._warehouse, REQUIREMENTS)))
        read = (_read(dict(zip(columns, row, strict=True))) for row in rows)
        return [(number, *_row(one)) for number, one in enumerate(filter(None, read), 1)]

    def _stage_cells(self, wanted: set[str]) -> None:
        """The cells of the properties that conditions compare: of the columns with real numbers, those numbers."""
        self._warehouse.execute(statement("merge/reference/make_cells"))
        for column in sorted(wanted.intersection(self._columns("properties"))):
            is_number = column in _NUMBERS
            source = "staging.listed_properties" if is_number else list_target(self._warehouse, "properties")
            key = "property_id" if is_number else key_of(self._warehouse, "properties") or "property_id"
            fragments = {"column": quoted(column), "key": quoted(key), "source": source}
            self._warehouse.execute(statement("merge/reference/add_cells", **fragments), {"column": column})


def _read(row: dict[str, str | None]) -> Requirement | None:
    """None for a row that propsync stored before it judged such lists; the run has reported its mistake already."""
    try:
        return Requirement.of(row)
    except ValueError:
        return None


def _row(one: Requirement) -> tuple[object, ...]:
    condition = one.condition
    compared = (condition.column, condition.operator, condition.value, condition.number) if condition else (None,) * 4
    return (one.type_id, one.property_id, *compared, one.every_months)
