"""The pages are in plain English: short sentences, and the words of the field."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from faces.pages import PAGES, ROOT, Page

MOST_WORDS = 25
AVOIDED = (
    *("told", "anew", "whoever", "for ever", "be it", "stands in", "stand in", "goes on", "go on", "is another"),
    *("so many", "lives", "is there", "utilise", "leverage", "e.g.", "i.e."),
)
GENERATED = {"tables.md"}  # its words are those of sql/tables.toml
CHANGELOG = Page("CHANGELOG.md", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
READ = [page for page in (*PAGES.values(), CHANGELOG) if page.name not in GENERATED]


def _prose(page: Page) -> Iterator[str]:
    """Paragraphs, items, headings and the cells of tables, without their marks, and with code as one word."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`]*`", "X", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\*\*|\{ #[^}]*\}|^#+ ", "", text, flags=re.MULTILINE)
    text = re.sub(r"<br>", "|", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-|]|\d+\.) ?)", text):
        for part in block.split("|") if block.lstrip().startswith("|") else [block]:
            if words := " ".join(re.sub(r"^\s*(?:-|\d+\.) ", "", part).split()):
                yield words


def _sentences(page: Page) -> Iterator[str]:
    for words in _prose(page):
        yield from re.split(r"(?<=[.!?:])\)? (?=[A-Z“\"(]|propsync|X )", words)


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_no_sentence_is_longer_than_a_breath(page: Page):
    assert not [sentence for sentence in _sentences(page) if len(sentence.split()) > MOST_WORDS]


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_no_word_is_one_to_avoid(page: Page):
    found = [
        (word, text) for text in _prose(page) for word in AVOIDED if re.search(rf"\b{re.escape(word)}\b", text, re.I)
    ]
    assert not found


@pytest.mark.parametrize("page", READ, ids=lambda page: page.name)
def test_no_sentence_has_a_clause_for_its_subject(page: Page):
    """Name the thing: "the rows that…", not "what…"; a question may begin so."""
    asks = re.compile(r"^(?:What|Whatever|Who) .*[^?]$")
    assert not [sentence for sentence in _sentences(page) if asks.match(sentence) and len(sentence.split()) > 8]
