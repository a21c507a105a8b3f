"""The words of an error body beside its code: the document shows no such member, so all usual forms count."""

from __future__ import annotations

import json
from typing import Any

import pytest

from propsync import log
from propsync.api.error_words import error_words

DETAIL = {"loc": ["body", "values", "f1"], "msg": "Input should be a date", "type": "date", "input": "31/02"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"message": "The given data was invalid.", "errors": {"values.f1": ["Not a date.", "Too long."]}},
         "values.f1: Not a date; values.f1: Too long"),
        ({"code": "X", "error": {"message": "Invalid", "details": [{"field": "f1", "message": "too long"}]}},
         "f1: too long"),
        ({"detail": [DETAIL]}, "f1: Input should be a date"),
        ({"errors": [{"source": {"pointer": "/values/f1"}, "title": "Wrong", "detail": "must be below 5"}]},
         "/values/f1: must be below 5"),
        ({"violations": [{"propertyPath": "values[f1]", "message": "This is blank."}]}, "values[f1]: This is blank"),
        ({"errors": {"values": {"f1": ["too long"]}}}, "f1: too long"),
        ({"errors": ["a value is too long"]}, "a value is too long"),
        ({"errors": {"description": ["blank"]}}, "description: blank"),
        ({"title": "Unprocessable", "status": 422, "detail": "a date is in the past"}, "a date is in the past"),
    ],
)  # fmt: skip
def test_a_refusal_in_any_usual_form_says_what_is_wrong_with_which_field(body: Any, words: str) -> None:
    assert error_words(json.dumps(body).encode()) == words


@pytest.mark.parametrize(
    "body", [b"", b"no JSON", b"[]", b'"text"', b'{"code": "X", "status": 422, "ids": ["a"]}', b"[" * 100_000]
)
def test_what_says_nothing_in_words_has_none(body: bytes) -> None:
    assert error_words(body) is None


def test_the_words_are_one_bounded_line_without_a_secret() -> None:
    log.conceal("tok-0123456789")
    words = error_words(json.dumps({"message": "tok-0123456789\n\x1b[2J" + "x" * 1_000}).encode())
    assert words is not None
    assert "tok-0123456789" not in words
    assert words.isprintable()
    assert (len(words), words[-1]) == (300, "…")
