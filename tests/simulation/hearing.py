"""Posts hints of a seed into its home, and asks afterwards what became of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import duckdb

from propsync.storage import LocalStorage
from propsync.webhook.inbox import Inbox, Post
from propsync_sandbox import Key
from propsync_sandbox.hints import item_of

from .ground import SmallWorld
from .hints import Hinting
from .kills import moments
from .oracle.problems import Problems
from .oracle.published import KEYS
from .statuses import ASKED

_HOSTILE = (b"[", b"null", b'"x"', b"[[[[]]]]", b'[{"type": 7}]', b'[{"type": "assessment"}]', b"\xff\xfe")
_KINDS = ("property", "assessment", "task", "no such type")
_UNREAD = _KINDS[2:]


@dataclass
class Hearing:
    """The accepted posts of one seed."""

    world: SmallWorld
    home: Path
    posted: int = 0
    """Items that the receiver accepted; a post that is no array counts as one."""
    is_waking: bool = False
    """Whether any of them names something to read; others lie there until the next run, or the night."""
    changed: dict[str, set[Key]] = field(default_factory=dict)
    """The records, by resource, with a post after their last edit."""

    def edits(self, edit: Callable[[], None]) -> list[dict[str, Any]]:
        """Items about the changes that `edit` makes."""
        log = self.world.changes
        is_open, before = log.is_open, len(log)
        log.is_open = True
        try:
            edit()
        finally:
            log.is_open = is_open
        changes = list(log)[before:]
        for one in changes:
            self.changed.setdefault(one.resource, set()).add(one.record.key)
        return [dict(item_of(one)) for one in changes]

    def post(self, hinting: Hinting, items: list[dict[str, Any]], now: datetime, dice: Random) -> None:
        """One post an item, in no order; some are lost, some come twice, and hostile ones lie between them."""
        bodies: list[bytes] = []
        for item in items:
            if dice.random() < hinting.lost:
                self._forget(item)
                continue
            body = json.dumps([item]).encode()
            bodies += [body, body] if dice.random() < hinting.doubled else [body]
        bodies += [self._hostile(dice) for _ in range(hinting.hostile)]
        dice.shuffle(bodies)
        moments.plan(None, lambda: None)  # the run before may have died, and the receiver is no part of it
        inbox = Inbox(LocalStorage(self.home))
        for body in bodies:
            inbox.add([Post(now, body)])
        self.posted += len(bodies)
        self.is_waking = self.is_waking or any(map(_names_something, bodies))

    def _forget(self, item: dict[str, Any]) -> None:
        key = (item["propertyId"], item["typeId"]) if "typeId" in item else item["id"]
        for keys in self.changed.values():
            keys.discard(key)

    @staticmethod
    def _hostile(dice: Random) -> bytes:
        if dice.random() < 0.5:
            return dice.choice(_HOSTILE)
        return json.dumps([{"type": dice.choice(_KINDS), "id": f"no such id {dice.randrange(10**6)}"}]).encode()

    def check(self, hinting: Hinting) -> Counter[str]:
        """Asked after a look without trouble: nothing accepted is lost or doubled, and the tables follow the posts."""
        problems = Problems()
        left = Inbox(LocalStorage(self.home)).files()
        problems.expect(not left or not self.is_waking, "a run takes in every post", left)
        with duckdb.connect(self.home / "published" / "warehouse.duckdb", read_only=True) as connection:
            [(items,)] = connection.execute("select coalesce(sum(items), 0) from ops.hints").fetchall()
            is_so = items == self.posted - len(left)
            problems.expect(is_so, "each accepted post counts once", items, self.posted, left)
            if hinting.is_calm and not hinting.is_early:
                self._check_records(connection, problems)
            states = connection.execute("select state, sum(items) from ops.hints group by state").fetchall()
        problems.settle("after hints")
        return Counter({f"hint {state}": int(count) for state, count in states}) + Counter({"hints heard": 1})

    def _check_records(self, connection: duckdb.DuckDBPyConnection, problems: Problems) -> None:
        """A record in a post is as in the world, or held for a person. It waits for the first read of its resource."""
        held = set(connection.execute("select resource, key_1, key_2 from ops.held_deletes").fetchall())
        read = {name for (name,) in connection.execute("select distinct resource from ops.shapes").fetchall()}
        for resource in read & {"assessments", "schedules"}:
            columns, asked = ", ".join(KEYS[resource]), ASKED[resource]
            rows = connection.execute(f"select {columns} from main.{resource}").fetchall()
            shown = {row if len(row) > 1 else row[0] for row in rows}
            there = {one.key for one in self.world.shelf(resource).records() if one.status in asked}
            gone = set(self.world.shelf(resource).gone_keys())
            for key in self.changed.get(resource, ()):
                if key in there:
                    problems.expect(key in shown, "a hint brings a record", resource, key)
                parts = key if isinstance(key, tuple) else (key, "")
                if key in gone and (resource, *parts) not in held:
                    problems.expect(key not in shown, "a hint takes away what is gone", resource, key)


def _names_something(body: bytes) -> bool:
    return body not in _HOSTILE and json.loads(body)[0]["type"] not in _UNREAD
