"""The words that marts rest on: which mean open, closed or failed, and how priorities rank, as the data shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from propsync.desk.named_columns import Named
from propsync.settings import DeskSettings
from propsync.warehouse import Warehouse, quoted, statement, text

_OPEN = frozenset(
    {
        *("open", "raised", "reopened", "active", "outstanding", "inprogress", "overdue", "new", "pending", "ongoing"),
        *("acknowledged", "accepted", "assigned", "started", "notstarted", "todo", "identified", "unresolved"),
        *("incomplete", "notcomplete", "notdone", "onhold"),
    }
)
"""Words that mean open, without blanks and hyphens."""
_RANKS = {
    word: rank
    for rank, words in enumerate(
        (
            ("critical", "intolerable", "emergency", "immediate", "p0"),
            ("urgent", "very high", "severe", "p1", "1"),
            ("high", "substantial", "major", "p2", "2"),
            ("medium", "moderate", "normal", "p3", "3"),
            ("low", "minor", "tolerable", "p4", "4"),
            ("very low", "trivial", "negligible", "advisory", "p5", "5"),
        )
    )
    for word in words
}
_FAILS = (
    "fail", "failed", "poor", "very poor", "bad", "unsatisfactory", "defective", "unsafe", "dangerous", "not compliant",
    "non-compliant", "noncompliant", "condemned", "beyond repair", "unacceptable", "reject", "rejected",
)  # fmt: skip
_CLOSED = (
    "closed", "complete", "completed", "resolved", "done", "finished", "cleared", "fixed", "rectified", "cancelled",
    "canceled", "withdrawn", "dismissed", "rejected", "not required", "no longer required", "signed off", "actioned",
    "remedied", "remediated", "implemented", "superseded", "no further action",
)  # fmt: skip
DEFAULTS: dict[str, tuple[str, ...]] = {
    "flag_open": ("open", "raised", "reopened", "active"),
    "flag_closed": _CLOSED,
    "action_open": ("open", "outstanding", "in progress", "overdue"),
    "action_closed": _CLOSED,
    "priority_order": ("critical", "urgent", "high", "medium", "low"),
    "fails": ("fail", "failed", "poor", "unsatisfactory"),
}
_FLAGS, _HISTORY, _ACTIONS = "assessment_flags", "assessment_flag_history", "bundle_actions"
_STATES = {"status", "state", "stage"}
_PRIORITIES = {"priority", "severity", "risk", "urgency", "level", "rating"}
_CERTAIN = ("status", "state", "priority", "severity")
"""Names of columns that hold such words, whatever they are."""
YES_MEANS = {
    "open": ("open", "active", "outstanding"),
    "closed": ("closed", "resolved", "complete", "completed", "done"),
}
"""The state that yes means, by words in the name of a column of yes and no, such as `is_open`."""
_MOST_WORDS = 50
_MOST_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one entry of `[desk]`, in lower case, and why they are these."""

    words: tuple[str, ...]
    source: str
    evidence: str


def chosen_words(
    warehouse: Warehouse, settings: DeskSettings, columns: Iterable[tuple[str, str, str]], named: Named
) -> dict[str, Words]:
    """The words of each entry. `columns` are those of the open tables: table, path, column.

    `named` has the columns that people name for a part, by table and part: they hold such words under any name.
    """
    closed = {entry: _closed(getattr(settings, entry), entry) for entry in ("flag_closed", "action_closed")}
    bound = {entry: list(words.words) for entry, words in closed.items()}
    seen = _seen(warehouse, [(table, column) for table, _, column in columns], _named_entries(named), bound)
    found = {entry: _chosen(getattr(settings, entry), entry, seen.get(entry, [])) for entry in _KNOWN}
    for kind in ("flag", "action"):
        found[f"{kind}_open"] = _without(found[f"{kind}_open"], closed[f"{kind}_closed"])
    return closed | found


def _closed(configured: tuple[str, ...] | None, entry: str) -> Words:
    if configured is not None:
        return Words(configured, "configured", "propsync.toml says so")
    return Words(DEFAULTS[entry], "default", "propsync.toml does not say")


def _without(usual: Words, closed: Words) -> Words:
    """The words that mean open, without those that propsync.toml calls closed; if it names both, all of them stay."""
    if usual.source == "configured" or closed.source != "configured":
        return usual
    over = set(map(_plain, closed.words))
    return replace(usual, words=tuple(word for word in usual.words if _plain(word) not in over))


