"""Promises of members that come twice: the last counts, at any depth, and nothing else of the record changes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.records import without_repeats

NAMES = st.sampled_from(['"a"', '"b"', '"\\u0061"', '"a\\u0022:"', '"\\":"', '"\\u003a"', '""'])
BLANKS = st.sampled_from(["", "", "", " ", "\n"])
SCALARS = st.sampled_from(["1", "-0", "12.50", "1E400", "null", "true", '"x"', '"\\":"', '"\\u0022:"', '": "', '"\\/"'])


def objects(inner):
    return st.lists(st.builds("{}{}:{}{}".format, NAMES, BLANKS, BLANKS, inner), max_size=4).map(
        lambda members: "{" + ",".join(members) + "}"
    )


def arrays(inner):
    return st.lists(inner, max_size=3).map(lambda found: "[" + ",".join(found) + "]")


RECORDS = objects(st.recursive(SCALARS, lambda inner: objects(inner) | arrays(inner), max_leaves=8))


def read(text):
    """Numbers as written; of a member that comes twice the last, as Python's own decoder has it."""
    return json.loads(text, parse_int=str, parse_float=str)


def repeats(text):
    found = []
    json.loads(text, object_pairs_hook=lambda members: found.append(len(dict(members)) < len(members)))
    return any(found)


@given(st.lists(RECORDS, min_size=1, max_size=4))
def test_every_member_is_left_once_with_its_last_value(records):
    found = without_repeats([record.encode() for record in records])
    for record, kept in zip(records, found, strict=True):
        assert read(kept) == read(record)
        assert not repeats(kept)
        if not repeats(record):
            assert kept.decode() == record


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        (b'{"a":1,"b":2,"a":3}', b'{"a":3,"b":2}'),
        (b'{"f":[{"v":1.50,"v":2.50}]}', b'{"f":[{"v":2.50}]}'),
        (b'{"a":1,"\\u0061":1e400}', b'{"a":1e400}'),
        (b'{"t":"\\":","a":1}', b'{"t":"\\":","a":1}'),
    ],
)
def test_examples(record, kept):
    assert without_repeats([record]) == [kept]
