"""The bytes of one member of a ZIP, piece by piece, whatever their declared number."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import chain

from propsync.documents.zips.source import DirectoryEntry, ZipRefused, ZipSource
from propsync.errors import DocumentDamaged

STORED, DEFLATED = 0, 8
METHODS = frozenset(
    (STORED, DEFLATED)
)  # the methods that servers use; the others unpack without a bound on memory, or not at all
_PIECE = 1 << 20  # most bytes of a piece
_PACKED = 1 << 17  # packed bytes handed to zlib at once


class Unpacked:
    """A member in pieces of at most 1 MiB, for one pass; `start` is the place of its first packed byte.

    Raises DocumentDamaged if it cannot be unpacked, or if its checksum differs from the directory. Raises ZipRefused if
    it has more than `most` bytes. Only its end shows whether it has the declared size.
    """

    def __init__(self, source: ZipSource, entry: DirectoryEntry, start: int, most: int) -> None:
        self._source, self._entry, self._start, self._most = source, entry, start, most
        self.size = 0
        self._packed = 0

    @property
    def is_as_declared(self) -> bool:
        """Whether both sizes are those of the directory."""
        return (self._packed, self.size) == (self._entry.packed, self._entry.unpacked)

    def __iter__(self) -> Iterator[bytes]:
        crc32 = 0
        for piece in self._pieces():
            self.size += len(piece)
            crc32 = zlib.crc32(piece, crc32)
            if self.size > self._most:
                raise ZipRefused("a member unpacks to more than it declares, and than it may")
            yield piece
        if crc32 != self._entry.crc32:
            raise self._damaged("has a checksum that differs from the directory")

    def _pieces(self) -> Iterator[bytes]:
        entry = self._entry
        # some writers note a folder so
        is_nothing = entry.packed == entry.unpacked == 0
        if entry.method == STORED or is_nothing:
            self._packed = entry.packed
            return self._blocks(entry.packed, _PIECE)
        return self._inflated()

    def _blocks(self, length: int, most: int) -> Iterator[bytes]:
        end = self._start + length
        for at in range(self._start, end, most):
            yield self._source.at(at, min(most, end - at))

    def _inflated(self) -> Iterator[bytes]:
        """Packed bytes show their own end, which may differ from the directory."""
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        # an empty block at the end, for bytes that zlib still holds back
        for block in chain(self._blocks(self._entry.limit - self._start, _PACKED), (b"",)):
            self._packed += len(block)
            yield from self._inflated_block(inflater, block)
            if inflater.eof:
                self._packed -= len(inflater.unused_data)
                return
        raise self._damaged("cannot be unpacked")

    def _inflated_block(self, inflater: zlib._Decompress, packed: bytes) -> Iterator[bytes]:
        is_more = True
        while is_more:
            try:
                piece = inflater.decompress(packed, _PIECE)
            except zlib.error as error:
                raise self._damaged("cannot be unpacked") from error
            yield piece
            packed = inflater.unconsumed_tail
            is_more = not inflater.eof and (bool(packed) or len(piece) == _PIECE)

    def _damaged(self, what: str) -> DocumentDamaged:
        return self._source.damaged(f"member {self._entry.number} {what}")
