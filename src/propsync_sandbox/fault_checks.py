"""Checks a fault plan before use: every message says where the fault is and what the check expected."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


class FaultPlanError(ValueError):
    """The plan is unusable; the text says where and why."""


@dataclass(frozen=True)
class Wanted:
    """The valid values of an option, in words and as a test."""

    words: str
    accepts: Callable[[Any], bool]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_whole(value) or isinstance(value, float)


def _one_of(*words: str) -> Wanted:
    return Wanted(f"one of {', '.join(words)}", lambda value: value in words)


def _is_pattern(value: object) -> bool:
    try:
        re.compile(str(value))
    except re.error:
        return False
    return isinstance(value, str | int) and not isinstance(value, bool)


_BOOLEAN = Wanted("true or false", lambda value: isinstance(value, bool))
_TEXT = Wanted("a text", lambda value: isinstance(value, str))
_COUNT = Wanted("an integer, 1 or more", lambda value: _is_whole(value) and value >= 1)
_FROM_ZERO = Wanted("an integer, 0 or more", lambda value: _is_whole(value) and value >= 0)
_WHOLE = Wanted("an integer", _is_whole)
_SECONDS = Wanted("a number of seconds, 0 or more", lambda value: _is_number(value) and value >= 0)
_FRACTION = Wanted("a number from 0 to under 1", lambda value: _is_number(value) and 0 <= value < 1)
_SHARE = Wanted("a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1)
_STATUS = Wanted("a status code from 200 to 599", lambda value: _is_whole(value) and 200 <= value <= 599)
_RETRY_AFTER = Wanted(
    'a number of seconds or "http-date"', lambda value: value == "http-date" or (_is_number(value) and value >= 0)
)
_TIMES = Wanted("an integer, 0 or more, or null", lambda value: value is None or (_is_whole(value) and value >= 0))
_PATTERN = Wanted("a regular expression", lambda value: isinstance(value, str) and _is_pattern(value))
_QUERY = Wanted(
    "an object of parameter names and regular expressions",
    lambda value: isinstance(value, Mapping) and all(_is_pattern(text) for text in value.values()),
)
_KEY = Wanted(
    "an asset's id, or a schedule's property and type as a list",
    lambda value: isinstance(value, str) or (isinstance(value, list) and len(value) == 2),
)
_VALUES = Wanted("an object, or null to delete", lambda value: value is None or isinstance(value, Mapping))

EFFECTS: dict[str, dict[str, Wanted]] = {
    "status": {"status": _STATUS, "retry_after": _RETRY_AFTER, "code": _TEXT, "body": _TEXT, "apply": _BOOLEAN},
    "cut_body": {"fraction": _FRACTION},
    "cut_chunked": {"fraction": _FRACTION},
    "reset": {"where": _one_of("before", "body"), "fraction": _FRACTION, "apply": _BOOLEAN},
    "close": {"apply": _BOOLEAN},
    "stall": {"seconds": _SECONDS, "apply": _BOOLEAN},
    "delay": {"seconds": _SECONDS},
    "slow_body": {"seconds": _SECONDS, "chunks": _COUNT},
    "wrong_content": {
        "content": _one_of("html", "empty", "truncated_json", "string", "object", "array", "null", "content_type")
    },
    "total": {
        "how": _one_of("by", "capped", "page", "nothing"),
        "by": _WHOLE,
        "random": _BOOLEAN,
        "pages": _COUNT,
    },
    "cut_filter": {"of": _TEXT, "first": _COUNT},
    "edit": {"key": _KEY, "values": _VALUES},
    "move_rows": {"how": _one_of("to_next", "shift", "duplicate", "drop"), "rows": _COUNT},
    "hide": {"rows": _COUNT},
}
EFFECT_KINDS = tuple(EFFECTS)
_REQUIRED = {"status": ("status",), "edit": ("key", "values")}
_OWN_DEFAULTS: dict[str, dict[str, Any]] = {
    "reset": {"apply": True},
    "close": {"apply": True},
    "stall": {"seconds": 30},
    "total": {"how": "by"},
}
_RULE: dict[str, tuple[Wanted, Any]] = {
    "match": (Wanted("an object", lambda value: isinstance(value, Mapping)), {}),
    "after": (_FROM_ZERO, 0),
    "times": (_TIMES, None),
    "probability": (_SHARE, 1.0),
    "seed": (_WHOLE, 0),
    "effect": (Wanted("an object", lambda value: isinstance(value, Mapping)), None),
}
_MATCH = {"method": _TEXT, "path": _PATTERN, "query": _QUERY}


def _check(value: Any, wanted: Wanted, place: str) -> None:
    if not wanted.accepts(value):
        raise FaultPlanError(f"{place}: must be {wanted.words}, not {value!r}")


def _check_members(given: Mapping[str, Any], known: Mapping[str, Wanted], place: str) -> None:
    for name, value in given.items():
        if name not in known:
            raise FaultPlanError(f"{place}.{name}: unknown; known are {', '.join(known)}")
        _check(value, known[name], f"{place}.{name}")


def checked_rule(rule: object, place: str) -> dict[str, Any]:
    """The rule with its defaults filled in."""
    if not isinstance(rule, Mapping):
        raise FaultPlanError(f"{place}: must be an object, not {rule!r}")
    _check_members(rule, {name: wanted for name, (wanted, _) in _RULE.items()}, place)
    if "effect" not in rule:
        raise FaultPlanError(f"{place}.effect: is missing")
    checked = {name: rule.get(name, default) for name, (_, default) in _RULE.items()}
    _check_members(checked["match"], _MATCH, f"{place}.match")
    return checked


def checked_effect(effect: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The effect with the defaults of its kind."""
    kind = effect.get("kind")
    if kind not in EFFECTS:
        raise FaultPlanError(f"{place}.kind: must be one of {', '.join(EFFECT_KINDS)}, not {kind!r}")
    options = {name: value for name, value in effect.items() if name != "kind"}
    _check_members(options, EFFECTS[kind], place)
    for name in _REQUIRED.get(kind, ()):
        if name not in options:
            raise FaultPlanError(f"{place}.{name}: is missing")
    return {"kind": kind} | _OWN_DEFAULTS.get(kind, {}) | options
