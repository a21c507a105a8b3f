"""Promises about depth: which text lies too deep, and that the rest of it stays as it is."""

import json
import time
from typing import Any

import pytest

from propsync.records import DEEPEST, Cutter, decode_shallow, is_too_deep, shallow


def arrays(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize(("levels", "is_too_much"), [(DEEPEST, False), (DEEPEST + 1, True), (100_000, True)])
def test_a_record_of_more_levels_than_may_be_is_too_deep(levels, is_too_much):
    assert is_too_deep(arrays(levels)) is is_too_much


@pytest.mark.parametrize("flat", [b'"' + b'[{\\"' * 5_000 + b'"', b"[" + b"[]," * 5_000 + b"{}]", b'{"a\\\\":"[["}'])
def test_brackets_in_texts_and_side_by_side_are_no_depth(flat):
    assert not is_too_deep(flat)
    assert shallow(flat, 3) == flat


@pytest.mark.parametrize("mark", ["x", '"', "\\", '\\"', "]", "[", "{[", '"]}'])
@pytest.mark.parametrize(("levels", "is_too_much"), [(DEEPEST - 1, False), (DEEPEST, True)])
def test_texts_beside_brackets_change_no_depth(mark, levels, is_too_much):
    value: Any = [mark]
    for _ in range(levels):
        value = [mark, value, mark] if levels % 2 else {mark: value, "a": [mark]}
    assert is_too_deep(json.dumps(value).encode()) is is_too_much


def test_what_is_left_out_is_what_lies_at_the_level():
    assert shallow(b'{"a":[[1,"]"],2],"b":{"c":{"d":3}},"e":[]}', 2) == b'{"a":[],"b":{},"e":[]}'


def test_a_text_at_the_level_stays_byte_for_byte():
    assert shallow(arrays(96)) == arrays(96)
    assert shallow(arrays(97)) == arrays(96)


@pytest.mark.parametrize("broken", [b"[" * 5_000, arrays(5_000)[:-1], b"[" * 5_000 + b"}" * 5_000])
def test_a_text_that_is_no_json_stays_none(broken):
    with pytest.raises(ValueError):
        json.loads(shallow(broken))


@pytest.mark.parametrize(
    "rest", [b'"' + b'\\"' * 40_000, b'"' + b'\\"' * 40_000 + b"\\", b'"' * 40_001, b"\\" * 80_001]
)
def test_a_text_that_does_not_end_takes_a_moment(rest):
    began = time.process_time()
    with pytest.raises(ValueError):
        decode_shallow(b"[" * 1_100 + rest)
    assert time.process_time() - began < 2  # a search from each quote to the end takes a minute


@pytest.mark.parametrize("levels", [90, 500, 900, 100_000])
def test_values_have_no_more_levels_than_python_takes(levels):
    found, reached = decode_shallow(b'{"id":1,"more":' + arrays(levels) + b"}"), 0
    assert found["id"] == 1
    inner = found["more"]
    while inner:
        inner, reached = inner[0], reached + 1
    assert reached <= 96


def test_a_deep_record_leaves_its_page_whole_and_keeps_its_key():
    deep = b'{"more":' + arrays(100_000) + b',"id":"b"}'
    page = Cutter(("assets",), ((("id",),),))
    cut = page.cut(b'{"total":3,"assets":[{"id":"a"},' + deep + b',{"id":"c"}],"types":[]}')
    assert (cut.total, page.keys(cut.records)) == (3, [("a",), ("b",), ("c",)])
    assert [is_too_deep(one) for one in cut.records] == [False, True, False]
