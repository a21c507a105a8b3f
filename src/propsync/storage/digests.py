"""The SHA-256 of a file, and of bytes that come block by block."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from propsync.storage.disk import open_file, write_all


def sha256_of_file(path: Path) -> str:
    """The hash of a file's bytes. Raises OSError."""
    with open_file(path) as reader:
        return hashlib.file_digest(reader, "sha256").hexdigest()


def sha256_of_blocks(blocks: Iterable[bytes]) -> str:
    """The hash of all blocks together. Raises what they raise."""
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def write_blocks(file: BinaryIO, blocks: Iterable[bytes]) -> str:
    """Writes the blocks, and returns the hash of what it wrote. Raises OSError, and what the blocks raise."""
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
        write_all(file, block)
    return digest.hexdigest()
