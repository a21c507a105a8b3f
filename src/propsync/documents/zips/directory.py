"""The directory of a ZIP: the places of its members and their declared facts. This module unpacks nothing.

propsync does not use the standard library's zipfile on files from outside. It reads a directory of any length whole,
and does not compare it with its end. It lets members overlap, ignores bytes around the ZIP, and silently cuts a member
at its declared size.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from propsync.documents.zips.source import IS_HEADER, DirectoryEntry, ZipRefused, ZipSource, wide_numbers

_END = struct.Struct("<4s4H2LH")
_LOCATOR_64 = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_IS_END, _IS_LOCATOR_64, _IS_END_64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_IS_ENTRY = b"PK\x01\x02"
_LONGEST_COMMENT = 0xFFFF
_MOST_APPENDED = 1_024  # bytes; servers and gateways append a little, which every reader passes over
_MOST_BYTES = 32_000_000  # memory holds a whole directory; 50,000 members with long names take a quarter of it


class _End(NamedTuple):
    """The facts about the directory in the end of a ZIP, and the place of that end."""

    disk: int
    first_disk: int
    members: int
    length: int
    offset: int
    at: int


def read_directory(source: ZipSource, most: int) -> list[DirectoryEntry]:
    """The members in the order of the directory, none of which overlap.

    Raises DocumentDamaged for a ZIP that is not whole, ZipRefused for more than `most` members or some that overlap.
    """
    if source.at(0, min(4, source.size)) not in (IS_HEADER, _IS_END, _IS_END_64):
        raise source.damaged("it does not begin as a ZIP does" if source.size else "it is empty")
    end = _checked(source, most)
    entries = list(_entries(source, end, most))
    if len(entries) != end.members:
        raise source.damaged(f"its directory has {len(entries):,} members, its end declares {end.members:,}")
    return _bounded(source, entries, end)


def _checked(source: ZipSource, most: int) -> _End:
    """The end of the ZIP, once the directory that it declares proves possible and within the bounds."""
    end = _wide_end(source, _end(source))
    if end.disk or end.first_disk:
        raise source.damaged("it is one part of a split ZIP")
    if end.offset + end.length != end.at:
        raise source.damaged("its directory is not where its end says")
    if end.members > most:
        raise ZipRefused(f"it has {end.members:,} members, more than {most:,}")
    if end.length > _MOST_BYTES:
        raise ZipRefused(f"its directory takes {end.length:,} bytes, more than {_MOST_BYTES:,}")
    return end


def _end(source: ZipSource) -> _End:
    """The last end record whose comment ends with the file: a comment may hold bytes that look like an end record.

    Without one, it is the last of all, if only a few bytes follow it.
    """
    for longest in (0, _LONGEST_COMMENT):  # few have a comment
        at = max(0, source.size - _END.size - longest)
        tail = source.at(at, source.size - at)
        place = len(tail)
        while (place := tail.rfind(_IS_END, 0, place)) >= 0:
            if found := _end_at(tail, place, at):
                return found
    if found := _end_at(tail, tail.rfind(_IS_END), at, most_after=_MOST_APPENDED):
        return found
    if _IS_END in tail:
        raise source.damaged("its end is cut off, or something follows it")
    raise source.damaged("it has no directory")


def _end_at(tail: bytes, place: int, before: int, most_after: int = 0) -> _End | None:
    """The end record at a place, if its comment reaches to the end of the file, or to `most_after` bytes before it."""
    if not 0 <= place <= len(tail) - _END.size:
        return None
    _, disk, first_disk, _, members, length, offset, comment = _END.unpack_from(tail, place)
    is_last = 0 <= len(tail) - (place + _END.size + comment) <= most_after
    return _End(disk, first_disk, members, length, offset, before + place) if is_last else None


def _wide_end(source: ZipSource, end: _End) -> _End:
    """The zip64 end record, if one precedes the end."""
    at = end.at - _LOCATOR_64.size
    if at < 0:
        return end
    signature, _, wide_at, _ = _LOCATOR_64.unpack(source.at(at, _LOCATOR_64.size))
    if signature != _IS_LOCATOR_64:
        return end
    wide = _END_64.unpack(source.at(wide_at, _END_64.size))
    # its length does not count its first twelve bytes
    if wide[0] != _IS_END_64 or wide_at + 12 + wide[1] != at:
        raise source.damaged("its zip64 end is damaged")
    disk, first_disk, _, members, length, offset = wide[4:]
    return _End(disk, first_disk, members, length, offset, wide_at)


def _entries(source: ZipSource, end: _End, most: int) -> Iterator[DirectoryEntry]:
    directory = source.at(end.offset, end.length)
    number, at = 0, 0
    while at < len(directory):
        number += 1
        if number > most:  # the end declared fewer
            raise ZipRefused(f"it has more than {most:,} members")
        entry, at = _entry(source, directory, at, number)
        yield entry


def _entry(source: ZipSource, directory: bytes, at: int, number: int) -> tuple[DirectoryEntry, int]:
    """One member, and where the next begins."""
    if at + _ENTRY.size > len(directory) or not directory.startswith(_IS_ENTRY, at):
        raise source.damaged("its directory is damaged")
    fields = _ENTRY.unpack_from(directory, at)
    flags, method, crc32, packed, unpacked, *lengths = fields[3], fields[4], *fields[7:13]
    name_end = at + _ENTRY.size + lengths[0]
    extra_end = name_end + lengths[1]
    following = extra_end + lengths[2]
    if following > len(directory):
        raise source.damaged("its directory is damaged")
    unpacked, packed, offset = wide_numbers(directory[name_end:extra_end], (unpacked, packed, fields[16]))
    spelt, mode = directory[at + _ENTRY.size : name_end], fields[15] >> 16
    return DirectoryEntry(number, spelt, flags, method, crc32, packed, unpacked, mode, offset, 0), following


def _bounded(source: ZipSource, entries: list[DirectoryEntry], end: _End) -> list[DirectoryEntry]:
    """The entries, each with its limit; the classic bomb unpacks the same bytes under many names."""
    for entry in entries:
        if entry.least_end > end.offset:
            raise source.damaged(f"member {entry.number} does not fit before the directory")
    in_file = sorted(entries, key=lambda entry: entry.offset)
    limits = [*(entry.offset for entry in in_file[1:]), end.offset]
    if any(entry.least_end > limit for entry, limit in zip(in_file, limits, strict=False)):
        raise ZipRefused("members overlap")
    for entry, limit in zip(in_file, limits, strict=False):
        entry.limit = limit
    return entries
