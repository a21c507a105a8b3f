"""The words to avoid, the longest sentence, and the faults of a text by these rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST_WORDS = 25
INSTEAD = {
    "told": "name who says it: says, passes, tells",
    "anew": "again",
    "whoever": "name the person or the program",
    "for ever": "without end, permanently, never",
    "be it": "whether it is",
    "stands in": "is in, replaces",
    "stand in": "are in, replace",
    "goes on": "continues, resumes",
    "go on": "continue, resume",
    "going on": "continuing, running",
    "is another": "differs, is different",
    "of before": "earlier, from before",
    "time to come": "the future",
    "nothing but blanks": "nothing but spaces",
    "so many": "the number, that many",
    "lives": "runs, lasts, is in",
    "is there": "exists",
    "lots": "many",
    "in vain": "without success",
    "lest": "so that … not",
    "hence": "so",
    "wherein": "in which",
    "thereof": "of it",
    "whence": "from which",
    "utilise": "use",
    "leverage": "use",
    "e.g.": "for example",
    "i.e.": "that is",
}
"""Each phrase to avoid, with the words to write in its place."""

_PHRASE = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, INSTEAD))})(?!\w)", re.IGNORECASE)
_SENTENCE_ENDS = re.compile(r"(?<=[.!?:])\)? (?=[A-Z“\"(]|propsync|X )")
_CLAUSE_FIRST = re.compile(r"^(?:What|Whatever|Who) .*[^?]$")
_SHORT = 8  # words; a heading may begin with "what"


@dataclass(frozen=True)
class Passage:
    """A paragraph, an item, a cell of a table or a comment: its first line, and its words with code as `X`."""

    line: int
    words: str


@dataclass(frozen=True)
class Fault:
    """Words that break a rule, and what to write in their place."""

    line: int
    phrase: str
    instead: str


def faults(passages: Iterable[Passage]) -> Iterator[Fault]:
    """The faults of a text, from its top."""
    for passage in passages:
        for found in _PHRASE.finditer(passage.words):
            yield Fault(passage.line, found[0], INSTEAD[found[0].lower()])
        for sentence in _SENTENCE_ENDS.split(passage.words):
            yield from _of_a_sentence(passage.line, sentence)


def _of_a_sentence(line: int, sentence: str) -> Iterator[Fault]:
    words = len(sentence.split())
    if words > MOST_WORDS:
        yield Fault(line, sentence, f"a sentence of at most {MOST_WORDS} words, not {words}")
    if words > _SHORT and _CLAUSE_FIRST.match(sentence):
        yield Fault(line, sentence, 'the thing by its name, not a clause: "the rows that…"')
