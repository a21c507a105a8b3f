"""Writes history up to a run to files, in place of pruned landing, and reads it back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from propsync.landing import Manifest
from propsync.merge.hiding import Hiding
from propsync.records import HASH_VERSION
from propsync.resources import Resource
from propsync.shapes import Shape
from propsync.warehouse import Warehouse, add_rows, quoted, statement, write_rows

_MOMENT = "timestamptz '{}'"


def write_history(
    warehouse: Warehouse, resource: str, until: datetime, path: Path, hiding: Hiding | None = None
) -> None:
    """Writes a resource's history as of `until`: without later versions, and without the closes that they made.

    The file has every record as it came, hidden parts too.
    """
    described = warehouse.catalogue[resource]
    query = statement(
        "merge/history/until",
        history=hiding.whole_history(described) if hiding else f"history.{quoted(resource)}",
        key_columns=_key(described),
        named=", ".join(quoted(name) for name in warehouse.tables[f"history.{resource}"].columns if name != "valid_to"),
        moment=_MOMENT.format(until.isoformat()),
    )
    write_rows(warehouse, query, path)


def has_changed(warehouse: Warehouse, resource: str, since: datetime, until: datetime) -> bool:
    """Whether a resource has versions that are later than `since` and not later than `until`."""
    query = statement("merge/history/count_versions_between", history=warehouse.history(resource))
    return bool(warehouse.value(query, {"since": since, "until": until}))


def read_history(
    warehouse: Warehouse, resource: str, path: Path, hiding: Hiding | None = None, shape: Shape | None = None
) -> None:
    """Reads such a file back into an empty history, by `shape` without what `hiding` hides."""
    if hiding is not None:
        hiding.read_history(warehouse.catalogue[resource], path, shape or Shape(resource))
        return
    with warehouse.transaction():
        add_rows(warehouse, f"history.{quoted(resource)}", path)


def form_of(manifest: Manifest) -> dict[str, Any]:
    """The rules by which propsync compared a snapshot's records: a version's hash depends on them besides the
    record.
    """
    shape = Shape.from_json(manifest.shape)
    return _form(shape, manifest.hash_version)


def is_compared_otherwise(forms: Sequence[Mapping[str, Any]], decided: Shape) -> bool:
    """Whether propsync compared versions by other rules than those of propsync.toml now, or by an older version of
    the hash.

    Rules that propsync.toml does not decide are no evidence about older versions: propsync may have found a shape
    later.
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
