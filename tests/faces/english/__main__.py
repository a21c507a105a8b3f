"""Holds pages, messages, docstrings, comments and SQL headers to plain English: `python -m tests.faces.english`.

Prints each fault as file:line, the phrase and what to write instead; ends with exit code 1 if it printed any.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from . import texts
from .rules import Fault, faults

ROOT = Path(__file__).parents[3]
READ = {
    texts.markdown: ("README.md", "CHANGELOG.md", "docs/*.md", "docs/decisions/*.md"),
    texts.python: ("src/**/*.py", "flows/**/*.py", "deploy/**/*.py", "benchmarks/**/*.py", "tests/**/*.py"),
    texts.sql: ("sql/**/*.sql",),
    texts.messages: ("src/**/*.py", "flows/**/*.py", "deploy/**/*.py"),
    texts.values: ("sql/*.toml",),
    texts.hashed: (
        "sql/*.toml",
        "pyproject.toml",
        "mkdocs.yml",
        "prefect.yaml",
        "flows/*.yaml",
        "deploy/propsync*",
        "benchmarks/nginx.conf",
        "Makefile",
        "Dockerfile",
        ".ci/run",
    ),
}
GENERATED = {"docs/tables.md"}  # its words are those of sql/tables.toml

EXCEPTIONS: dict[tuple[str, str], str] = {}
"""Each allowed phrase, by file and lower-case phrase, with the reason."""


def main() -> int:
    """Returns the exit code: 0 if there is no fault."""
    used, code = set(), 0
    for path, fault in _faults():
        if (allowed := (path, fault.phrase.lower())) in EXCEPTIONS:
            used.add(allowed)
        else:
            print(f'{path}:{fault.line}: "{fault.phrase}": write {fault.instead}')
            code = 1
    for path, phrase in sorted(EXCEPTIONS.keys() - used):
        print(f'{path}: no text has "{phrase}" any more: delete its exception')
        code = 1
    return code


def _faults() -> Iterator[tuple[str, Fault]]:
    for passages, patterns in READ.items():
        for path in (path for pattern in patterns for path in sorted(ROOT.glob(pattern))):
            name = path.relative_to(ROOT).as_posix()
            if name not in GENERATED:
                yield from ((name, fault) for fault in faults(passages(path.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    sys.exit(main())
