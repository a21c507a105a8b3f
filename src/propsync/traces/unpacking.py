"""Unpacks gzip and zstd files, and packed streams inside other files, piece by piece."""

from __future__ import annotations

import gzip
import mmap
import re
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import zstandard

_PIECE = 1 << 20
_PACKED = 1 << 16
_ZSTD_PACKED = 1 << 11  # bytes: zstd unpacks all that it is given, and 4 bytes may become 128 KB
_WINDOW = 1 << 27  # bytes of memory that a zstd frame may ask for
_ZSTD = b"\x28\xb5\x2f\xfd"
_STREAM = re.compile(rb"stream\r?\n")
_BORDER = b"\0"
DAMAGE = (zlib.error, zstandard.ZstdError, EOFError, OSError, ValueError, MemoryError)
"""The errors of packed bytes that are not whole."""


def gzipped(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a gzip file, of all its members. Raises one of DAMAGE after the last good byte."""
    file.seek(0)
    with gzip.GzipFile(fileobj=file, mode="rb") as reader:
        while piece := reader.read1(_PIECE):
            yield piece


def zstd(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a zstd file, of all its frames. Raises one of DAMAGE after the last good byte."""
    file.seek(0)
    packed, one = b"", _frame()
    while packed := packed or file.read(_ZSTD_PACKED):
        if one.eof:
            one = _frame()
        yield one.decompress(packed)
        packed = one.unused_data if one.eof else b""
    if not one.eof:
        raise EOFError("it is cut short")


def zstd_frames(file: BinaryIO) -> Iterator[bytes]:
    """The pieces of each zstd frame anywhere in a file, as far as each goes: pages of tables, in use or not."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as body:
        at = body.find(_ZSTD)
        while at >= 0:
            yield from _found_frame(body, at)
            yield _BORDER
            at = body.find(_ZSTD, at + 1)


def flate_streams(file: BinaryIO) -> Iterator[bytes]:
    """The pieces of each deflated stream of a PDF: notes, attachments and descriptions beside the text of pages."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as body:
        for found in _STREAM.finditer(body):
            yield from _inflated(body, found.end())
            yield _BORDER


def _frame() -> zstandard.ZstdDecompressionObj:
    return zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()


def _found_frame(body: mmap.mmap, at: int) -> Iterator[bytes]:
    one = _frame()
    try:
        while at < len(body) and not one.eof:
            yield one.decompress(body[at : at + _ZSTD_PACKED])
            at += _ZSTD_PACKED
    except (zstandard.ZstdError, MemoryError):
        return  # these bytes only look like a frame, or are the rest of one


def _inflated(body: mmap.mmap, at: int) -> Iterator[bytes]:
    one, packed = zlib.decompressobj(), b""
    try:
        while (packed or at < len(body)) and not one.eof:
            if not packed:
                packed = body[at : at + _PACKED]
                at += _PACKED
            yield one.decompress(packed, _PIECE)
            packed = one.unconsumed_tail
    except zlib.error:
        return  # a picture, or a stream of another kind
