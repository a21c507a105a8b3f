"""Finds the shapes inside records, from a sample of what was landed: fields, field results, flags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from propsync.landing import Manifest, PageStore
from propsync.merge.samples import BESIDE, sample, types_beside, types_of
from propsync.records import first_text
from propsync.resources import ASSESSMENTS, ASSET_TYPES, ASSETS
from propsync.shapes import Shape, find_definition_shape, find_flag_history, find_result_shape
from propsync.shapes.fields import members
from propsync.sweep import cutter_of


def find_inner_shapes(
    pages: PageStore, shapes: Mapping[str, Shape], types: Manifest | None, manifest: Manifest | None
) -> None:
    """Settles the inner parts of `shapes`, by resource, before a snapshot is merged."""
    if ASSETS.name in shapes:
        _find_asset_shapes(pages, shapes, types, manifest)
    elif ASSESSMENTS.name in shapes and manifest is not None:
        shape = shapes[ASSESSMENTS.name]
        find_flag_history(shape, sample(pages, manifest, cutter_of(shape, ASSESSMENTS)))


def _find_asset_shapes(
    pages: PageStore, shapes: Mapping[str, Shape], types: Manifest | None, manifest: Manifest | None
) -> None:
    type_shape, asset_shape = shapes[ASSET_TYPES.name], shapes[ASSETS.name]
    assets = sample(pages, manifest, cutter_of(asset_shape, ASSETS)) if manifest else []
    listed = [landed for landed in (types.landed if types else []) if landed.role == "page"]
    known = [one for landed in listed for one in types_of(pages, landed, cutter_of(type_shape, ASSET_TYPES))]
    known += [one for landed in (types_beside(manifest) if manifest else []) for one in types_of(pages, landed, BESIDE)]
    find_definition_shape(type_shape, known, assets, ("fields",))
    find_result_shape(asset_shape, assets, _field_ids(known, type_shape))


def _field_ids(types: list[Any], shape: Shape) -> set[str]:
    definitions = (definition for asset_type in types for definition in members(asset_type, ("fields",)))
    found = (first_text(definition, shape.paths("field_id")) for definition in definitions)
    return {field_id for field_id in found if field_id}
