"""Numbers and ids derived from their place, so that the benchmark can make any record of any night on its own."""

from base64 import b64encode

_64_BITS = (1 << 64) - 1
_128_BITS = (1 << 128) - 1
_STEP = 0x9E3779B97F4A7C15
_SPREAD = 0xD1342543DE82EF95C13FA9A902A6328F
_LETTERS_FOR_SIGNS = bytes.maketrans(b"+/", b"pS")


def mixed(number: int) -> int:
    """A different number of 64 bits for each number of 64 bits, all of its bits depending on all of theirs."""
    number = number * _STEP & _64_BITS
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & _64_BITS
    number = (number ^ number >> 27) * 0x94D049BB133111EB & _64_BITS
    return number ^ number >> 31


def stream(seed: int, name: str) -> int:
    """Where the numbers of one purpose begin."""
    number = mixed(seed)
    for letter in name.encode():
        number = mixed(number ^ letter)
    return number


def uid(bits: int) -> bytes:
    """22 letters and digits, as the API's ids; different ones for each number of 64 bits."""
    wide = bits * _SPREAD & _128_BITS
    return b64encode(wide.to_bytes(16, "little"))[:22].translate(_LETTERS_FOR_SIGNS)
