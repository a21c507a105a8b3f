"""Half letters are replaced, everything else stays as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.records import mended


@given(st.text())
def test_whole_texts_are_the_very_same_bytes(text: str):
    body = json.dumps(text).encode()
    assert mended(body) is body


@given(st.text(max_size=20), st.text(max_size=20), st.integers(0xD800, 0xDFFF))
def test_half_a_letter_between_whole_ones_is_replaced(before: str, after: str, half: int):
    body = (json.dumps(before)[:-1] + f"\\u{half:04x}." + json.dumps(after)[1:]).encode()
    assert json.loads(mended(body)) == f"{before}\ufffd.{after}"


@pytest.mark.parametrize("text", [rb'"\\ud83d"', rb'"\ud83d\ude00"', rb'"\uD83D\uDE00"', rb'"\n\u0041"'])
def test_what_only_looks_like_half_a_letter_stays(text: bytes):
    assert mended(text) is text
