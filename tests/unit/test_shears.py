"""Shears cut what is hidden and leave every other byte."""

from __future__ import annotations

import json

import pytest

from propsync.merge.hiding import cut_rejected
from propsync.records import Shears

FIELDS = b'"fields":[{"field":"f1","value":"a"},{"field":"f2","value":2.50}]'


@pytest.mark.parametrize(
    ("shears", "before", "after"),
    [
        (Shears([("a",)]), b'{"a": 1, "b": 1.20}', b'{"b":1.20}'),
        (Shears([("a", "b")]), b'{"a":[{"b":1,"c":2},{"c":3}]}', b'{"a":[{"c":2},{"c":3}]}'),
        (Shears([("a", "b"), ("a",)]), b'{"a":{"b":1},"c":2}', b'{"c":2}'),
        (Shears([], ["f1"], [("field",)]), b"{" + FIELDS + b"}", b'{"fields":[{"field":"f2","value":2.50}]}'),
        (Shears([], ["f1"], [("field",)]), b'{"fields":[{"field":"\\u0066\\u0031"}]}', b'{"fields":[]}'),
        (Shears([], ["7"], [("field",)]), b'{"fields":[{"field":7},{"field":8}]}', b'{"fields":[{"field":8}]}'),
        (Shears([], ["f1"], [("of", "id")]), b'{"fields":[{"of":{"id":"f1"}},3]}', b'{"fields":[3]}'),
        (Shears([], ["f1"], [()]), b'{"fields":{"f1":1,"f2":2}}', b'{"fields":{"f2":2}}'),
        (Shears([], ["f1"], [("id",), ()]), b'{"fields":[{"id":"f1"},{"id":"f2"}]}', b'{"fields":[{"id":"f2"}]}'),
        (Shears([], ["f1"]), b'{"fields":[{"who":"knows"}],"a":1}', b'{"a":1}'),
        (Shears([("a",)]), b"[1]", b"null"),
        (Shears([("a",)]), b'"text"', b"null"),
    ],
)
def test_what_is_hidden_goes_and_other_bytes_stay(shears: Shears, before: bytes, after: bytes) -> None:
    assert shears.cut(before) == after


@pytest.mark.parametrize("record", [b'{"b": {"a": 1}}', b"{" + FIELDS.replace(b"f1", b"f3") + b"}", b'{"fields":7}'])
def test_a_record_with_nothing_hidden_is_the_same_object(record: bytes) -> None:
    assert Shears([("a",), ("fields", "x")], ["f1"], [("field",)]).cut(record) is record


def test_shears_remember_which_paths_they_met() -> None:
    shears = Shears([("a", "b"), ("c",)])
    shears.cut(b'{"a":{"b":1}}')
    assert shears.met == {("a", "b")}


def test_a_rejected_record_shows_no_earlier_copy_of_a_member() -> None:
    payload = '{"fields":[{"field":"h","value":"zqx"}],"more":{"occupant":"zqx"},"fields":[],"more":1}'
    shears = Shears([("more", "occupant")], ["h"], [("field",)])
    [cut] = cut_rejected(shears, [("all", 3, "no usable key", payload)])
    assert cut[:3] == ("all", 3, "no usable key")
    assert json.loads(cut[3]) == {"fields": [], "more": 1}
    assert "zqx" not in cut[3]
