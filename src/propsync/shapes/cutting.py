"""How a resource's pages are cut, as their shape is known."""

from __future__ import annotations

from propsync.records import Cutter
from propsync.resources import Resource
from propsync.shapes.choice import Shape


def cutter_of(shape: Shape, resource: Resource) -> Cutter:
    """A cutter for the resource's pages as their shape is known."""
    paths = shape.paths("list")
    return Cutter(paths[0] if paths else None, tuple(shape.paths(role) for role in resource.key))
