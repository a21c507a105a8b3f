"""Stores the shapes found in `ops.shapes`, and reports changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from propsync.shapes import UNREAD, Choice, Shape, configured, refuse_volatile_roles
from propsync.warehouse import Warehouse, statement

_VOLATILE = "volatile"


def stored_shape(resource: str, rows: Iterable[tuple[str, str, str, str]]) -> Shape:
    """A shape from its rows of `ops.shapes`: part, paths, source and evidence."""
    shape = Shape(resource)
    for part, paths, source, evidence in rows:
        found = tuple(tuple(path) for path in json.loads(paths))
        if part == _VOLATILE:
            shape.volatile = frozenset(path[0] for path in found)
        else:
            shape.choices[part] = Choice(found, source, evidence)
    return shape


def overridden(shape: Shape, decided: Shape) -> Shape:
    """The shape with the parts that propsync.toml decides now in place of those that it decided earlier."""
    # propsync must find a part again that propsync.toml no longer has
    shape.choices = {part: choice for part, choice in shape.choices.items() if choice.source != "configured"}
    shape.choices.update(decided.choices)
    shape.volatile = shape.volatile if decided.volatile is None else decided.volatile
    return shape


class ShapeStore:
    """Shapes by resource: from propsync.toml, else from earlier runs."""

    def __init__(self, warehouse: Warehouse, overrides: Mapping[str, Any]) -> None:
        self._warehouse = warehouse
        self._overrides = overrides
        self._rows: dict[str, list[tuple[str, str, str, str]]] | None = None

    def get(self, resource: str) -> Shape:
        """The shape before this run."""
        return self.overridden(self._stored(resource))

    def overridden(self, shape: Shape) -> Shape:
        """The shape with propsync.toml's present parts in place of its earlier ones."""
        merged = overridden(shape, self.decided(shape.resource))
        self.check_volatile(merged)
        return merged

    def check_volatile(self, shape: Shape) -> None:
        """Raises SettingsError if propsync.toml names a volatile member that decides what a record is."""
        if self.decided(shape.resource).volatile:
            refuse_volatile_roles(shape, self._warehouse.catalogue[shape.resource])

    def decided(self, resource: str) -> Shape:
        """The parts of a shape that propsync.toml decides."""
        return configured(self._overrides, resource, self._warehouse.catalogue)

    def is_whole(self, shape: Shape) -> bool:
        """Whether the shape still has every part ever found: propsync must find parts again that propsync.toml no
        longer has.
        """
        stored = self._stored(shape.resource).choices
        return bool(stored) and stored.keys() <= shape.choices.keys()

    def put(self, shape: Shape, run_id: str) -> bool:
        """Stores a shape, inside the caller's transaction; returns whether a path moved, so that propsync must build
        tables again.
        """
        before = self._stored(shape.resource)
        moved = self._note_differences(before, shape, run_id)
        if moved or not before.choices or before.volatile != shape.volatile:
            self._write(shape)
        # what propsync never compares decides how long a value held
        is_compared_otherwise = (before.volatile or frozenset()) != (shape.volatile or frozenset())
        return (moved or is_compared_otherwise) and bool(before.choices)

    def _stored(self, resource: str) -> Shape:
        if self._rows is None:
            self._rows = {}
            for of, *row in self._warehouse.rows(statement("merge/shapes")):
                self._rows.setdefault(of, []).append((row[0], row[1], row[2], row[3]))
        return stored_shape(resource, self._rows.get(resource, ()))

    def _note_differences(self, before: Shape, after: Shape, run_id: str) -> bool:
        changes = []
        for part in sorted(before.choices.keys() | after.choices.keys()):
            old, new = before.choices.get(part), after.choices.get(part)
            if _read(old) != _read(new):
                changes.append([run_id, after.resource, "shape", part, _described(old), _described(new)])
        self._warehouse.add("ops.schema_changes", [*changes, *_newly_volatile(before, after, run_id)])
        return bool(changes)

    def unread(self) -> list[tuple[str, str, str]]:
        """The parts of records that propsync cannot read: resource, part and evidence."""
        rows = self._warehouse.rows(statement("merge/unread_parts"), {"source": UNREAD})
        return [(resource, part, evidence) for resource, part, evidence in rows]

    def _write(self, shape: Shape) -> None:
        self._rows = None
        self._warehouse.execute(statement("merge/forget_shape"), {"resource": shape.resource})
        rows = [
            (part, choice.text, choice.paths, choice.source, choice.evidence)
            for part, choice in sorted(shape.choices.items())
        ]
        if shape.volatile is not None:
            leaves = tuple((path,) for path in sorted(shape.volatile))
            words = "differs at each of three readings, in every record of page 1 that has it"
            evidence = words if leaves else "no member differs at each reading of page 1"
            rows.append((_VOLATILE, ", ".join(sorted(shape.volatile)), leaves, "found", evidence))
        new_rows = [(shape.resource, part, text, json.dumps(paths), *why) for part, text, paths, *why in rows]
        self._warehouse.add("ops.shapes", new_rows)


def _newly_volatile(before: Shape, after: Shape, run_id: str) -> list[list[str | None]]:
    """Members that no longer count as a change, or do again; the findings of a first run are no change of shape."""
    if before.volatile is None or after.volatile is None or before.volatile == after.volatile:
        return []
    texts = [", ".join(sorted(volatile)) or None for volatile in (before.volatile, after.volatile)]
    return [[run_id, after.resource, _VOLATILE, _VOLATILE, *texts]]


def _read(choice: Choice | None) -> tuple[object, ...] | None:
    """Where propsync reads a part, and whether it can; None for a part that it never looked for."""
    return (choice.paths, choice.source == UNREAD) if choice else None


def _described(choice: Choice | None) -> str | None:
    if choice is None:
        return None
    return f"unread: {choice.evidence}" if choice.source == UNREAD else choice.text
