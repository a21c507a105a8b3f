"""A page as a browser's parser sees it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

_VOID = {"meta", "link", "br"}
_OPEN_ENDED = {"li", "tr", "td", "th"}


class Parsed(HTMLParser):
    """The tags, addresses and texts of a page."""

    def __init__(self, html: bytes) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: list[str] = []
        self.shown: list[str] = []
        self.statements: list[str] = []
        self._inside: list[str] = []
        self.feed(html.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action", "data", "poster")]
        if tag not in _VOID | _OPEN_ENDED:
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside:
            assert self._inside.pop() == tag, f"{tag} ends inside another element"

    def handle_data(self, data: str) -> None:
        if self._inside[-1:] == ["pre"]:
            self.statements.append(data)
        elif self._inside[-1:] != ["style"]:
            self.shown.append(data)

    @property
    def words(self) -> str:
        """All texts that people see, blanks made one."""
        return re.sub(r"\s+", " ", " ".join(self.shown))

    @property
    def is_alone(self) -> bool:
        """Whether it asks for nothing and runs nothing."""
        loads = [one for one in self.addresses if urlsplit(one).scheme != "data"]
        handlers = [one for one in self.attributes if one.startswith("on") or one == "style"]
        return not loads and not handlers and not self.tags & {"script", "img", "iframe", "object", "embed", "form"}
