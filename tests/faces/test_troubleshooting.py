"""docs/troubleshooting.md has every exit code and every error, in the words that propsync prints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest
from faces.pages import PAGES, README, ROOT

from propsync import errors

TEXT = PAGES["troubleshooting.md"].text
GROUPS = (errors.StopRun, errors.ResourceFailed)  # nothing is raised that is no more than one of these
CODES = (0, 1, 2, 3, 4, 130)


def _below(error: type[errors.PropsyncError]) -> Iterator[type[errors.PropsyncError]]:
    for one in error.__subclasses__():
        yield one
        yield from _below(one)


def _sections() -> dict[str, str]:
    """Each section that has an anchor of its own, by that."""
    parts = re.split(r"^#+ .*?(?:\{ #([\w-]+) \})?$", TEXT, flags=re.MULTILINE)
    return {anchor: text for anchor, text in zip(parts[1::2], parts[2::2], strict=True) if anchor}


SECTIONS = _sections()
ERRORS = sorted({error for error in _below(errors.PropsyncError) if error not in GROUPS}, key=lambda one: one.__name__)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.__name__)
def test_every_error_has_an_entry_with_its_exit_code(error: type[errors.PropsyncError]):
    anchor = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", error.__name__).lower()
    assert f"Exit code {error.exit_code}" in SECTIONS[anchor]


def test_no_entry_is_of_an_error_that_is_no_more():
    anchors = {re.sub(r"(?<=[a-z])(?=[A-Z])", "-", error.__name__).lower() for error in ERRORS}
    assert {anchor for anchor in SECTIONS if not anchor.startswith("exit-")} == anchors


def test_every_exit_code_has_an_entry_and_a_row_in_the_readme():
    assert {anchor for anchor in SECTIONS if anchor.startswith("exit-")} == {f"exit-{code}" for code in CODES}
    for page in (README, PAGES["operations.md"]):
        assert {int(code) for code in re.findall(r"^\| (\d+)\b.* \|$", page.text, re.MULTILINE)} == set(CODES)


@cache
def _printed() -> str:
    """Every text in the program but its docstrings, with the places for values left out."""
    texts = []
    for path in sorted((ROOT / "src" / "propsync").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        docstrings = [node.value for node in nodes if isinstance(node, ast.Expr)]
        constants = [node for node in nodes if isinstance(node, ast.Constant) and node not in docstrings]
        texts += [node.value for node in constants if isinstance(node.value, str)]
    return "\n".join(texts)


def _messages() -> list[str]:
    prose = re.sub(r"^```.*?^```$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
    quoted = {one for one in re.findall(r"`([^`]+)`", prose) if "…" in one or ": " in one}
    return sorted(one for one in quoted if not one.startswith("propsync "))


@pytest.mark.parametrize("message", _messages())
def test_every_message_is_one_that_propsync_prints(message: str):
    pieces = [piece.strip(" :;(),.") for piece in re.split(r"…|: |, |\(|\)", message)]
    words = [piece for piece in pieces if " " in piece]
    assert words or pieces
    assert not [piece for piece in words if piece not in _printed()]


def test_there_are_messages():
    assert len(_messages()) > 40
