"""History up to a run as files, in the place of landing that was pruned; and back again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from propsync.landing import Manifest
from propsync.records import HASH_VERSION
from propsync.resources import RESOURCES, Resource
from propsync.shapes import Shape
from propsync.warehouse import TABLES, Warehouse, add_rows, quoted, write_rows

_MOMENT = "timestamptz '{}'"


def write_history(warehouse: Warehouse, resource: str, until: datetime, path: Path) -> None:
    """Writes a resource's history as it was at `until`: later versions are not there yet, nor did they close any."""
    moment = _MOMENT.format(until.isoformat())
    columns = ", ".join(quoted(name) for name in TABLES[f"history.{resource}"].columns if name != "valid_to")
    open_again = f"case when valid_to <= {moment} then valid_to end as valid_to"
    query = f"select {columns}, {open_again} from history.{quoted(resource)} where valid_from <= {moment}"
    write_rows(warehouse, f"{query} order by {_key(RESOURCES[resource])}, valid_from", path)


def has_changed(warehouse: Warehouse, resource: str, since: datetime, until: datetime) -> bool:
    """Whether a resource has versions that are later than `since` and not later than `until`."""
    query = f"select count(*) from history.{quoted(resource)} where valid_from > ? and valid_from <= ?"
    return bool(warehouse.value(query, [since, until]))


def read_history(warehouse: Warehouse, resource: str, path: Path) -> None:
    """Puts such a file back into an empty history."""
    with warehouse.transaction():
        add_rows(warehouse, f"history.{quoted(resource)}", path)


def form_of(manifest: Manifest) -> dict[str, Any]:
    """How the records of a snapshot were compared: what a version's hash depends on besides the record."""
    shape = Shape.from_json(manifest.shape)
    return _form(shape, manifest.hash_version)


def is_compared_otherwise(forms: Sequence[Mapping[str, Any]], decided: Shape) -> bool:
    """Whether versions were compared otherwise than propsync.toml decides now, or by an older version of the hash.

    What it does not decide says nothing of older versions: a shape may have been found after them.
    """
    now = _form(decided, HASH_VERSION)
    parts = ["version"]
    parts += ["volatile"] if decided.volatile is not None else []
    parts += ["result_field"] if decided.has("result_field") else []
    return any(form.get(part) != now[part] for form in forms for part in parts)


def merged_forms(before: Mapping[str, list[dict[str, Any]]], manifests: Iterable[Manifest]) -> dict[str, list[Any]]:
    """All the different forms of older versions and of these snapshots, by resource."""
    found = {name: {json.dumps(form, sort_keys=True) for form in forms} for name, forms in before.items()}
    for manifest in manifests:
        found.setdefault(manifest.resource, set()).add(json.dumps(form_of(manifest), sort_keys=True))
    return {name: [json.loads(form) for form in sorted(forms)] for name, forms in found.items()}


def _form(shape: Shape, version: int) -> dict[str, Any]:
    return {
        "version": version,
        "volatile": sorted(shape.volatile or ()),
        "result_field": [list(path) for path in shape.paths("result_field")],
    }


def _key(resource: Resource) -> str:
    return ", ".join(map(quoted, resource.key_columns))
