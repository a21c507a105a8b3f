"""Finds the shapes inside landed records from a sample: fields, field results, flags, due dates, users."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from propsync.landing import Manifest, PageStore
from propsync.resources import ASSESSMENTS, ASSET_TYPES, ASSETS, SCHEDULES
from propsync.shapes.choice import Shape
from propsync.shapes.cutting import cutter_of
from propsync.shapes.definitions import field_ids, find_definition_shape, option_ids
from propsync.shapes.flags import find_flag_history
from propsync.shapes.misfits import settle_values
from propsync.shapes.results.shape import find_result_shape
from propsync.shapes.sampling import BESIDE, sample, types_beside, types_of
from propsync.shapes.similar_names import settle_members, settle_property
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
        found = sample(pages, manifest, cutter_of(shape, ASSESSMENTS))
        look_into_assessments(shape, found, is_whole=not manifest.filters)
    elif SCHEDULES.name in shapes and manifest is not None:
        shape = shapes[SCHEDULES.name]
        found = sample(pages, manifest, cutter_of(shape, SCHEDULES))
        look_into_schedules(shape, found, is_whole=not manifest.filters)


def look_into_assets(
    types: Shape,
    assets: Shape,
    listed: Sequence[Any],
    records: Sequence[Any],
    *,
    earlier: Collection[str] = (),
    is_whole: bool = True,
) -> None:
    """Settles the inner parts of asset types and assets from these records. No filter chose them if `is_whole`."""
    find_definition_shape(types, listed, records, ("fields",), is_whole=is_whole)
    find_result_shape(assets, records, field_ids(listed, types), option_ids(listed, types), is_whole=is_whole)
    settle_read(types, assets, listed, records, is_whole=is_whole, earlier=earlier)
    settle_members(types, ASSET_TYPES, listed, is_whole=is_whole)
    settle_members(assets, ASSETS, records, is_whole=is_whole)
    settle_property(assets, records, is_whole=is_whole)
    if is_whole:
        settle_values(types, assets, listed, records)


def look_into_assessments(shape: Shape, records: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles the inner parts of assessments in the same way."""
    find_flag_history(shape, records, is_whole=is_whole)
    settle_flags(shape, records, is_whole=is_whole)
    settle_members(shape, ASSESSMENTS, records, is_whole=is_whole)


def look_into_schedules(shape: Shape, records: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles the inner parts of schedules in the same way."""
    settle_due_dates(shape, records, is_whole=is_whole)
    settle_assigned_users(shape, records, is_whole=is_whole)
    settle_members(shape, SCHEDULES, records, is_whole=is_whole)


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
    is_whole = manifest is not None and not manifest.filters
    look_into_assets(type_shape, asset_shape, known, assets, earlier=earlier, is_whole=is_whole)
