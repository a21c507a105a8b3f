"""An open ZIP, the declared facts of its members, and the header before each of them."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from propsync.errors import DocumentDamaged

IS_HEADER = b"PK\x03\x04"
_HEADER = struct.Struct("<4s5H3L2H")
_ELSEWHERE = 0xFFFF_FFFF  # the number is too large for its place, and is in an extra field
_ZIP_64 = 1  # the id of that extra field
_ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13  # the member, strongly, the directory itself
_FOLLOWING = 1 << 3  # the sizes and the checksum follow the member


class ZipRefused(Exception):
    """Why propsync opens a ZIP no further; no error, because the ZIP is whole and propsync keeps it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class ZipSource:
    """An open ZIP of `size` bytes; `file` is its descriptor, `name` is for messages."""

    file: int
    name: str
    size: int

    def at(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes. Raises DocumentDamaged if the ZIP has fewer."""
        if offset + length > self.size:
            raise self.damaged("it is cut short")
        read = os.pread(self.file, length, offset)
        if len(read) < length:
            raise self.damaged("it became shorter while it was read")
        return read

    def damaged(self, what: str) -> DocumentDamaged:
        return DocumentDamaged(self.name, what)


@dataclass(slots=True)
class DirectoryEntry:
    """The directory's facts about one member; sizes and places are in bytes, `limit` is the place of the next thing."""

    number: int
    spelt: bytes
    flags: int
    method: int
    crc32: int
    packed: int
    unpacked: int
    mode: int
    offset: int
    limit: int

    @property
    def name(self) -> str:
        """UTF-8 if the name is valid UTF-8, whether flagged or not (many writers omit the flag); else code page 437.

        This cannot fail: that code page has a character for every byte.
        """
        try:
            return self.spelt.decode()
        except UnicodeDecodeError:
            return self.spelt.decode("cp437")

    @property
    def is_encrypted(self) -> bool:
        return bool(self.flags & _ENCRYPTED)

    @property
    def least_end(self) -> int:
        """The end of the member, if its header has no extra fields."""
        return self.offset + _HEADER.size + len(self.spelt) + self.packed


@contextmanager
def open_zip(path: Path) -> Iterator[ZipSource]:
    """The ZIP, open for reading. Raises OSError."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield ZipSource(file, path.name, os.fstat(file).st_size)
    finally:
        os.close(file)


class Own(NamedTuple):
    """The start of a member's packed bytes, and whether its own header agrees with the directory."""

    start: int
    is_as_declared: bool


def own_header(source: ZipSource, entry: DirectoryEntry) -> Own:
    """The header before a member.

    Raises DocumentDamaged if no header is at the declared place, ZipRefused if it says that the member is encrypted.
    """
    signature, _, flags, _, _, _, crc32, *sizes, name_length, extra_length = _HEADER.unpack(
        source.at(entry.offset, _HEADER.size)
    )
    names = source.at(entry.offset + _HEADER.size, name_length + extra_length)
    start = entry.offset + _HEADER.size + len(names)
    if signature != IS_HEADER or start + entry.packed > entry.limit:
        raise source.damaged(f"member {entry.number} is not where the directory says")
    if flags & _ENCRYPTED:
        raise ZipRefused("a member is encrypted")
    packed, unpacked = sizes
    unpacked, packed, _ = wide_numbers(names[name_length:], (unpacked, packed, 0))
    # a server that streams knows them only after it wrote the member: they follow it
    is_known = not flags & _FOLLOWING
    is_differing = is_known and (crc32, packed, unpacked) != (entry.crc32, entry.packed, entry.unpacked)
    return Own(start, names[:name_length] == entry.spelt and not is_differing)


def wide_numbers(extra: bytes, numbers: tuple[int, int, int]) -> list[int]:
    """The numbers; those too large for their place come from the zip64 field, in the same order."""
    if _ELSEWHERE not in numbers:
        return list(numbers)
    field = _zip_64_field(extra)
    wide = struct.iter_unpack("<Q", field[: len(field) // 8 * 8])
    return [next(wide, (number,))[0] if number == _ELSEWHERE else number for number in numbers]


def _zip_64_field(extra: bytes) -> bytes:
    """The content of the zip64 field, empty if it is absent; ignores everything after a broken one."""
    at = 0
    while at + 4 <= len(extra):
        field, length = struct.unpack_from("<2H", extra, at)
        if field == _ZIP_64:
            return extra[at + 4 : at + 4 + length]
        at += 4 + length
    return b""
