"""Tiny PNG pictures, so that the images in documents open."""

import struct
import zlib
from random import Random

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def picture(rng: Random, side: int = 24) -> bytes:
    """A square of one colour with a stripe, 8 bits a channel."""
    ground, stripe = rng.randbytes(3), rng.randbytes(3)
    line = b"\0" + ground * (side // 3) + stripe * (side // 3) + ground * (side - 2 * (side // 3))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    pixels = zlib.compress(line * side, 9)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")
