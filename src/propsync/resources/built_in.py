"""The resources of the API's document: API §4.1 (asset types), 4.2, 4.5, 4.6 (assessment types) and 4.9."""

from __future__ import annotations

from propsync.resources.catalogue import Catalogue
from propsync.resources.model import Resource, Role

TYPES_BESIDE = "types"
"""The member of every page of assets that repeats the asset types (API §4.2)."""

_TYPE_ID = ("id", "uid", "_id", "uuid", "guid", "identifier", "typeid", "assessmenttypeid", "key", "code", "type")
_STATUS = ("status", "state", "stage", "currentstatus", "assessmentstatus")
"""The last two say that a `previousStatus` or `reportStatus` beside them is none."""

ASSET_TYPES = Resource(
    "asset_types",
    "/properties/assets/types",
    key=("id",),
    key_columns=("asset_type_id",),
    list_member="type",  # API §4.1
    is_paged=False,
    is_beside=True,
    roles=(Role("id", documented=("id",), required=True),),
    members={"name": "name", "nameSingular": "name_singular", "fields": ""},
)

ASSETS = Resource(
    "assets",
    "/properties/assets",
    key=("id",),
    key_columns=("asset_id",),
    list_member="assets",  # API §4.2
    roles=(
        Role("id", documented=("id",), required=True),
        Role(
            "type",
            documented=("type",),
            likely=("typeid", "assettype", "assettypeid"),
            matches="asset_type_ids",
            required=True,
            column="asset_type_id",
        ),
        Role("property", documented=("property",), likely=("propertyid",), known="property_ids", column="property_id"),
    ),
    members={"fields": ""},
    id_filter="id",
    held_by=("property", "type"),
    types="asset_types",
    scope={"property": "property", "asset_type": "type", "asset": "id"},
)

ASSESSMENT_TYPES = Resource(
    "assessment_types",
    "/assessments/types",
    key=("id",),
    key_columns=("assessment_type_id",),
    is_paged=False,
    roles=(
        Role("id", likely=_TYPE_ID, known="unique", required=True),
        Role("name", likely=("name", "title", "label", "displayname", "namesingular", "description", "text", "value")),
    ),
)

ASSESSMENTS = Resource(
    "assessments",
    "/assessments",
    key=("id",),
    key_columns=("assessment_id",),
    roles=(
        Role(
            "id",
            likely=(
                *("id", "uid", "_id", "uuid", "guid", "identifier"),
                *("assessmentid", "assessment", "key", "ref", "reference"),
            ),
            known="unique",
            required=True,
        ),
        Role(
            "property",
            likely=("property", "propertyid", "asset", "assetid", "site", "building", "location"),
            known="property_ids",
            column="property_id",
        ),
        Role(
            "type",
            likely=("type", "typeid", "assessmenttype", "assessmenttypeid", "template", "kind", "category"),
            known="assessment_type_ids",
            column="assessment_type_id",
        ),
        Role("status", likely=_STATUS, known="statuses", column="status"),
    ),
    members={"scheduleCustomReference": "schedule_custom_reference", "flags": ""},
    performed=("For", "By"),
    status_setting="assessment_statuses",
    flags=(("includeflags", "true"),),
    id_filter="assessment",
    held_by=("property", "status"),
    types="assessment_types",
    scope={"property": "property", "assessment_type": "type", "assessment": "assessment"},
)

SCHEDULES = Resource(
    "schedules",
    "/assessments/schedules",
    key=("property", "type"),
    key_columns=("property_id", "assessment_type_id"),
    roles=(
        # `asset` is the deprecated name of `property` and replaces it if it is missing (API §2.6)
        Role("property", documented=("property", "asset"), known="property_ids", required=True, column="property_id"),
        Role("type", documented=("type",), known="assessment_type_ids", required=True, column="assessment_type_id"),
        Role("status", documented=("status",), known="statuses", column="status"),
    ),
    members={
        "dueDate": "due_date",
        "description": "description",
        "customReference": "custom_reference",
        "assignedUsers": "assigned_users",
    },
    sets=("assignedUsers",),
    dropped=("asset",),
    status_setting="schedule_statuses",
    held_by=("property", "status"),
    scope={"property": "property", "assessment_type": "type"},
)

BUILT_IN = Catalogue((ASSET_TYPES, ASSETS, ASSESSMENT_TYPES, ASSESSMENTS, SCHEDULES))
"""The resources of every copy."""
