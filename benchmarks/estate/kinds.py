"""The two kinds of data: `plain`, with few flags and mostly one option a value; `rich`, with many of both."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """The measures of one kind. Each number of a sequence is the weight of one choice."""

    name: str
    options: int
    """The fewest options of an option field."""
    picked: tuple[int, ...]
    """Options of one value, from 1 on; none: mostly one, and never more than two."""
    text: int
    """The most sentences of a text."""
    summary: int
    """The most sentences of a summary of an assessment."""
    more_flags: tuple[int, ...]
    """Flags beyond the first, from 0 on; none: the few flags of the sandbox."""
    entries: tuple[int, ...]
    """Entries of a flag's history, from 1 on."""


PLAIN = Kind("plain", options=0, picked=(), text=4, summary=4, more_flags=(), entries=())
RICH = Kind(
    "rich",
    options=8,
    picked=(17, 17, 20, 22, 25),
    text=2,
    summary=9,
    more_flags=(35, 35, 25, 5),
    entries=(20, 30, 30, 20),
)
"""At 100,000 assets: 60,000 flags with 150,000 entries, assessments of about 929 bytes, option values of 79."""
KINDS = {kind.name: kind for kind in (PLAIN, RICH)}
