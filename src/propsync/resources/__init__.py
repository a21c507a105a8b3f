"""What each resource is, as data."""

from propsync.resources.built_in import (
    ASSESSMENT_TYPES,
    ASSESSMENTS,
    ASSET_TYPES,
    ASSETS,
    BUILT_IN,
    SCHEDULES,
    TYPES_BESIDE,
)
from propsync.resources.catalogue import Catalogue
from propsync.resources.further import RESERVED, Definition, catalogue_of, definition_of, further_resources
from propsync.resources.model import COMBINED, ListQuery, Resource, Role

__all__ = [
    "ASSESSMENTS",
    "ASSESSMENT_TYPES",
    "ASSETS",
    "ASSET_TYPES",
    "BUILT_IN",
    "COMBINED",
    "RESERVED",
    "SCHEDULES",
    "TYPES_BESIDE",
    "Catalogue",
    "Definition",
    "ListQuery",
    "Resource",
    "Role",
    "catalogue_of",
    "definition_of",
    "further_resources",
]
