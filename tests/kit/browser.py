"""Chromium without a window, driven by its own protocol; it finds no host but this machine."""

from __future__ import annotations

import base64
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from websockets.sync.client import connect

CHROMIUM = "chromium"
REBOUND = "rebound.example"  # a name of somebody's own that points to this machine
_SECONDS = 120  # a busy machine is slow, and no fault
_IN_VIEW = "document.documentElement.outerHTML"


class Browser:
    """One browser with one tab, and what it keeps; once closed, it has the hosts that it asked for.

    `events` are those that a domain of its protocol tells once it is enabled, such as Network or Log.
    """

    def __init__(self, root: Path) -> None:
        self._net, profile, self._count = root / "net.json", root / "profile", 0
        self.events: list[dict[str, Any]] = []
        self._process = subprocess.Popen(
            [
                *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
                *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
                *(f"--user-data-dir={profile}", f"--log-net-log={self._net}", "--remote-debugging-port=0"),
                f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , "
                "EXCLUDE localhost",
                *("--window-size=1400,1000", "about:blank"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self._tab = connect(_tab_of(profile / "DevToolsActivePort"), max_size=None, proxy=None)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise

    def close(self) -> None:
        """Ends it, so that it writes down what it asked for."""
        if self._process.poll() is None:
            self.tell("Browser.close")
            self._tab.close()
            self._process.wait(_SECONDS)

    def tell(self, method: str, **parameters: object) -> Any:
        """Sends a command and waits for its answer; events in between are kept."""
        self._count += 1
        self._tab.send(json.dumps({"id": self._count, "method": method, "params": parameters}))
        while (answer := json.loads(self._tab.recv(_SECONDS))).get("id") != self._count:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def run(self, code: str) -> Any:
        """The value of a piece of JavaScript in the page; waits for a promise."""
        answer = self.tell("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def open(self, url: str) -> None:
        """Goes to a page and waits until it is loaded."""
        self.tell("Page.navigate", url=url)
        _wait(lambda: self.run("document.readyState") == "complete")

    def look(self, url: str, picture: Path | None = None) -> str:
        """The page at `url` once it has stopped changing, as HTML; also as a picture, if asked for."""
        self.open(url)
        seen: list[str] = []

        def is_at_rest() -> bool:
            seen.append(self.run(_IN_VIEW))
            return len(seen) > 2 and seen[-1] == seen[-2] == seen[-3]

        _wait(is_at_rest, every=0.5)
        if picture is not None:
            picture.write_bytes(base64.b64decode(self.tell("Page.captureScreenshot")["data"]))
        return seen[-1]

    def shows(self, url: str, *words: str) -> bool:
        """Whether the page comes to have all of these."""
        self.open(url)
        return _comes(lambda: all(word in self.run(_IN_VIEW) for word in words))

    def log_in(self, url: str, words: str) -> bool:
        """Types the password into the form that the pages show without one; whether they then show themselves."""
        assert _comes(lambda: self._asks_for_password(url), every=0), self.run(_IN_VIEW)
        return _comes(lambda: self._is_let_in(words), every=2)

    def _asks_for_password(self, url: str) -> bool:
        """Opens the page, and again after some seconds: on a busy machine its script may give up while it loads."""
        self.open(url)
        return _comes(lambda: self.run("document.querySelector('input[type=password]') !== null"), seconds=15)

    def _is_let_in(self, words: str) -> bool:
        """Types the password, unless the pages are there: a form that is still being set up takes no notice."""
        if self.run("location.pathname !== '/login' && document.body.innerText.includes('Dashboard')"):
            return True
        self.run("document.querySelector('input[type=password]')?.focus()")
        self.run("document.querySelector('input[type=password]')?.select()")
        self.tell("Input.insertText", text=words)
        self.run("document.querySelector('form')?.requestSubmit()")
        return False

    def hosts(self) -> set[str]:
        """Hosts that it asked for until it was closed; those of the browser's own maker left out."""
        found = set()
        for event in json.loads(self._net.read_text())["events"]:
            found.add(urlsplit(str(event.get("params", {}).get("url", ""))).hostname or "")
        return {host for host in found if host and not host.endswith(("google.com", "googleapis.com"))}


def _tab_of(port_file: Path) -> str:
    _wait(lambda: port_file.exists() and len(port_file.read_text().split()) == 2)
    port = port_file.read_text().split()[0]
    tabs = httpx.get(f"http://127.0.0.1:{port}/json", timeout=_SECONDS, trust_env=False).json()
    return str(next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page"))


def _wait(is_so: Callable[[], bool], every: float = 0.2) -> None:
    assert _comes(is_so, every), "the browser did not come to rest"


def _comes(is_so: Callable[[], bool], every: float = 0.2, seconds: float = _SECONDS) -> bool:
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(every)
    return True
