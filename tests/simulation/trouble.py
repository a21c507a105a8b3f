"""Faults of one night, as a plan for the sandbox. None of them says that a record is gone which is not."""

from __future__ import annotations

from random import Random
from typing import Any

Rule = dict[str, Any]
_LISTS = ("/properties/assets", "/assessments", "/assessments/schedules")
_ANY = "/(properties|assessments).*"


def draw_faults(dice: Random) -> tuple[Rule, ...]:
    """None in a third of the nights, else up to three rules; the first that fires wins."""
    kinds = (_passing, _passing, _broken, _broken, _wrong_total, _moved_rows, _wrong_content, _lasting, _left_out)
    return tuple(dice.choice(kinds)(dice) for _ in range(dice.choice((0, 1, 1, 2, 3, 0))))


def draw_list_faults(dice: Random, path: str) -> tuple[Rule, ...]:
    """One or two rules for one list alone."""
    kinds = (_passing, _broken, _wrong_total, _moved_rows, _wrong_content, _lasting)
    return tuple(_of_path(dice.choice(kinds)(dice), path) for _ in range(dice.choice((1, 1, 2))))


def _of_path(rule: Rule, path: str) -> Rule:
    return rule | {"match": {"path": path}}


def _passing(dice: Random) -> Rule:
    status = dice.choice((408, 425, 429, 500, 502, 503, 504))
    effect: Rule = {"kind": "status", "status": status}
    if status in (429, 503) and dice.random() < 0.5:
        effect["retry_after"] = 0
    return _now_and_then(dice, _ANY, effect)


def _broken(dice: Random) -> Rule:
    kind = dice.choice(("reset", "close", "cut_body", "cut_chunked"))
    effect: Rule = {"kind": kind}
    if kind.startswith("cut"):
        effect["fraction"] = dice.choice((0.0, 0.3, 0.9))
    return _now_and_then(dice, _ANY, effect)


def _wrong_content(dice: Random) -> Rule:
    """An empty answer means "gone" for a single record, so only lists get one."""
    contents = ("html", "empty", "truncated_json", "string", "content_type", "object", "array", "null")
    effect = {"kind": "wrong_content", "content": dice.choice(contents)}
    return _now_and_then(dice, dice.choice(_LISTS), effect, most=1)


def _wrong_total(dice: Random) -> Rule:
    """For some requests, or the same lie for the whole night."""
    effect = {"kind": "total", "by": dice.choice((-2, -1, 1, 1, 3)), "random": dice.random() < 0.3}
    path = dice.choice(_LISTS)
    if dice.random() < 0.3:
        return {"match": {"path": path}, "effect": effect}
    return _now_and_then(dice, path, effect, most=4)


def _moved_rows(dice: Random) -> Rule:
    effect = {"kind": "move_rows", "how": dice.choice(("to_next", "shift", "duplicate", "drop")), "rows": 1}
    chance = dice.choice((0.1, 0.3, 1.0))
    return {
        "match": {"path": dice.choice(_LISTS)},
        "probability": chance,
        "seed": dice.randrange(10**6),
        "times": dice.choice((1, 2, 5, None)),
        "effect": effect,
    }


def _left_out(_dice: Random) -> Rule:
    """Lists of assessments leave out the same rows at every reading; look-ups, which ask for both sides, do not."""
    match = {"path": "/assessments", "query": {"performed": "For|By"}}
    return {"match": match, "effect": {"kind": "move_rows", "how": "drop", "rows": 1}}


def _lasting(dice: Random) -> Rule:
    """A resource, or its look-ups, or only its types, that cannot be read all night."""
    path = dice.choice((*_LISTS, "/properties/assets/types", "/assessments/types", "/assessments/schedules/.*"))
    return {"match": {"path": path}, "effect": {"kind": "status", "status": dice.choice((500, 500, 403))}}


def _now_and_then(dice: Random, path: str, effect: Rule, most: int = 2) -> Rule:
    return {
        "match": {"path": path},
        "after": dice.choice((0, 0, 1, 3, 8, 20)),
        "probability": dice.choice((1.0, 0.3)),
        "seed": dice.randrange(10**6),
        "times": dice.randint(1, most),
        "effect": effect,
    }


_DOCUMENTS = {"any": r"/assessments/[^/]+/(report\.pdf|bundle\.zip)"}
_DOCUMENTS |= {name: rf"/assessments/[^/]+/{name}" for name in (r"report\.pdf", r"bundle\.zip")}


def draw_document_faults(dice: Random) -> tuple[Rule, ...]:
    """Of answers to those who ask for a document: none in half of the nights, else one or two."""
    kinds = (_storm, _broken_document, _broken_document, _no_document, _no_document, _forbidden, _token_refused)
    return tuple(dice.choice(kinds)(dice) for _ in range(dice.choice((0, 0, 1, 2))))


def _storm(dice: Random) -> Rule:
    """More than the patience of one request in some, so that documents fail."""
    effect: Rule = {"kind": "status", "status": dice.choice((429, 429, 500, 503))}
    if effect["status"] != 500:
        effect["retry_after"] = 0
    return _now_and_then(dice, _DOCUMENTS["any"], effect, most=9)


def _broken_document(dice: Random) -> Rule:
    kind = dice.choice(("reset", "close", "cut_body", "cut_body", "cut_chunked"))
    effect: Rule = {"kind": kind}
    if kind != "close":
        effect["fraction"] = dice.choice((0.0, 0.3, 0.9, 0.9))
    if kind == "reset":
        effect["where"] = "body"
    return _now_and_then(dice, _DOCUMENTS["any"], effect, most=7)


def _no_document(dice: Random) -> Rule:
    """Something else comes, under a good status."""
    content = dice.choice(("html", "html", "empty", "truncated_json", "content_type", "object"))
    return _now_and_then(dice, _DOCUMENTS["any"], {"kind": "wrong_content", "content": content}, most=7)


def _forbidden(dice: Random) -> Rule:
    """A kind that the token has no right to, all night."""
    return {"match": {"path": dice.choice(list(_DOCUMENTS.values())[1:])}, "effect": {"kind": "status", "status": 403}}


def _token_refused(dice: Random) -> Rule:
    """Once, for bundles alone, as the report is asked for by look-ups too, which may not be refused."""
    return _now_and_then(dice, _DOCUMENTS[r"bundle\.zip"], {"kind": "status", "status": 401}, most=1)
