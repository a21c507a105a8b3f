"""Promises of the codes that refused writes come with (API §7)."""

from propsync.api import WriteErrorCode
from propsync.errors import RequestRefused

CODES = {
    "PropertyIdRequired",
    "AssetTypeIdRequired",
    "PropertyAssetIdRequired",
    "PropertyAssetValuesInvalidFormat",
    "PropertyNotFound",
    "AssetTypeNotFound",
    "PropertyAssetNotFound",
    "FieldInvalidNotSupported",
    "PropertyAssetValuesInvalid",
}


def test_the_nine_codes_are_known_each_with_a_meaning_and_a_next_step():
    assert {code.value for code in WriteErrorCode} == CODES
    assert all(code.meaning and code.next_step for code in WriteErrorCode)


def test_a_code_that_is_none_of_the_nine_is_no_member():
    assert WriteErrorCode.of("PageTooHigh") is None
    assert WriteErrorCode.of(None) is None


def test_three_of_them_say_that_something_is_gone():
    gone = {code for code in CODES if RequestRefused("a", "b", code=code).says_not_found}
    assert gone == {"PropertyNotFound", "AssetTypeNotFound", "PropertyAssetNotFound"}
