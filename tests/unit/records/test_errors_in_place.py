"""Promises about errors in place of records: what counts as one, and what is a record that mentions an error."""

import pytest

from propsync.records import is_error

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
