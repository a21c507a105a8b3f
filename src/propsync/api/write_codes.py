"""The API's codes for a write that it refuses."""

from __future__ import annotations

from enum import Enum


class WriteErrorCode(Enum):
    """The nine codes of API §7, each with its meaning and the next step."""

    meaning: str
    next_step: str

    def __new__(cls, value: str, meaning: str, next_step: str) -> WriteErrorCode:
        member = object.__new__(cls)
        member._value_ = value
        member.meaning = meaning
        member.next_step = next_step
        return member

    @classmethod
    def of(cls, code: str | None) -> WriteErrorCode | None:
        """The member for a code as received, None if it is not one of the nine."""
        return next((member for member in cls if member.value == code), None)

    PROPERTY_ID_REQUIRED = ("PropertyIdRequired", "the property id is missing", "Give the property's id")
    ASSET_TYPE_ID_REQUIRED = ("AssetTypeIdRequired", "the asset type id is missing", "Give the id of an asset type")
    ASSET_ID_REQUIRED = ("PropertyAssetIdRequired", "the asset id is missing", "Give the asset's id")
    VALUES_INVALID_FORMAT = (
        "PropertyAssetValuesInvalidFormat",
        "`values` is not an object keyed by field id",
        "Give the values as an object of field id and value",
    )
    PROPERTY_NOT_FOUND = (
        "PropertyNotFound",
        "the property does not exist, or the token may not see it",
        "Check the property's id",
    )
    ASSET_TYPE_NOT_FOUND = (
        "AssetTypeNotFound",
        "the asset type does not exist",
        "Run `propsync sync --only assets`, then choose from the table asset_types",
    )
    ASSET_NOT_FOUND = (
        "PropertyAssetNotFound",
        "the asset does not exist on that property",
        "Run `propsync sync --only assets`, then check that the asset still exists",
    )
    FIELD_NOT_SUPPORTED = (
        "FieldInvalidNotSupported",
        "a field cannot be written, or does not belong to the asset's type",
        "Leave that field out; image, file and pin fields cannot be written",
    )
    VALUES_INVALID = (
        "PropertyAssetValuesInvalid",
        "a value does not fit its field",
        "Compare the values with the table asset_type_fields, then correct them",
    )
