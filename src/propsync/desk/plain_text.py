"""Other people's texts in one line, without characters that steer a page or a terminal."""

from __future__ import annotations

import unicodedata

_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\u200c\u200d"  # scripts and emoji need them


def plain_text(text: str) -> str:
    """A text in one line; characters that turn its direction, or that nobody sees, become a replacement character."""
    line = " ".join(text.split())
    return line if line.isprintable() else "".join(map(_plain, line))


def _plain(character: str) -> str:
    is_hidden = unicodedata.category(character) in _HIDDEN and character not in _JOINERS
    return "\ufffd" if is_hidden else character
