"""Opaque identifiers (API §1: "format UID", no shape shown)."""

from base64 import b64encode
from random import Random

UID_LENGTH = 22
# Letters in place of signs: a command line would take an id with a hyphen in front for an option.
_LETTERS_FOR_SIGNS = bytes.maketrans(b"+/", b"pS")


def new_uid(rng: Random) -> str:
    """128 random bits in 22 letters and digits."""
    return b64encode(rng.randbytes(16))[:UID_LENGTH].translate(_LETTERS_FOR_SIGNS).decode()
