"""The docs site builds strictly and offline, its links and anchors resolve, and no page loads anything from outside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from faces.pages import DOCS, PAGES, README, ROOT

from propsync.settings.page import settings_page

NOWHERE = "http://127.0.0.1:9"  # a proxy where nothing answers: a program that asks for the network fails
LOADING = {
    ("link", "href"),
    ("script", "src"),
    ("img", "src"),
    ("source", "src"),
    ("iframe", "src"),
    ("object", "data"),
}
LINKING = {*LOADING, ("a", "href")}


@dataclass
class Html(HTMLParser):
    """One built page: what can be linked to, and what it links to or loads."""

    ids: set[str] = field(default_factory=set)
    links: list[tuple[str, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            if (tag, name) in LINKING and value:
                self.links.append((tag, name, value))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    program = str(Path(sys.executable).with_name("mkdocs"))
    environ = os.environ | {"NO_MKDOCS_2_WARNING": "1", "HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE, "NO_PROXY": ""}
    done = subprocess.run(
        [program, "build", "--strict", "--site-dir", str(folder)],
        env=environ,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Html]:
    read = {}
    for path in site.rglob("*.html"):
        read[path] = Html()
        read[path].feed(path.read_text(encoding="utf-8"))
    return read


@pytest.mark.slow
def test_every_page_and_every_decision_is_in_it(site: Path, pages: dict[Path, Html]):
    sources = [page for page in DOCS.rglob("*.md") if page.name != "README.md"]
    assert len(sources) > 30
    assert {site / page.relative_to(DOCS).with_suffix(".html") for page in sources} <= set(pages)
    linked = {value for tag, _, value in pages[site / "index.html"].links if tag == "a"}
    assert {str(page.relative_to(DOCS).with_suffix(".html")) for page in sources} <= linked | {"index.html"}


def test_no_program_is_in_it(site: Path):
    assert not [path for path in site.rglob("*") if path.suffix in (".py", ".pyc")]


def test_every_link_leads_to_a_page_and_a_place_on_it(site: Path, pages: dict[Path, Html]):
    lost = []
    for path, page in pages.items():
        base = site if path.name == "404.html" else path.parent
        for _, _, value in page.links:
            parts = urlsplit(value)
            if parts.scheme or parts.netloc:
                continue
            target = (base / unquote(parts.path)).resolve() if parts.path else path
            if parts.path.startswith("/"):  # of 404.html, which is shown anywhere
                target = site / unquote(parts.path).lstrip("/")
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].ids):
                lost.append((path.name, value))
    assert not lost


def test_no_page_loads_anything_from_another_host(site: Path, pages: dict[Path, Html]):
    loaded = {value for page in pages.values() for tag, name, value in page.links if (tag, name) in LOADING}
    assert loaded
    assert not [value for value in loaded if urlsplit(value).netloc]
    sheets = [path.read_text(encoding="utf-8") for path in (*site.rglob("*.css"), *site.rglob("*.svg"))]
    assert not re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", "".join(sheets))


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)]+)\)", README.text))))
def test_links_of_the_readme_lead_somewhere(target: str, site: Path, pages: dict[Path, Html]):
    path, _, anchor = target.partition("#")
    assert (ROOT / path).is_file()
    if anchor:
        built = site / Path(path).relative_to("docs").with_suffix(".html")
        assert anchor in pages[built].ids


@pytest.mark.parametrize("name", sorted({"README.md"} | {name for name in PAGES if name != "index.md"}))
def test_every_page_can_be_found_from_the_first_one(name: str):
    index = PAGES["index.md"].text
    assert name in ("README.md", "changelog.md") or f"({name})" in index


def test_the_settings_page_is_that_of_this_version():
    assert PAGES["settings.md"].text == settings_page(), "run `make docs`"


def test_the_layers_of_the_architecture_page_are_those_that_the_lint_checks():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (checked,) = [one["layers"] for one in contracts if one.get("containers") == ["propsync"]]
    table = PAGES["architecture.md"].text.partition("| layer | responsibility |")[2].partition("\n\n")[0]
    shown = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines() if "`" in row]
    assert shown == [layer.split(" | ") for layer in checked]
