"""The passages of a page in Markdown, of a Python file, and of a file whose comments begin with one mark."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator

from .rules import Passage

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_BEGINS_ITEM = re.compile(r"\s*(?:[-*|]|\d+\.) ?")
_IS_DRAWN = re.compile(r"^    |\S  +\S")
_PRAGMA = re.compile(r"^(?:!|noqa|type:|fmt:|pragma)")
_SQL_HEADER = re.compile(r"^(?:severity|grain):")


def markdown(text: str) -> Iterator[Passage]:
    """Paragraphs, items, headings and the cells of tables; examples are left out."""
    text = re.sub(r"^ *```.*?^ *```$", _blank, text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`]*`", lambda code: "X" + _blank(code), text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\*\*|\{ #[^}]*\}|^#+ ", "", text, flags=re.MULTILINE)
    for passage in _paragraphs(enumerate(text.splitlines(), 1)):
        cells = passage.words.replace("<br>", "|").split("|") if passage.words.startswith("|") else [passage.words]
        yield from (Passage(passage.line, cell.strip()) for cell in cells)


def python(text: str) -> Iterator[Passage]:
    """Docstrings, texts that stand alone as the docstrings of names do, and comments."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED):
            for statement in node.body:
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    yield from _docstring(statement.lineno, statement.value.value)
    yield from _joined(_python_comments(text), lambda words: None if _PRAGMA.match(words) else words)


def sql(text: str) -> Iterator[Passage]:
    """Comments, with the reason of a header; its grain and its severity are no sentences."""
    yield from _joined(
        _comments_after("--", text), lambda words: None if _SQL_HEADER.match(words) else words.removeprefix("why: ")
    )


def hashed(text: str) -> Iterator[Passage]:
    """Comments of a file whose comments begin with `#`, on lines of their own."""
    lines = ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith("#"))
    own = ((number, len(line) - len(line.lstrip()), line.strip()[1:].strip()) for number, line in lines)
    yield from _joined(own, lambda words: None if _PRAGMA.match(words) else words)


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _docstring(first: int, text: object) -> Iterator[Passage]:
    """Leaves drawings, examples and tables out: they are indented further than the text, or have columns."""
    if isinstance(text, str):
        shown = re.sub(r"`[^`]*`", lambda code: "X" + _blank(code), inspect.cleandoc(text))
        lines = shown.splitlines()
        yield from _paragraphs((first + n, "" if _IS_DRAWN.search(line) else line) for n, line in enumerate(lines))


def _paragraphs(lines: Iterable[tuple[int, str]]) -> Iterator[Passage]:
    first, words = 0, ""
    for number, line in lines:
        if not line.strip() or _BEGINS_ITEM.match(line):
            if words:
                yield Passage(first, words)
            first, words = number, ""
        first = first if words else number
        words = f"{words} {re.sub(r'^[-*] |^[0-9]+[.] ', '', line.strip())}".strip()
    if words:
        yield Passage(first, words)


def _python_comments(text: str) -> Iterator[tuple[int, int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield *token.start, token.string.lstrip("#").strip()


def _comments_after(mark: str, text: str) -> Iterator[tuple[int, int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        bare = re.sub(r"'[^']*'", lambda quoted: "x" * len(quoted[0]), line)
        if (column := bare.find(mark)) >= 0:
            yield number, column, line[column + len(mark) :].strip()


def _joined(comments: Iterable[tuple[int, int, str]], shown: Callable[[str], str | None]) -> Iterator[Passage]:
    """Comments on lines that follow each other, in one column, are one passage; one that is not shown ends it."""
    first, last, words = 0, (0, 0), ""
    for line, column, comment in comments:
        text = shown(re.sub(r"`[^`]*`", "X", comment))  # None: no sentence
        if words and ((line - 1, column) != last or text is None):
            yield Passage(first, words)
            words = ""
        first, last = first if words else line, (line, column)
        words = f"{words} {text or ''}".strip()
    if words:
        yield Passage(first, words)
