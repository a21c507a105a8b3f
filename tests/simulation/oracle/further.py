"""The further list: what is known stays, each delete has its evidence or a person's word, macros agree with history."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs

from propsync_sandbox import Entry, Key
from propsync_sandbox.world import PROPERTIES

from ..outcome import Order, Outcome
from ..watch import Window, resource_of
from .canonical import canonical
from .problems import Problems
from .published import Published, Version
from .veil import Veil

_MEMBERS = ("name", "address.line1", "address.postcode", "customReference")
_NAMED = f"select source, column_name from ops.columns where (table_schema, table_name) = ('main', '{PROPERTIES}')"
_HELD = f"from ops.held_deletes where resource = '{PROPERTIES}'"
_MOST_MOMENTS = 5
Runs = Sequence[tuple[Order | None, Window, Outcome]]
Versions = dict[Key, list[Version]]


class Further:
    """Asked after every run; remembers what was published before, and what each run held."""

    def __init__(self, *, has_filter: bool) -> None:
        self._has_filter = has_filter
        self._kept: set[tuple[Any, ...]] = set()
        self._held: dict[str, set[Key]] = defaultdict(set)

    def check(self, found: Published, runs: Runs, problems: Problems) -> None:
        """What holds after every run, however it went."""
        if PROPERTIES not in found.resources:
            problems.expect(not self._kept, "a list that was published stays", len(self._kept))
            return
        for run_id, key in found.rows(f"select run_id, record_id {_HELD}"):
            self._held[run_id].add(key)
        versions = found.history(PROPERTIES)
        self._check_kept(versions, problems)
        for version in (one for of in versions.values() for one in of if one.change == "delete"):
            self._check_delete(version, runs, problems)

    def veil(self, veil: Veil) -> None:
        """The versions published so far are seen without what an erasure took."""
        self._kept = {
            (key, since, change, _plain(veil.payload(PROPERTIES, str(key), payload)))
            for key, since, change, payload in self._kept
        }

    def _check_kept(self, versions: Versions, problems: Problems) -> None:
        """Whether propsync.toml names the list or not, no version goes."""
        kept = {
            (key, one.valid_from, one.change, _plain(json.loads(one.payload, parse_float=Decimal)))
            for key, of in versions.items()
            for one in of
        }
        lost = sorted(map(str, self._kept - kept))
        problems.expect(not lost, "what the list has shown stays in history", len(lost), lost[:1])
        self._kept = kept

    def _check_delete(self, version: Version, runs: Runs, problems: Problems) -> None:
        name = f"{PROPERTIES} {version.key} at {version.run_id}"
        order, window = next(
            ((order, one) for order, one, _ in reversed(runs) if one.is_of(version.valid_from)), (None, None)
        )
        if window is None:
            return  # `Past` tells of it
        if self._has_filter:
            is_so = any(_looks_up_in_vain(entry, version.key) for entry in window.entries)
            problems.expect(is_so, "a look-up did not show what is deleted", name)
        else:
            is_accepted = order is not None and version.key in self._held[str(order.accept)]
            problems.expect(is_accepted, "without a filter a person accepts each delete", name)

    def check_tables(self, found: Published, problems: Problems) -> None:
        """After a quiet run: columns, and the macros for people."""
        named = dict(found.rows(_NAMED))  # two members may make one name: the first of them has it
        for row in found.dicts(f"from main.{PROPERTIES}"):
            shown, told = [row.get(named.get(one, "")) for one in _MEMBERS], _columns(json.loads(row["payload"]))
            same = shown == told
            problems.expect(same, "columns say what the payload says", row["property_id"], shown, "≠", told)
        versions = found.history(PROPERTIES)
        moments = sorted({one.valid_from for of in versions.values() for one in of})[-_MOST_MOMENTS:]
        for moment in moments:
            _check_as_of(found, versions, moment, problems)
        for before, after in {*pairwise(moments), *zip(moments[:1], moments[-1:], strict=True)}:
            _check_changes(found, versions, before, after, problems)


def _plain(value: Any) -> str:
    return json.dumps(value, default=str)


def _looks_up_in_vain(entry: Entry, key: Key) -> bool:
    asked = parse_qs(entry.query).get("id", [""])[0].split(",")
    is_shown = any(record.key == key for record in entry.records)
    return resource_of(entry) == PROPERTIES and key in asked and not is_shown


def _columns(record: dict[str, Any]) -> list[Any]:
    address = record["address"] or {}
    return [record["name"], address.get("line1"), address.get("postcode"), record["customReference"]]


def _open_at(versions: Versions, moment: datetime) -> dict[Key, str]:
    """The payload of each record that was there."""
    open_then = {}
    for key, of in versions.items():
        for one in of:
            is_open = one.valid_from <= moment and (one.valid_to is None or one.valid_to > moment)
            if is_open and one.change != "delete":
                open_then[key] = one.payload
    return open_then


def _check_as_of(found: Published, versions: Versions, moment: datetime, problems: Problems) -> None:
    rows = found.rows(f"select property_id, payload from {PROPERTIES}_as_of('{moment.isoformat()}'::timestamptz)")
    is_so = sorted(rows) == sorted(_open_at(versions, moment).items())
    problems.expect(is_so, "as-of tells what was open", PROPERTIES, moment, len(rows))


def _check_changes(found: Published, versions: Versions, a: datetime, b: datetime, problems: Problems) -> None:
    """Each record that came, went or differs, once at least; a member that is null is as if it were not there."""
    moments = ", ".join(f"'{moment.isoformat()}'::timestamptz" for moment in (a, b))
    query = f"select distinct record_id, change from changes_between({moments}) where resource = '{PROPERTIES}'"
    told = set(found.rows(query))
    before, after = _open_at(versions, a), _open_at(versions, b)
    wanted = {(key, "insert") for key in after.keys() - before.keys()}
    wanted |= {(key, "delete") for key in before.keys() - after.keys()}
    both = before.keys() & after.keys()
    wanted |= {(key, "update") for key in both if _stated(before[key]) != _stated(after[key])}
    problems.expect(told == wanted, "changes_between tells what changed", PROPERTIES, a, b, told ^ wanted)


def _stated(payload: str) -> Any:
    return _without_null(canonical(PROPERTIES, payload))


def _without_null(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    stated = {name: _without_null(one) for name, one in value.items()}
    return {name: one for name, one in stated.items() if one not in (None, {})}
