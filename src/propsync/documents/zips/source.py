"""An open ZIP, what is declared of its members, and what stands before each of them."""

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
_ELSEWHERE = 0xFFFF_FFFF  # the number is too large for its place, and stands in an extra field
_ZIP_64 = 1  # the id of that extra field
_ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13  # the member, strongly, the directory itself
_FOLLOWING = 1 << 3  # the sizes and the checksum stand after the member


class ZipRefused(Exception):
    """Why a ZIP is not opened further; no error, for it is whole, and kept."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class ZipSource:
    """An open ZIP of `size` bytes; `file` is its descriptor, `name` stands in messages."""

    file: int
    name: str
    size: int

    def at(self, offset: int, length: int) -> bytes:
        """Exactly so many bytes. Raises DocumentDamaged where the ZIP has fewer."""
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
    """What the directory declares of one member; sizes and places are bytes, `limit` is where the next thing begins."""

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
        """UTF-8 where it is that, flagged or not (many writers forget the flag); else the code page of the first ZIPs.

        Neither can fail: that code page has a character for every byte.
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
        """Where it ends, if its header has no extra fields."""
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
    """Where the packed bytes of a member begin, and whether its own header says of them what the directory says."""

    start: int
    is_as_declared: bool


def own_header(source: ZipSource, entry: DirectoryEntry) -> Own:
    """What stands before a member.

    Raises DocumentDamaged where nothing does that the directory could mean, ZipRefused where it says encrypted.
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
    # a server that streams knows them only once the member is written: they follow it
    is_known = not flags & _FOLLOWING
    is_differing = is_known and (crc32, packed, unpacked) != (entry.crc32, entry.packed, entry.unpacked)
    return Own(start, names[:name_length] == entry.spelt and not is_differing)


def wide_numbers(extra: bytes, told: tuple[int, int, int]) -> list[int]:
    """The numbers, those that are too large for their place from the zip64 field, where they stand in this order."""
    if _ELSEWHERE not in told:
        return list(told)
    field = _extra_field(extra, _ZIP_64)
    wide = struct.iter_unpack("<Q", field[: len(field) // 8 * 8])
    return [next(wide, (number,))[0] if number == _ELSEWHERE else number for number in told]


def _extra_field(extra: bytes, wanted: int) -> bytes:
    """What an extra field holds, nothing where it is absent; what follows a broken one is not looked at."""
    at = 0
    while at + 4 <= len(extra):
        field, length = struct.unpack_from("<2H", extra, at)
        if field == wanted:
            return extra[at + 4 : at + 4 + length]
        at += 4 + length
    return b""
