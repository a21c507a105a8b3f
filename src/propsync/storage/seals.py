"""A small JSON file vouches for its own bytes: its last member, the seal, is a hash of everything before it."""

from __future__ import annotations

import hashlib

_MARK = b',\n "seal": "'
_END = b'"\n}'
_LINE_MARK, _LINE_END = b',"seal":"', b'"}'
_LENGTH = 32  # hex digits: enough against damage; nobody forges one


class SealBroken(ValueError):
    """The bytes have changed since propsync sealed them."""


def sealed(body: bytes) -> bytes:
    """A JSON object, short or written with an indent of one blank, with its seal as the last member."""
    members = body.removesuffix(b"}").removesuffix(b"\n")
    return members + _MARK + _seal(members + b"\n}") + _END


def unsealed(stored: bytes) -> bytes:
    """The object without its seal; unchanged if it never had one. Raises SealBroken."""
    before, mark, after = stored.rpartition(_MARK)
    if not mark:
        return stored
    body = before + b"\n}"
    if after != _seal(body) + _END:
        raise SealBroken("it has changed since propsync wrote it")
    return body


def sealed_line(line: bytes) -> bytes:
    """A JSON object on a line of its own, with its seal as the last member."""
    return line.removesuffix(b"}") + _LINE_MARK + _seal(line) + _LINE_END


def unsealed_line(stored: bytes) -> bytes:
    """The object without its seal. Raises SealBroken, also if it has none: a kill may cut a line off."""
    members, _, after = stored.rpartition(_LINE_MARK)
    line = members + b"}"
    if after != _seal(line) + _LINE_END:
        raise SealBroken("it has changed since propsync wrote it")
    return line


def _seal(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:_LENGTH].encode()
