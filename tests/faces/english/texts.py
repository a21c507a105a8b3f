"""The passages of a page in Markdown, of a Python file and its messages, and of TOML and other files with comments."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Iterator

from .rules import Passage

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_BEGINS_ITEM = re.compile(r"\s*(?:[-*|]|\d+\.) ?")
_IS_DRAWN = re.compile(r"^    |\S  +\S")
_PRAGMA = re.compile(r"^(?:!|noqa|type:|fmt:|pragma)")
_SQL_HEADER = re.compile(r"^(?:severity|grain|title|of):")
_IS_SQL = re.compile(
    r"\b(?:select|insert into|create (?:or|table|view)|delete from|order by|join)\b|^(?:from|with|update) "
)
_IS_NO_TEXT = re.compile(rf"$|   |{_PRAGMA.pattern}")  # of a comment with its indent
_IS_NO_TEXT = re.compile(rf"$|   |{_PRAGMA.pattern}")  # of a comment with its indent
_LEAST_WORDS = 3  # of a message; shorter texts are names and parts of them


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


def messages(text: str) -> Iterator[Passage]:
    """The texts of a Python file for people: messages, help texts and what is printed, each line for itself; no SQL."""
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
    for node in nodes:
        if id(node) not in parts | alone and isinstance(node, ast.Constant | ast.JoinedStr):
            yield from _message(node)


def values(text: str) -> Iterator[Passage]:
    """The texts of a file in TOML, such as the comments of tables and columns; all on its first line."""
    waiting: list[object] = [tomllib.loads(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
        elif isinstance(value, str) and len(value.split()) >= _LEAST_WORDS:
            yield Passage(1, value)


def sql(text: str) -> Iterator[Passage]:
    """Comments, with the reason of a header; its grain, severity and title are no sentences."""
    yield from _joined(
        _comments_after("--", text), lambda words: None if _SQL_HEADER.match(words) else words.removeprefix("why: ")
    )


def hashed(text: str) -> Iterator[Passage]:
    """Comments of a file whose comments begin with `#`, on lines of their own; indented ones are examples."""
    lines = ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith("#"))
    own = ((number, len(line) - len(line.lstrip()), line.strip()[1:]) for number, line in lines)
    yield from _joined(own, lambda words: None if _IS_NO_TEXT.match(words) else words.strip())


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _message(node: ast.Constant | ast.JoinedStr) -> Iterator[Passage]:
    """The lines of a text with `X` for code and for each value that it shows."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    words = "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in parts)
    is_text = isinstance(node, ast.JoinedStr) or isinstance(node.value, str)
    if is_text and not _IS_SQL.search(words):
        lines = re.sub(r"`[^`]*`", "X", words).splitlines()
        yield from (Passage(node.lineno, line) for line in lines if len(line.split()) >= _LEAST_WORDS)


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
