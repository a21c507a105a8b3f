"""The sums of published files: one for people who check a copy, one for the nightly check."""

from __future__ import annotations

import hashlib
from pathlib import Path

import xxhash

from propsync.storage import open_file

_PIECE = 1 << 18

Sums = tuple[str, str]
"""SHA-256 and XXH3 (128 bits) of a file."""


def xxh3_of(path: Path) -> str | None:
    """The XXH3 of a file for the nightly check; None if it cannot be read.

    SHA-256 of all files would take a tenth of a quiet night.
    """
    try:
        with open_file(path) as reader:
            return hashlib.file_digest(reader, xxhash.xxh3_128).hexdigest()
    except OSError:  # it is gone, or the disk cannot read it
        return None


def sums_of(path: Path) -> Sums:
    """Both sums of a file that propsync has just written. Raises OSError."""
    sha256, xxh3 = hashlib.sha256(), xxhash.xxh3_128()
    with open_file(path) as reader:
        while piece := reader.read(_PIECE):
            sha256.update(piece)
            xxh3.update(piece)
    return sha256.hexdigest(), xxh3.hexdigest()
