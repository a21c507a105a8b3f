"""Promises about errors in place of records: what counts as one, and what is a record that mentions an error."""

import pytest

from propsync.records import has_error, is_error

ID = ((("id",),),)
PAIR = ((("property",), ("asset",)), (("type",),))


@pytest.mark.parametrize(
    "record",
    [
        b'{"id": "a", "error": "could not be read"}',
        b'{"error": {"code": 500, "message": "x"}, "id": "a"}',
        b'{"id": "a", "errors": ["x"], "message": "x", "statusCode": 500}',
        b'{"id": "a", "Error": "x", "property": null, "type": "", "fields": []}',
        b'{"id": "a", "error": "x", "fields": [ ], "flags": [\n]}',
    ],
)
def test_an_error_with_nothing_but_the_key_is_an_error(record):
    assert is_error(record, ID)


@pytest.mark.parametrize(
    "record",
    [
        b'{"id": "a"}',
        b'{"id": "a", "error": null}',
        b'{"id": "a", "error": "", "code": "x"}',
        b'{"id": "a", "message": "an error"}',
        b'{"id": "a", "errors": 0}',
        b'{"id": "a", "property": "p", "error": "x"}',
        b'{"id": "a", "error": "x", "status": "approved"}',
        b'["error"]',
        b'"error"',
        b'{"id": "error"',
        b'{"id": "a", "message": "%s", "error": "x"}' % (b"x" * 400),
    ],
)
def test_a_record_that_mentions_an_error_is_no_error(record):
    assert not is_error(record, ID)


def test_each_member_of_a_key_may_stand_beside_an_error():
    assert is_error(b'{"property": "p", "asset": "p", "type": "t", "error": "x"}', PAIR)
    assert not is_error(b'{"property": "p", "type": "t", "dueDate": "2027-01-01", "error": "x"}', PAIR)


@pytest.mark.parametrize(
    "error",
    [
        b'"database"',
        b'["shard 3 timed out"]',
        b'[{"code": "SHARD_TIMEOUT"}]',
        b'{"status": 503}',
        b"true",
        b'"no"',
    ],
)
def test_a_page_may_say_an_error_in_place_of_its_records(error):
    assert has_error(b'{"total": 0, "assets": [], "types": [{"id": "t"}], "Errors": %s}' % error)


@pytest.mark.parametrize(
    ("error", "is_sure"), [("DB_TIMEOUT", True), ("No shards left", True), ("Keine Treffer", False)]
)
def test_an_error_is_surely_a_fault_by_a_word_for_one(error, is_sure):
    page = b'{"total": 0, "error": "%s"}' % error.encode()
    assert has_error(page)
    assert has_error(page, is_sure=True) is is_sure


@pytest.mark.parametrize(
    "page",
    [
        b'{"total": 0}',
        b'{"total": 0, "error": ""}',
        b'{"total": 0, "errors": [ ], "error": false}',
        b'{"total": 0, "error": "No assets"}',
        b'{"total": 0, "errors": [{"code": "PropertyAssetNotFound"}]}',
        b'{"total": 0, "error": "The asset does not exist"}',
        b'{"total": 0, "error": {"status": 404}}',
        b'{"total": 0, "error": "OK"}',
        b'{"total": 0, "error": "0"}',
        b'{"total": 0, "error": "ZERO_RESULTS"}',
        b'{"total": 0, "errors": ["NoRecordsFound"]}',
        b'{"total": 0, "error": "Nothing found"}',
        b'{"total": 0, "error": {"code": 0, "status": 200, "message": "Success", "details": []}}',
        b'{"total": 0, "error": {"code": null, "message": ""}}',
        b'{"total": 0, "message": "error"}',
        b"[]",
        b"{",
    ],
)
def test_a_page_without_records_may_be_empty_for_good_reasons(page):
    assert not has_error(page)
