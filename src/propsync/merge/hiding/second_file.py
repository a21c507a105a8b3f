"""The second file: the whole records of versions that the state shows without what is hidden."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from propsync.errors import StateUnusable
from propsync.records import Path
from propsync.resources import Resource
from propsync.warehouse import Warehouse, key_parts, quoted, statement, text

SETTING = "hidden"
KEPT = "hidden.versions"
"""The table of whole records in the second file."""

RECORDS = "hidden.records"
"""The table of records of hidden types."""

_PATTERN = "hidden-{}.duckdb"
HIDDEN_FILES = _PATTERN.format("*")


def new_name() -> str:
    """A name that no second file has had."""
    return _PATTERN.format(secrets.token_hex(4))


def remembered(warehouse: Warehouse) -> tuple[str, str] | None:
    """The second file's name and the mark of its lines; None if the state hides nothing."""
    found = warehouse.value(statement("warehouse/setting"), {"setting": SETTING})
    if found is None:
        return None
    name, _, mark = str(found).partition(" ")
    return name, mark


def make_tables(warehouse: Warehouse) -> None:
    """Makes the tables of a second file that it lacks."""
    warehouse.execute(statement("merge/hidden/make_versions"))
    warehouse.execute(statement("merge/hidden/make_fields"))
    warehouse.execute(statement("merge/hidden/make_met"))
    warehouse.execute(statement("merge/hidden/make_records"))
    warehouse.execute(statement("merge/hidden/make_latest"))


def note_latest(
    warehouse: Warehouse, keep: Callable[[str, Mapping[str, Any]], object], file: str, resource: str, run_time: datetime
) -> None:
    """Notes in the state, and by `keep` in the second file, that this `file` has the whole records of a run."""
    keep(statement("merge/hidden/forget_latest"), {"resource": resource})
    keep(statement("merge/hidden/note_latest"), {"resource": resource, "run_time": run_time})
    noted = {"setting": f"latest hidden {resource}", "value": f"{file} {run_time.isoformat()}"}
    warehouse.execute(statement("warehouse/forget_setting"), noted)
    warehouse.execute(statement("warehouse/note_setting"), noted)


def refuse_older(warehouse: Warehouse, file: str, resources: Iterable[Resource]) -> None:
    """Raises StateUnusable if the second file is older than the state: parts of records would be lost in silence."""
    query = statement("merge/hidden/lacks_latest")
    if any(warehouse.value(query, {"resource": one.name, "file": file}) for one in resources):
        what = "it is older than the state database, and lacks the whole records of later runs"
        raise StateUnusable(str(warehouse.path.with_name(file)), what)


def whole_history(resource: Resource) -> str:
    """A relation with the resource's history as it came, although parts of records are hidden."""
    return statement("merge/hidden/whole_history", **_kept_of(resource))


def hides_now(warehouse: Warehouse, resource: Resource, path: Path) -> bool:
    """Whether a present record has a hidden member of this name, or the resource has no record."""
    member = text(json.dumps(path[-1], ensure_ascii=False))
    return bool(warehouse.value(statement("merge/hidden/hides_now", member=member, **_kept_of(resource))))


def _kept_of(resource: Resource) -> dict[str, str]:
    first, second = key_parts(resource)
    second = second if second.startswith("'") else f"versions.{second}"
    return {
        "kept": KEPT,
        "table": quoted(resource.name),
        "resource": text(resource.name),
        "first": first,
        "second": second,
    }
