"""The fault plan: which requests get a bad answer, and how.

A plan is a JSON list of rules (a file may also hold `{"faults": [...]}`). The first rule that matches and fires wins.

    {"match": {"method": "GET", "path": "/properties/assets", "query": {"page": "2"}},
     "after": 0, "times": 1, "probability": 1.0, "seed": 0,
     "effect": {"kind": "status", "status": 503, "retry_after": 2}}

match        optional. `method` a name; `path` a regular expression for the whole path; `query` parameters that must be
             there, each a regular expression for its whole value. A request without `page` counts as page 1, without
             `limit` as limit 1000.
after        skip the first n matching requests (0).
times        how often the rule fires; null (default) is without end.
probability  share of the matching requests that it fires for (1.0), drawn from `seed` (0).

Effects, by `kind`, with their options (defaults in brackets):

status         status; retry_after: seconds or "http-date" (none); code (none), body: text sent as it is (none);
               apply: carry the request out first, then answer badly (false)
cut_body       fraction of the promised Content-Length that is sent before the connection is closed (0.5)
cut_chunked    the same in chunks, without the last one (0.5)
reset          where: before | body (before); fraction (0.5); a TCP reset; apply (true)
close          closed without any answer; apply (true)
stall          seconds of silence (30), then closed; apply (false)
delay          seconds before the headers (1)
slow_body      seconds (1) spread over chunks (10)
wrong_content  content: html | empty | truncated_json | string | object | array | null | content_type (html)
total          how: by | capped | page | nothing (by).
               by: added to the true total (1), or random: a different false total at each request (false);
               capped: at most that many full pages (1); page: the records of the page alone; nothing: 0
cut_filter     of: the parameter whose values are cut, each in a comma-separated list (id); first: how many of them are
               heeded (1)
edit           somebody else edits a record just before the request has its effect, and the answer is the true one;
               key: an asset's id, or a schedule's property and type; values: as in PATCH or PUT, or null to delete
move_rows      how: to_next | shift | duplicate | drop (to_next); rows (1).
               to_next: the first rows change places with those of the next page; shift: the page begins later, so the
               next page's first rows come twice and these never; duplicate: the first rows come twice, the last fall
               off a full page; drop: the first rows are left out of this one answer.
hide           rows: the records with the lowest keys (1) are on no page of a list, nor in its total. It hides them from
               look-ups too, unless an earlier rule takes these.
"""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Self

from .fault_checks import FaultPlanError, checked_effect, checked_rule

_UNSAID = {"page": "1", "limit": "1000"}


@dataclass(frozen=True)
class Effect:
    """The fault of one request. Only the options of its kind matter."""

    kind: str
    status: int = 503
    retry_after: float | str | None = None
    code: str | None = None
    body: str | None = None
    apply: bool = False
    fraction: float = 0.5
    where: str = "before"
    seconds: float = 1.0
    chunks: int = 10
    content: str = "html"
    by: int = 1
    random: bool = False
    how: str = "to_next"
    rows: int = 1
    pages: int = 1
    of: str = "id"
    first: int = 1
    key: str | list[str] = ""
    values: Mapping[str, Any] | None = None


class Rule:
    """One rule with its own count of matches and its own dice."""

    def __init__(self, rule: Mapping[str, Any], place: str) -> None:
        checked = checked_rule(rule, place)
        match = checked["match"]
        self.method: str | None = match.get("method")
        self.path = re.compile(match.get("path", ".*"), re.DOTALL)
        self.query = {name: re.compile(str(value)) for name, value in match.get("query", {}).items()}
        self.left_to_skip: int = checked["after"]
        self.left: float = float("inf") if checked["times"] is None else checked["times"]
        self.probability: float = checked["probability"]
        self.effect = Effect(**checked_effect(checked["effect"], f"{place}.effect"))
        self._rng = Random(f"rule {checked['seed']}")

    def fires(self, method: str, path: str, query: Mapping[str, str]) -> bool:
        if not self._matches(method, path, query):
            return False
        if self.left_to_skip:
            self.left_to_skip -= 1
            return False
        if not self.left or self._rng.random() >= self.probability:
            return False
        self.left -= 1
        return True

    def _matches(self, method: str, path: str, query: Mapping[str, str]) -> bool:
        if self.method is not None and self.method.upper() != method:
            return False
        if not self.path.fullmatch(path):
            return False
        return all(
            (text := query.get(name, _UNSAID.get(name))) is not None and pattern.fullmatch(text)
            for name, pattern in self.query.items()
        )


class FaultPlan:
    """Rules in order; safe between threads. FaultPlanError says what is wrong with a plan, and where."""

    def __init__(self, rules: Sequence[Mapping[str, Any]] = ()) -> None:
        self._lock = threading.Lock()
        self._rules = [Rule(rule, f"faults[{number}]") for number, rule in enumerate(rules)]

    @classmethod
    def from_json(cls, plan: object) -> Self:
        """A plan as in a file or a request body: a list, or an object around it."""
        return cls(plan_rules(plan))

    def draw(self, method: str, path: str, query: Mapping[str, str]) -> Effect | None:
        """The fault of this request, None without one."""
        with self._lock:
            for rule in self._rules:
                if rule.fires(method, path, query):
                    return rule.effect
        return None


def plan_rules(plan: object) -> list[Mapping[str, Any]]:
    """The rules of a parsed plan, before the check of each."""
    rules = plan["faults"] if isinstance(plan, dict) and set(plan) == {"faults"} else plan
    if not isinstance(rules, list):
        raise FaultPlanError('a fault plan is a list of rules, or {"faults": [rules]}')
    return rules


def read_fault_plan(path: Path) -> list[Mapping[str, Any]]:
    """The rules in a file, checked; FaultPlanError names the file."""
    try:
        rules = plan_rules(json.loads(path.read_text(encoding="utf-8")))
        FaultPlan(rules)
    except OSError as error:
        raise FaultPlanError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise FaultPlanError(f"{path}: {error}") from error
    return rules
