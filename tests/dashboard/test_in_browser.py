"""The page in Chromium: on a phone and on a wide screen, light, dark and in print."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from dashboard.conftest import Drawing
from dashboard.hostile import SPOILT
from kit.browser import Browser
from kit.needs import skip_without
from kit.sandbox_home import SandboxHome

from propsync.desk.dictionary import FORMATS, entries
from propsync.warehouse import PublishedReader

AXE = Path(__file__).parents[2] / ".cache/axe/node_modules/axe-core/axe.min.js"
FAULTS = """axe.run({resultTypes: ["violations"]}).then(found => [found.violations
  .filter(one => ["serious", "critical"].includes(one.impact))
  .map(one => one.id + ": " + one.nodes.slice(0, 3).map(node => node.html.slice(0, 200)).join(" | ")),
  found.passes.length])"""
OPENED = "document.querySelectorAll('details').forEach(one => one.open = true)"
OPEN_TABLES = "[...document.querySelectorAll('.scroll')].filter(one => !one.closest('details:not([open])'))"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OUT_OF_THEIR_CARDS = (
    "[...document.querySelectorAll('.number > summary > span')].filter(one => one.scrollWidth > one.clientWidth).length"
)
A4 = (595, 842)  # points

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    skip_without("chromium")
    with closing(Browser(tmp_path_factory.mktemp("browser"))) as running:
        for domain in ("Network", "Log", "Runtime"):
            running.tell(f"{domain}.enable")
        yield running


@pytest.fixture(params=["as it is", pytest.param("hostile", marks=pytest.mark.release)])
def page(request: pytest.FixtureRequest, drawn: Drawing, tmp_path: Path) -> str:
    """The address of a page."""
    path = tmp_path / "index.html"
    path.write_bytes(drawn(*(SPOILT if request.param == "hostile" else ())).html)
    return path.as_uri()


def test_the_page_asks_for_nothing_and_logs_nothing(browser: Browser, page: str) -> None:
    browser.events.clear()
    browser.open(page)
    browser.run(OPENED)
    title = browser.run("document.title")
    assert asked(browser) <= {page, "data:,"}
    assert said(browser) == []
    assert title.startswith("Properties on "), "no text of a table has run"
    assert browser.run("document.querySelectorAll('script, img, iframe, object').length") == 0


def test_nothing_serious_stands_in_the_way_of_anybody(browser: Browser, page: str) -> None:
    assert_open_to_all(browser, page)


@pytest.mark.release
def test_nor_in_the_dictionary(browser: Browser, home: SandboxHome, tmp_path: Path) -> None:
    path = tmp_path / "dictionary.html"
    with PublishedReader(home.published) as reader:
        path.write_text(FORMATS["html"](list(entries(reader))), encoding="utf-8")
    assert_open_to_all(browser, path.as_uri())


def assert_open_to_all(browser: Browser, page: str) -> None:
    """No serious finding at any width, in light and in dark, and no page wider than the window."""
    if not AXE.exists():
        skip_without("npm")
        pytest.fail("axe-core is not in .cache/: `make test-long` brings it")
    for width, scheme in product((360, 900, 1400), ("light", "dark")):
        seen_as(browser, width, scheme)
        browser.open(page)
        browser.run(OPENED)
        assert browser.run(TOO_WIDE) <= 0, f"only tables scroll sideways, at {width}"
        browser.run(AXE.read_text(encoding="utf-8") + ";0")
        faults, passed = browser.run(FAULTS)
        assert (width, scheme, faults) == (width, scheme, [])
        assert passed > 10, "axe looked at the page"


@pytest.mark.parametrize("width", [900, 1100, 1400])
def test_open_tables_need_no_scrolling_sideways(browser: Browser, drawn: Drawing, tmp_path: Path, width: int) -> None:
    path = tmp_path / "index.html"
    path.write_bytes(drawn().html)
    seen_as(browser, width, "light")
    browser.open(path.as_uri())
    assert browser.run(f"{OPEN_TABLES}.length") >= 2
    assert browser.run(f"{OPEN_TABLES}.map(one => one.scrollWidth - one.clientWidth).filter(one => one > 0)") == []


@pytest.mark.parametrize("shown", ["unknown", "1,234,567"])
def test_a_number_fits_its_card(browser: Browser, page: str, shown: str) -> None:
    for width in (360, 900, 1400):
        seen_as(browser, width, "light")
        browser.open(page)
        browser.run(f"document.querySelectorAll('.number .value').forEach(one => one.textContent = {shown!r})")
        assert browser.run("document.querySelectorAll('.number .value').length") >= 6
        assert browser.run(OUT_OF_THEIR_CARDS) == 0, width


def test_the_reason_why_a_number_is_unknown_fits_its_card(browser: Browser, drawn: Drawing, tmp_path: Path) -> None:
    path = tmp_path / "index.html"
    path.write_bytes(drawn("delete from main.schedules").html)
    for width in (360, 900, 1400):
        seen_as(browser, width, "light")
        browser.open(path.as_uri())
        assert "main.schedules has no rows" in browser.run("document.body.textContent")
        assert browser.run(OUT_OF_THEIR_CARDS) == 0, width


def test_it_prints_on_a4_in_light_colours(browser: Browser, page: str) -> None:
    seen_as(browser, 1400, "dark")
    browser.tell("Emulation.setEmulatedMedia", media="print", features=[dark("dark")])
    browser.open(page)
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.tell("Emulation.setEmulatedMedia", media="", features=[])
    printed = base64.b64decode(browser.tell("Page.printToPDF", preferCSSPageSize=True)["data"])
    with closing(pypdfium2.PdfDocument(printed)) as document:
        assert 2 <= len(document) <= 8
        for place in range(len(document)):
            assert tuple(map(round, document[place].get_size())) == A4
        assert "Can I trust it?" in document[0].get_textpage().get_text_bounded()


def seen_as(browser: Browser, width: int, scheme: str) -> None:
    browser.tell("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
    browser.tell("Emulation.setEmulatedMedia", media="screen", features=[dark(scheme)])


def dark(scheme: str) -> dict[str, str]:
    return {"name": "prefers-color-scheme", "value": scheme}


def asked(browser: Browser) -> set[str]:
    """The addresses that the page asked for."""
    return {one["params"]["request"]["url"] for one in browser.events if one["method"] == "Network.requestWillBeSent"}


def said(browser: Browser) -> list[Any]:
    """The lines that the page or the browser wrote on the console."""
    return [one["params"] for one in browser.events if one["method"] in ("Log.entryAdded", "Runtime.consoleAPICalled")]
