"""The bytes of one member of a ZIP, piece by piece, and never more of them than the directory declares."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import chain

from propsync.documents.zip_directory import Entry, ZipSource

STORED, DEFLATED = 0, 8
METHODS = frozenset((STORED, DEFLATED))  # what servers make; the others unpack without a bound on memory, or not at all
_PIECE = 1 << 20  # most bytes of a piece
_PACKED = 1 << 17  # packed bytes handed to zlib at once


def unpacked(source: ZipSource, entry: Entry, start: int) -> Iterator[bytes]:
    """A member in pieces of at most 1 MiB; `start` is where its packed bytes begin.

    Raises DocumentDamaged once it turns out not to be what the directory declares: longer (told by its first byte too
    many), shorter, with another checksum, or not to be unpacked.
    """
    size, crc32 = 0, 0
    for piece in _pieces(source, entry, start):
        size += len(piece)
        crc32 = zlib.crc32(piece, crc32)
        if size > entry.unpacked:
            raise source.damaged(f"member {entry.number} is longer than the directory says")
        yield piece
    if size < entry.unpacked:
        raise source.damaged(f"member {entry.number} is shorter than the directory says")
    if crc32 != entry.crc32:
        raise source.damaged(f"member {entry.number} has another checksum than the directory says")


def _pieces(source: ZipSource, entry: Entry, start: int) -> Iterator[bytes]:
    """At most one byte more than declared."""
    if entry.method == STORED:
        return _packed(source, start, min(entry.packed, entry.unpacked + 1), _PIECE)
    if entry.packed == entry.unpacked == 0:  # so some writers note a folder
        return iter(())
    return _inflated(source, entry, start)


def _packed(source: ZipSource, start: int, length: int, most: int) -> Iterator[bytes]:
    for at in range(start, start + length, most):
        yield source.at(at, min(most, start + length - at))


def _inflated(source: ZipSource, entry: Entry, start: int) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    room = entry.unpacked + 1
    # nothing more at the end, for what zlib still holds back
    for packed in chain(_packed(source, start, entry.packed, _PACKED), (b"",)):
        for piece in _inflated_part(source, entry, inflater, packed, room):
            room -= len(piece)
            yield piece
        if room == 0:
            return
    if not inflater.eof or inflater.unused_data:
        raise _not_unpacked(source, entry)


def _inflated_part(
    source: ZipSource, entry: Entry, inflater: zlib._Decompress, packed: bytes, room: int
) -> Iterator[bytes]:
    """What comes of some packed bytes, up to `room` bytes of it."""
    while room > 0:
        most = min(_PIECE, room)
        try:
            piece = inflater.decompress(packed, most)
        except zlib.error as error:
            raise _not_unpacked(source, entry) from error
        room -= len(piece)
        yield piece
        packed = inflater.unconsumed_tail
        if inflater.unused_data:
            raise _not_unpacked(source, entry)
        if not packed and len(piece) < most:
            return


def _not_unpacked(source: ZipSource, entry: Entry) -> Exception:
    return source.damaged(f"member {entry.number} cannot be unpacked")
