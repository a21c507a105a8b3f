"""Finds the history inside an assessment's flags (API §2.4: "flags and their history", shape not shown)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from propsync.records import Path
from propsync.shapes.choice import UNREAD, Choice, Shape
from propsync.shapes.entries import entries
from propsync.shapes.members import is_blank, plain, rank, refuse_astray

_HISTORY = ("history", "histories", "changes", "log", "events", "states", "audit", "timeline", "entries")
_NUMBER = re.compile("[0-9]{1,3}")  # longer ones may be ids or moments
FLAGS: Path = ("flags",)


def find_flag_history(shape: Shape, assessments: Sequence[Any], *, is_whole: bool = True) -> None:
    """Settles flag_history: the array of objects inside a flag, under the names that flags have for it. An object that
    numbers them is one too.

    If flags hold something under such a name, and none a list of objects, the part is unread. Raises ShapeUnknown if
    people configured a name that no flag has. Without `is_whole` the assessments are only a part, in which it may lack.
    """
    found = [entry.value for assessment in assessments for entry in entries(assessment, FLAGS)]
    objects = [flag for flag in found if isinstance(flag, dict)]
    before = shape.choices.get("flag_history")
    if before is not None and before.source == "configured":
        refuse_astray(shape.resource, "flag_history", before, objects if is_whole else ())
        return
    flags = [names for flag in objects if (names := _histories(flag))]
    paths: list[Path] = []
    left = flags
    while best := _best(left, is_first=not paths):
        paths.append(best)
        left = [names for names in left if best not in names]
    if paths:
        read = len(flags) - len(left)
        shape.settle("flag_history", Choice(tuple(paths), "found", f"an array of objects in {read} flags"))
    elif is_whole:
        _settle_unread(shape, objects, [name for one in assessments for name in _beside(one)])


def _settle_unread(shape: Shape, flags: Sequence[dict[str, Any]], beside: Sequence[str]) -> None:
    """Settles the history as unread if some flag holds one and propsync can read none. The earlier places stay.

    `beside` are the names of histories that assessments have beside their flags.
    """
    held = Counter(name for flag in flags for name in _unread_histories(flag))
    before = shape.choices.get("flag_history")
    if held:
        name, count = held.most_common(1)[0]
        evidence = f"{name} of {count} of {len(flags)} flags is no array of entries"
        shape.choices["flag_history"] = Choice(shape.paths("flag_history"), UNREAD, evidence)
    elif beside:
        evidence = f"{beside[0]} of {len(beside)} assessments is beside their flags, and propsync reads it inside alone"
        shape.choices["flag_history"] = Choice(shape.paths("flag_history"), UNREAD, evidence)
    elif before is not None and before.source == UNREAD:
        shape.choices["flag_history"] = Choice(before.paths, "found", "no flag has a history now")


def _unread_histories(flag: dict[str, Any]) -> list[str]:
    """Names of a history in a flag, or in an object of the flag, under which there are entries in another form.

    A text has a column of its own, and so has an object of texts.
    """
    objects = [(name, held) for name, held in flag.items() if isinstance(held, dict)]
    inside = [((name, inner), value) for name, held in objects for inner, value in held.items()]
    found = [*(((name,), value) for name, value in flag.items()), *inside]
    return [".".join(path) for path, held in found if _means_history(path[-1]) and _has_entries(held)]


def _beside(assessment: Any) -> list[str]:
    """Names such as `flagHistory` in an assessment."""
    members = assessment.items() if isinstance(assessment, dict) else ()
    meant = {f"{flag}{history}" for flag in ("flag", "flags") for history in _HISTORY}
    return [name for name, held in members if plain(name) in meant and _has_entries(held)]


def _has_entries(held: Any) -> bool:
    """Whether it has entries in any form: a list, or objects by number or id. Members named in words are no entries."""
    if isinstance(held, dict):
        is_keyed = all(any(map(str.isdigit, name)) for name in held)
        return any(isinstance(one, dict | list if is_keyed else list) and not is_blank(one) for one in held.values())
    return isinstance(held, list) and not all(map(is_blank, held))


def _best(flags: Sequence[set[Path]], *, is_first: bool) -> Path | None:
    """The likeliest name; only a name that means a history may be a second one."""
    counts = Counter(path for names in flags for path in names)
    likely = [path for path in counts if is_first or _rank(path) < len(_HISTORY)]
    return min(likely, key=lambda path: (_rank(path), -counts[path], path), default=None)


def _rank(path: Path) -> int:
    """Ranks an array by the name of the flag's member that is it, or holds it; in a wrapper, by its own name."""
    return min(rank(path[:1], _HISTORY), rank(path[-1:], _HISTORY)) + len(path) - 1


def _histories(flag: dict[str, Any]) -> set[Path]:
    own = {
        (name,) for name, value in flag.items() if _is_history(value) or (_means_history(name) and _is_numbered(value))
    }
    objects = [(name, held) for name, held in flag.items() if isinstance(held, dict)]
    return own | {
        (name, inner)
        for name, held in objects
        for inner, value in held.items()
        if _is_history(value) and (_means_history(name) or _wraps(flag, name))
    }


def _means_history(name: str) -> bool:
    return plain(name) in _HISTORY


def _wraps(flag: dict[str, Any], name: str) -> bool:
    """Whether an object has what the flag says: `{"flag": {…}}`, even beside an id, or the attributes of JSON:API."""
    return len(flag) == 1 or plain(name) in ("attributes", "flag")


def _is_numbered(value: Any) -> bool:
    """Whether it is an object of objects that are numbered from 0 or 1, as the macro staging.is_numbered reads them."""
    names = list(value) if isinstance(value, dict) else []
    is_numbered = bool(names) and all(_NUMBER.fullmatch(name) for name in names) and min(map(int, names)) <= 1
    return is_numbered and any(isinstance(one, dict) for one in value.values())


def _is_history(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(member, dict) for member in value)
