"""Finds an error that an API sent in place of a record, under the record's key, or in place of all records of a list.

The record itself did not change. Its members are only missing from this answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

_MEMBERS: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ERRORS = frozenset({"error", "errors"})
_OF_ERRORS = _ERRORS | {"code", "detail", "details", "errorcode", "errormessage", "message", "statuscode"}
_NOTHING = frozenset({b"null", b'""', b"[]", b"{}", b"false", b"0"})
_SPACES = b" \t\r\n"
# Some services write so that they found nothing, or that all went well.
_FOUND_NOTHING = re.compile(
    r"\b(?:not|nothing|none) found|\b(?:no|zero|0) (?!shards?\b|nodes?\b|connection)\w|\bexists?\b|\bempty\b|\b404\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"fail|time[ds]? ?out|unavailable|exception|internal|database|connection|\bshards?\b|\b5\d\d\b", re.IGNORECASE
)
_BETWEEN_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]")  # of a code, such as ZERO_RESULTS or NoResults
_ALL_WELL = re.compile(r"\W*(?:2\d\d\W+)?(?:ok|none|null|success|false|no error|0+|2\d\d)?\W*", re.IGNORECASE)
_CODE = re.compile(r"\S*\d\S*|true", re.IGNORECASE)  # such as E17: it is in no language
_SUCCESS = frozenset({"success", "issuccess", "succeeded", "ok"})
_OF_REQUEST = re.compile(
    r"(?:request|trace|correlation|span)_?-?id|timestamp|time|date|path|instance|url", re.IGNORECASE
)
_FALSE = (b"false", b'"false"')
_SAYING = _OF_ERRORS | {"messages", "reason", "description", "status"}
_BEGINNING = 400  # bytes: beside an error there is little, and a search of all of every record takes five times as long


def is_error(record: bytes | msgspec.Raw, key_paths: Sequence[Sequence[Sequence[str]]]) -> bool:
    """Whether a record has an error, and beside it nothing but its key and empty members."""
    text = bytes(record)
    if text.find(b"rror", 0, _BEGINNING) < 0:  # nearly every record
        return False
    try:
        members = _MEMBERS.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    of_key = {path[0] for paths in key_paths for path in paths}
    said = (name for name, value in members.items() if bytes(value).translate(None, _SPACES) not in _NOTHING)
    given = {name.casefold() for name in said if name not in of_key}
    return bool(given & _ERRORS) and given <= _OF_ERRORS


def has_error(page: bytes, *, is_sure: bool = False) -> bool:
    """Whether a page has an error, or says that it has no success: that may be the reason why it has no records.

    If it `is_sure`, the error is a bare code, or has a word for a fault. In another language, other words may say that
    nothing was found.
    """
    try:
        members = {name.casefold(): value for name, value in _MEMBERS.decode(page).items()}
        if any(bytes(members[name]) in _FALSE for name in members.keys() & _SUCCESS):
            # other members may say that nothing was found; without a word, it is an error all the same
            said = [bytes(members[name]).decode() for name in members.keys() & _SAYING]
            return _says_fault(f"[{','.join([*said, 'true'])}]", is_sure)
        errors = [bytes(members[name]).decode() for name in members.keys() & _ERRORS]
        return any(_says_fault(error, is_sure) for error in errors)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _says_fault(error: str, is_sure: bool) -> bool:
    words, said = _BETWEEN_WORDS.sub(" ", error), list(_said(msgspec.json.decode(error)))
    if _FOUND_NOTHING.search(words) or not said:
        return False
    return not is_sure or all(map(_CODE.fullmatch, said)) or _FAULT.search(words) is not None


def _said(held: object) -> Iterator[str]:
    """The texts and codes of an error, without those that say that all is well: `{"code": 0, "message": "OK"}`.

    Members about the request, such as `requestId`, say nothing of an error.
    """
    if isinstance(held, dict):
        held = [one for name, one in held.items() if not _OF_REQUEST.fullmatch(name)]
    if isinstance(held, list):
        for one in held:
            yield from _said(one)
    elif held is True or _ALL_WELL.fullmatch(str(held)) is None:
        yield str(held)
