"""Finds the shapes inside landed records from a sample: fields, field results, flags, due dates, users."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from propsync.landing import Manifest, PageStore
from propsync.resources import ASSESSMENTS, ASSET_TYPES, ASSETS, SCHEDULES
from propsync.shapes.choice import Shape
from propsync.shapes.cutting import cutter_of
from propsync.shapes.definitions import field_ids, find_definition_shape
from propsync.shapes.flags import find_flag_history
from propsync.shapes.misfits import settle_values
from propsync.shapes.results import find_result_shape
from propsync.shapes.sampling import BESIDE, sample, types_beside, types_of
from propsync.shapes.similar_names import settle_members
from propsync.shapes.unread import settle_assigned_users, settle_due_dates, settle_flags, settle_read


def find_nested_shapes(
    pages: PageStore,
    shapes: Mapping[str, Shape],
    types: Manifest | None,
    manifest: Manifest | None,
    earlier: Callable[[], Collection[str]] = tuple,
) -> None:
    """Settles the inner parts of `shapes`, by resource, before propsync merges a snapshot.

    `earlier` gives the ids of fields that asset types have or had before.
    """
    if ASSETS.name in shapes:
        _find_asset_shapes(pages, shapes, types, manifest, earlier())
    elif ASSESSMENTS.name in shapes and manifest is not None:
        shape = shapes[ASSESSMENTS.name]
        assessments = sample(pages, manifest, cutter_of(shape, ASSESSMENTS))
        find_flag_history(shape, assessments, is_whole=not manifest.filters)
        settle_flags(shape, assessments, is_whole=not manifest.filters)
        settle_members(shape, ASSESSMENTS, assessments, is_whole=not manifest.filters)
    elif SCHEDULES.name in shapes and manifest is not None:
        shape = shapes[SCHEDULES.name]
        schedules = sample(pages, manifest, cutter_of(shape, SCHEDULES))
        settle_due_dates(shape, schedules, is_whole=not manifest.filters)
        settle_assigned_users(shape, schedules, is_whole=not manifest.filters)
        settle_members(shape, SCHEDULES, schedules, is_whole=not manifest.filters)


def _find_asset_shapes(
    pages: PageStore,
    shapes: Mapping[str, Shape],
    types: Manifest | None,
    manifest: Manifest | None,
    earlier: Collection[str],
) -> None:
    type_shape, asset_shape = shapes[ASSET_TYPES.name], shapes[ASSETS.name]
    assets = sample(pages, manifest, cutter_of(asset_shape, ASSETS)) if manifest else []
    listed = [landed for landed in (types.landed if types else []) if landed.role == "page"]
    known = [one for landed in listed for one in types_of(pages, landed, cutter_of(type_shape, ASSET_TYPES))]
    known += [one for landed in (types_beside(manifest) if manifest else []) for one in types_of(pages, landed, BESIDE)]
    find_definition_shape(type_shape, known, assets, ("fields",))
    find_result_shape(asset_shape, assets, field_ids(known, type_shape))
    is_whole = manifest is not None and not manifest.filters
    settle_read(type_shape, asset_shape, known, assets, is_whole=is_whole, earlier=earlier)
    if is_whole:
        settle_values(type_shape, asset_shape, known, assets)