def _chosen(configured: tuple[str, ...] | None, entry: str, seen: list[str]) -> Words:
    if configured is not None:
        listed = set(map(_plain, configured))
        others = [word for word in seen if entry != "fails" and _plain(word) not in listed]
        return Words(configured, "configured", _evidence("propsync.toml says so", others))
    found = [word for word in seen if _KNOWN[entry](word)]
    unknown = [word for word in seen if word not in found] if entry != "fails" else []
    if not found or len(seen) > _MOST_WORDS:
        return Words(DEFAULTS[entry], "default", _evidence("no word in the data is known", unknown))
    words = tuple(dict.fromkeys((*DEFAULTS[entry], *found)))
    if entry == "priority_order":
        words = tuple(sorted(words, key=_place))
    return Words(words, "found", _evidence(f"the data has {', '.join(found)}", unknown))


def _place(word: str) -> tuple[int, bool]:
    """The usual word ends its rank, so that all that is as urgent as `high` comes up to it."""
    return _RANKS[word], word in DEFAULTS["priority_order"]


def _evidence(known: str, unknown: list[str]) -> str:
    """Names the words that mean nothing to propsync, so that people can add them to propsync.toml."""
    shown = ", ".join(unknown[:_MOST_SHOWN]) + (", …" if len(unknown) > _MOST_SHOWN else "")
    return f"{known}; propsync does not know the meaning of {shown}" if unknown else known


def _plain(word: str) -> str:
    return re.sub(r"[\s_-]+", "", word)


def _means_open(word: str) -> bool:
    return _plain(word) in _OPEN


_KNOWN: dict[str, Callable[[str], bool]] = {
    "flag_open": _means_open,
    "action_open": _means_open,
    "priority_order": _RANKS.__contains__,
    "fails": _FAILS.__contains__,
}
"""Whether a word in the data belongs to an entry."""


def _named_entries(named: Named) -> dict[tuple[str, str], str]:
    """The entry of each table and column that people name for states or priorities, without columns of yes and no."""
    found = {
        (table, column): entry
        for table, parts in named.items()
        for part, columns in parts.items()
        for column in columns
        if (entry := _entry(table, part))
    }
    says_yes = {word for words in YES_MEANS.values() for word in words}
    return {key: entry for key, entry in found.items() if says_yes.isdisjoint(key[1].split("_"))}


def _seen(
    warehouse: Warehouse,
    columns: Collection[tuple[str, str]],
    named: Mapping[tuple[str, str], str],
    closed: Mapping[str, list[str]],
) -> dict[str, list[str]]:
    """The different words of each entry, in lower case and in order; for states, without those that mean closed."""
    usual = [(_ACTIONS, "status"), (_ACTIONS, "priority")]
    each = [
        statement("desk/words_of", entry=text(entry), name=text(column), table=quoted(table), column=quoted(column))
        for table, column in dict.fromkeys((*usual, *columns, *named))
        if (entry := named.get((table, column)) or _entry(table, column))
    ]
    by_column: dict[tuple[str, str], list[str]] = {}
    for entry, name, word in warehouse.rows(statement("desk/words", query=" union ".join(each)), closed):
        by_column.setdefault((entry, name), []).append(word)
    certain = {(entry, column) for (_, column), entry in named.items()}
    seen: dict[str, set[str]] = {}
    for (entry, name), words in by_column.items():
        if name in (*_CERTAIN, entry) or (entry, name) in certain or _is_of(entry, words):
            seen.setdefault(entry, set()).update(words)
    return {entry: sorted(words) for entry, words in seen.items()}


def _is_of(entry: str, words: list[str]) -> bool:
    """Whether a column of a less certain name holds words of an entry. A number may be a floor, or rank either way."""
    known = sum(_KNOWN[entry](word) for word in words)
    return 2 * known >= len(words) <= _MOST_WORDS and not any(map(str.isdecimal, words))


def _entry(table: str, column: str) -> str | None:
    """The entry of `[desk]` whose words a column may hold, by its name."""
    words = set(column.split("_"))
    if words & _STATES:
        return {_ACTIONS: "action_open", _FLAGS: "flag_open", _HISTORY: "flag_open"}.get(table)
    return "priority_order" if table in (_ACTIONS, _FLAGS) and words & _PRIORITIES else None
