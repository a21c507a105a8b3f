"""The shapes that the API's document omits: propsync finds them in the data and shows the evidence."""

from propsync.shapes.choice import UNREAD, Choice, Shape, configured, refuse_volatile_roles
from propsync.shapes.cutting import cutter_of
from propsync.shapes.definitions import choice_ids, find_definition_shape
from propsync.shapes.lists import find_list, refuse_list_astray
from propsync.shapes.nested import (
    find_nested_shapes,
    look_into_assessments,
    look_into_assets,
    look_into_schedules,
)
from propsync.shapes.results.shape import find_result_shape, kinds_without_results
from propsync.shapes.roles import find_roles
from propsync.shapes.volatile import by_key, find_volatile

__all__ = [
    "UNREAD",
    "Choice",
    "Shape",
    "by_key",
    "choice_ids",
    "configured",
    "cutter_of",
    "find_definition_shape",
    "find_list",
    "find_nested_shapes",
    "find_result_shape",
    "find_roles",
    "find_volatile",
    "kinds_without_results",
    "look_into_assessments",
    "look_into_assets",
    "look_into_schedules",
    "refuse_list_astray",
    "refuse_volatile_roles",
]
