"""The claims of a run about its reads, against the sandbox's pages: certificates that hold, the newest copy kept."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from propsync_sandbox import RESOURCES, Entry, Key, Record, World
from propsync_sandbox.world import PROPERTIES

from ..outcome import Outcome
from ..statuses import ASKED
from ..watch import Window, is_count, resource_of
from .canonical import canonical
from .problems import Problems
from .published import Published, published

Question = tuple[str, tuple[tuple[str, str], ...]]
"""A path, and its parameters in order."""
_NARROWED = {"id", "assessment", "property", "type"}


def check_claims(
    home: Path, outcome: Outcome, window: Window, problems: Problems, pseudonym: str | None = None
) -> Counter[str]:
    """Asked where answers came in the order of the requests. Returns how many claims could be checked.

    An erased record counts in its answers under its `pseudonym`, and is in no table.
    """
    checked: Counter[str] = Counter()
    for resource in (*RESOURCES, PROPERTIES):
        path = home / "landing" / resource / str(outcome.run_id) / "manifest.json"
        entries = [one for one in window.entries if resource_of(one) == resource]
        is_plain = not any(one.fault for one in entries) and path.exists() and not window.after
        manifest = json.loads(path.read_bytes()) if is_plain else {}
        if manifest.get("verdict") == "certified":
            read = _counted([one for one in entries if one.status == 200], manifest["landed"])
            last = manifest["certificates"][-1]
            if last["rung"] < 2:
                _check_certificate(resource, read, problems)
                checked["claim of a certificate"] += 1
            _check_newest(home, resource, read, problems, pseudonym)
            checked["claim of the newest copy"] += 1
    return checked


def check_whole(found: Published, outcome: Outcome, window: Window, world: World, problems: Problems) -> None:
    """A certificate in a world that stood still covers all of it, whatever the totals and the filters did."""
    is_asked = window.is_still and not window.after and outcome.exit_code in (0, 3)
    certified = [name for name in world.resources if outcome.resources.get(name) == "certified"] if is_asked else []
    for resource in certified:
        asked = ASKED.get(resource)
        there = {one.key for one in world.shelf(resource).records() if not asked or one.status in asked}
        missing = there - {key for key, _ in found.current(resource, "payload")}
        problems.expect(not missing, "a certified read has all that stood still", resource, sorted(map(str, missing)))


def _counted(entries: list[Entry], landed: list[dict[str, Any]]) -> list[Entry]:
    """The answers that landed, in order: a look-up that did not count is not among them, nor a further answer to one
    question. The sandbox and propsync have one clock, and the sandbox answers a request after propsync sends it.
    """
    asked: dict[Question, list[float]] = {}
    for one in landed:
        question = _question(*one["request"].removeprefix("GET ").partition("?")[::2])
        asked.setdefault(question, []).append(one["asked_at"])
    answers: dict[Question, list[Entry]] = {}
    for entry in entries:
        answers.setdefault(_question(entry.path, entry.query), []).append(entry)
    counted = [
        next(entry for entry in answers[question] if entry.time >= moment)
        for question, moments in asked.items()
        for moment in moments
    ]
    return sorted(counted, key=lambda entry: entry.sequence)


def _question(path: str, query: str) -> Question:
    return path, tuple(sorted(parse_qsl(query)))


def _check_certificate(resource: str, read: list[Entry], problems: Problems) -> None:
    """Each list: one total, no key twice, as many keys as the total."""
    lists: dict[tuple[tuple[str, str], ...], list[Entry]] = {}
    for entry in read:
        query = dict(parse_qsl(entry.query))
        if not _NARROWED & query.keys() and not is_count(entry) and entry.total is not None:
            filters = tuple(sorted((name, text) for name, text in query.items() if name != "page"))
            lists.setdefault(filters, []).append(entry)
    for filters, pages in lists.items():
        name = f"{resource} {dict(filters)}"
        # a server that counts the page says 0 beyond the end, as a list does that lost its last record meanwhile
        totals = {page.total for page in pages if page is pages[0] or page.records or page.total}
        problems.expect(len(totals) == 1, "a certified list has one total", name, totals)
        by_page = {dict(parse_qsl(page.query)).get("page"): page for page in reversed(pages)}
        keys = [record.key for page in by_page.values() for record in page.records]
        is_so = len(keys) == len(set(keys)) == pages[0].total
        problems.expect(is_so, "a certified list showed as many keys as its total", name, len(keys), pages[0].total)


def _check_newest(home: Path, resource: str, read: list[Entry], problems: Problems, pseudonym: str | None) -> None:
    """Of several copies of a record the one that was asked for later is kept."""
    newest: dict[Key, tuple[Entry, Record]] = {}
    for entry in read:
        if not is_count(entry):
            newest |= {record.key: (entry, record) for record in entry.records}
    with published(home) as found:
        rows = dict(found.current(resource, "payload"))
    newest.pop(str(pseudonym), None)
    for key, (entry, record) in newest.items():
        shown = canonical(resource, record.shown(entry.with_flags))
        same = key in rows and canonical(resource, rows[key][0]) == shown
        problems.expect(
            same, "the copy asked for last is kept", resource, key, rows.get(key), "≠", record.body.decode()
        )
