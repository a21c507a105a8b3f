"""Cuts a resource's pages by their known shape."""

from __future__ import annotations

from propsync.records import Cutter
from propsync.resources import Resource
from propsync.shapes.choice import Shape


def cutter_of(shape: Shape, resource: Resource) -> Cutter:
    """A cutter for the resource's pages, by their known shape."""
    paths = shape.paths("list")
    return Cutter(paths[0] if paths else None, tuple(shape.paths(role) for role in resource.key))
