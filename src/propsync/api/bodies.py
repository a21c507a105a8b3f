"""Checks that a good answer's body is of the requested kind."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

import msgspec

from propsync.api.requests import Accept
from propsync.errors import MalformedBody
from propsync.file_kinds import PDF_BEGINNING, is_pdf
from propsync.records import mended, shallow

_HEADERS: dict[Accept, tuple[Callable[[bytes], bool], str]] = {
    Accept.PDF: (is_pdf, "a PDF"),
    Accept.ZIP: (lambda start: start.startswith(b"PK"), "a ZIP"),
}
HEADER_BYTES = PDF_BEGINNING
_PIECE = 65_536  # bytes
_OLDEST = 3_600  # seconds: an answer from a cache, although each request asks for a fresh one
_AGE = re.compile(r"\s*([0-9]{1,12})\s*")
_FIRST_SIGN = re.compile(rb"(?:\xff\xfe|\xfe\xff)?[\0 \t\r\n]*[{\[]")  # of JSON in any encoding, and of no login page
_NO_NUMBER = re.compile(rb'"(?:[^"\\]|\\.)*"?|(-?(?:NaN|Infinity))\b', re.DOTALL)  # texts too, to pass over them
_BEFORE_TEXT = codecs.BOM_UTF8 + b" \t\r\n"
_VALID = "Ask the people who run the API, or your proxy, for whole, valid JSON in UTF-8: propsync reads no other page"


def check_body(accept: Accept, body: bytes, where: str, *, walk: bool = True) -> None:
    """Checks a whole body. Raises MalformedBody if it is not the expected JSON, PDF or ZIP.

    Without `walk` it reads only the first sign of JSON, for a caller that reads the whole body and calls `check_text`.
    """
    if accept in (Accept.JSON, Accept.JSON_OR_NULL):
        _check_json(body, where, null_allowed=accept is Accept.JSON_OR_NULL, walk=walk)
    else:
        check_header(accept, body[:HEADER_BYTES], where)


def check_age(age: str | None, where: str) -> None:
    """Checks the Age header, in which caches say how long they have kept an answer. Raises MalformedBody if that is
    long: the records may have changed since.
    """
    seconds = _AGE.fullmatch(age or "")
    if seconds is None or int(seconds[1]) <= _OLDEST:
        return
    what = f"a cache before the API has kept this answer for {int(seconds[1]) // 60:,} minutes"
    step = "Ask the people who run the API, or your proxy, to keep no answers of the API: propsync asks for fresh ones"
    raise MalformedBody(where, what, step)


def check_header(accept: Accept, start: bytes, where: str) -> None:
    """Checks the first bytes of a document. Raises MalformedBody if they are not those of a PDF or ZIP."""
    if accept in _HEADERS and not _HEADERS[accept][0](start):
        raise MalformedBody(where, f"the body is not {_HEADERS[accept][1]}")


def check_text(body: bytes, where: str) -> None:
    """Raises MalformedBody if a body is not UTF-8: `msgspec.Raw` does not check that.

    It checks piece by piece: a page with a single sign beyond Latin-1 takes two or four times its size as one text.
    """
    if body.isascii():
        return
    whole, start = memoryview(body), 0
    while start < len(body):
        end = start + _PIECE
        try:
            start += codecs.utf_8_decode(whole[start:end], "strict", end >= len(body))[1]
        except UnicodeDecodeError as error:
            what = f"the body is not UTF-8 (byte {start + error.start})"
            raise MalformedBody(where, what, _VALID if _FIRST_SIGN.match(body) else None) from error


def _walk(body: bytes) -> None:
    """Walks the text, except the depths that no reader reaches (records.depth)."""
    try:
        _walk_all(body)
    except RecursionError:
        _walk_all(shallow(body))


def _walk_all(body: bytes) -> None:
    """Walks all of it. Half a letter is legal JSON, though msgspec cannot read it (records.surrogates)."""
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except msgspec.DecodeError:
        whole = mended(body)
        if whole is body:
            raise
        msgspec.json.decode(whole, type=msgspec.Raw)


def _check_json(body: bytes, where: str, *, null_allowed: bool, walk: bool) -> None:
    start = body.lstrip(b" \t\r\n")[:1]
    if not start:
        raise MalformedBody(where, "the body is empty")
    is_fit = start in (b"{", b"[") or (null_allowed and start == b"n")
    if is_fit and not walk:
        return
    check_text(body, where)
    try:
        _walk(body)
    except msgspec.DecodeError as error:
        raise MalformedBody(
            where, f"the body is not JSON ({_fault(body, error)})", _VALID if is_fit else None
        ) from error
    if not is_fit:
        raise MalformedBody(where, "the body is JSON, but neither an object nor an array")


def _fault(body: bytes, error: msgspec.DecodeError) -> str:
    """Why a body is not JSON: some programs write NaN or Infinity, and msgspec reports an invalid character."""
    if body.lstrip(_BEFORE_TEXT).startswith(b"<"):
        return "it is a web page or XML"
    words = _NO_NUMBER.finditer(body) if b"NaN" in body or b"Infinity" in body else ()
    first = next((word for word in words if word[1]), None)
    return f"{first[1].decode()} at byte {first.start()}, and JSON has no such number" if first else str(error)
