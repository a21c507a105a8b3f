"""The members of a ZIP that nobody vouches for, within bounds; a ZIP in a ZIP too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

from propsync.documents.zips.bundle import Bounds
from propsync.documents.zips.directory import read_directory
from propsync.documents.zips.members import METHODS, Unpacked
from propsync.documents.zips.source import DirectoryEntry, ZipRefused, ZipSource, own_header

_SMALL = 10**6  # unpacked bytes up to which the ratio of a member has no bound


def members(file: BinaryIO, name: str, bounds: Bounds) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Each member's name and its bytes in pieces.

    Both iterators raise DocumentDamaged if the ZIP is not whole, and ZipRefused if propsync does not unpack it.
    """
    source = ZipSource(file.fileno(), name, os.fstat(file.fileno()).st_size)
    for entry in read_directory(source, bounds.members):
        yield entry.name, _pieces(source, entry, bounds)


def _pieces(source: ZipSource, entry: DirectoryEntry, bounds: Bounds) -> Iterator[bytes]:
    if entry.is_encrypted:
        raise ZipRefused("it is encrypted")
    if entry.method not in METHODS:
        raise ZipRefused(f"it is packed by method {entry.method}, which propsync does not read")
    most = max(_SMALL, int(bounds.ratio * entry.packed))
    yield from Unpacked(source, entry, own_header(source, entry).start, most)
