"""Keeps the shapes found in `ops.shapes`, and tells what moved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from propsync.shapes import UNREAD, Choice, Shape, configured
from propsync.warehouse import Warehouse

_VOLATILE = "volatile"


class ShapeStore:
    """Shapes by resource: what propsync.toml says, else what earlier runs found."""

    def __init__(self, warehouse: Warehouse, overrides: Mapping[str, Any]) -> None:
        self._warehouse = warehouse
        self._overrides = overrides
        self._rows: dict[str, list[tuple[str, str, str, str]]] | None = None

    def get(self, resource: str) -> Shape:
        """The shape as known before this run."""
        return self.overridden(self._stored(resource))

    def overridden(self, shape: Shape) -> Shape:
        """The shape with what propsync.toml says now in the place of what it said then."""
        # what was configured and is no more has to be found again
        shape.choices = {part: choice for part, choice in shape.choices.items() if choice.source != "configured"}
        decided = self.decided(shape.resource)
        shape.choices.update(decided.choices)
        shape.volatile = shape.volatile if decided.volatile is None else decided.volatile
        return shape

    def decided(self, resource: str) -> Shape:
        """The parts of a shape that propsync.toml decides."""
        return configured(self._overrides, resource)

    def is_whole(self, shape: Shape) -> bool:
        """Whether all that was ever found of a shape is still in it: what is configured no more has to be found."""
        stored = self._stored(shape.resource).choices
        return bool(stored) and stored.keys() <= shape.choices.keys()

    def put(self, shape: Shape, run_id: str) -> bool:
        """Keeps a shape, inside the caller's transaction; whether a path moved, so that tables must be made anew."""
        before = self._stored(shape.resource)
        moved = self._tell(before, shape, run_id)
        if moved or not before.choices or before.volatile != shape.volatile:
            self._write(shape)
        return moved and bool(before.choices)

    def _stored(self, resource: str) -> Shape:
        if self._rows is None:
            self._rows = {}
            for of, *row in self._warehouse.rows("select resource, part, paths, source, evidence from ops.shapes"):
                self._rows.setdefault(of, []).append((row[0], row[1], row[2], row[3]))
        shape = Shape(resource)
        for part, paths, source, evidence in self._rows.get(resource, ()):
            found = tuple(tuple(path) for path in json.loads(paths))
            if part == _VOLATILE:
                shape.volatile = frozenset(path[0] for path in found)
            else:
                shape.choices[part] = Choice(found, source, evidence)
        return shape

    def _tell(self, before: Shape, after: Shape, run_id: str) -> bool:
        changes = []
        for part in sorted(before.choices.keys() | after.choices.keys()):
            old, new = before.choices.get(part), after.choices.get(part)
            if (old.paths if old else None) != (new.paths if new else None):
                changes.append([run_id, after.resource, "shape", part, _told(old), _told(new)])
        self._warehouse.add("ops.schema_changes", [*changes, *_newly_volatile(before, after, run_id)])
        return bool(changes)

    def unread(self) -> list[tuple[str, str, str]]:
        """What records hold and nothing could be made of: resource, part and evidence."""
        query = "select resource, part, evidence from ops.shapes where source = ? order by all"
        return [(resource, part, evidence) for resource, part, evidence in self._warehouse.rows(query, [UNREAD])]

    def _write(self, shape: Shape) -> None:
        self._rows = None
        self._warehouse.execute("delete from ops.shapes where resource = ?", [shape.resource])
        rows = [
            (part, choice.text, choice.paths, choice.source, choice.evidence)
            for part, choice in sorted(shape.choices.items())
        ]
        if shape.volatile is not None:
            leaves = tuple((path,) for path in sorted(shape.volatile))
            evidence = "differs between two readings of every record" if leaves else "no member differs by itself"
            rows.append((_VOLATILE, ", ".join(sorted(shape.volatile)), leaves, "found", evidence))
        told = [(shape.resource, part, text, json.dumps(paths), *why) for part, text, paths, *why in rows]
        self._warehouse.add("ops.shapes", told)


def _newly_volatile(before: Shape, after: Shape, run_id: str) -> list[list[str | None]]:
    """What no longer counts as a change, or does again; what the first run finds is no change of shape."""
    if before.volatile is None or after.volatile is None or before.volatile == after.volatile:
        return []
    texts = [", ".join(sorted(volatile)) or None for volatile in (before.volatile, after.volatile)]
    return [[run_id, after.resource, _VOLATILE, _VOLATILE, *texts]]


def _told(choice: Choice | None) -> str | None:
    if choice is None:
        return None
    return f"unread: {choice.evidence}" if choice.source == UNREAD else choice.text
