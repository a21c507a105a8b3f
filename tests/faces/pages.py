"""README.md and the pages of docs/, cut into commands and examples."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@dataclass(frozen=True)
class Page:
    """One page: its name, and its text in Markdown."""

    name: str
    text: str

    def blocks(self, language: str) -> list[str]:
        """The examples in one language, from the top."""
        return re.findall(rf"^```{language}\n(.*?)^```", self.text, re.MULTILINE | re.DOTALL)

    def commands(self, program: str = "") -> list[str]:
        """The commands shown, from the top; of one program, if it is named."""
        return [command for command, _ in self.shown() if not program or command.split()[0] == program]

    def shown(self) -> list[tuple[str, list[str]]]:
        """Each command with the lines of output that the page shows for it."""
        found: list[tuple[str, list[str]]] = []
        for block in self.blocks("console"):
            for line in block.replace(" \\\n    ", " ").splitlines():
                if line.startswith("$ "):
                    found.append((line[2:], []))
                elif line:
                    found[-1][1].append(line)
        return found


def _read(path: Path) -> Page:
    return Page(path.name, path.read_text(encoding="utf-8"))


README = _read(ROOT / "README.md")
PAGES = {page.name: page for page in (README, *map(_read, sorted(DOCS.glob("*.md"))))}
"""README.md and every page of the site but the decisions, by name."""

ELSEWHERE = ("operations.md", "kubernetes.md", "dask.md", "hints.md")
"""Their commands need a machine, a proxy or a cluster: other tests run them."""


def commands(program: str = "") -> list[str]:
    """The commands of every page but those `ELSEWHERE`."""
    return [command for page in PAGES.values() if page.name not in ELSEWHERE for command in page.commands(program)]
