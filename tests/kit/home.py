"""One home for tests: a folder that propsync keeps its files in, and the API that fills it."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
from kit.server import TOKEN

from propsync.api import RetryPolicy
from propsync.runbooks import Report, Scope, Step, backfill, nightly, rebuild
from propsync.settings import Settings, load_settings
from propsync.warehouse import Warehouse

QUICK = RetryPolicy(attempts=3, base=0.001)
KEYS = {"assets": "asset_id", "assessments": "assessment_id", "schedules": "property_id, assessment_type_id"}
Rows = list[tuple[Any, ...]]


class Home:
    """`usual` are settings that each of its commands gets, by their names in lower case.

    Its runs leave the marts and the dashboard out unless `has_desk`. These are half of what a small run costs, and few
    tests look at them.
    """

    has_desk = False

    def __init__(self, path: Path, url: str = "", *, token: str = TOKEN, **usual: object) -> None:
        self.path = path
        self.policy = QUICK
        self.usual = {"base_url": url, "token": token} | usual if url else usual

    @property
    def state(self) -> Path:
        return self.path / "state" / "warehouse.duckdb"

    @property
    def published(self) -> Path:
        return self.path / "published" / "warehouse.duckdb"

    def environ(self, **given: object) -> dict[str, str]:
        """The settings as a program gets them."""
        told = {"home": self.path} | self.usual | given
        return {f"PROPSYNC_{name.upper()}": str(value) for name, value in told.items()}

    def settings(self, **given: object) -> Settings:
        """The settings, some `given`."""
        return load_settings(environ=self.environ(**given))

    def sync(
        self,
        only: Sequence[str] = (),
        *,
        accept: str | None = None,
        call: Callable[..., Any] | None = None,
        now: datetime | None = None,
        **given: object,
    ) -> Report:
        """One nightly run, without documents."""
        self._begin()
        call = call or self.call
        return nightly(self.settings(**given), only, accept=accept, policy=self.policy, now=now, call=call)

    def call(self, name: str, step: Step) -> None:
        """Runs a step of a run."""
        if self.has_desk or name not in ("marts", "dashboard"):
            step()

    def _begin(self) -> None:
        """Gives a home that does not exist yet its empty state, as propsync makes it: making it costs 0.1 s of CPU."""
        if not self.path.exists():
            self.state.parent.mkdir(parents=True)
            self.state.write_bytes(_empty_state())

    def backfill(self, scope: Scope, *, call: Callable[..., Any] | None = None, **given: object) -> Report:
        """Reads a part again."""
        return backfill(self.settings(**given), scope, policy=self.policy, call=call or self.call)

    def rebuild(self, *, accept_loss: Collection[str] = (), **given: object) -> Report:
        """Rebuilds the state from landing."""
        return rebuild(self.settings(**given), accept_loss=accept_loss)

    def rows(self, query: str, *values: object) -> Rows:
        """A query on what is published."""
        with duckdb.connect(self.published, read_only=True) as connection:
            return connection.execute(query, list(values)).fetchall()

    def column(self, query: str, *values: object) -> list[Any]:
        """The first column of a query on what is published."""
        return [row[0] for row in self.rows(query, *values)]

    def in_state(self, sql: str) -> Rows:
        """A statement on the state database, which another program, or time, might run."""
        with duckdb.connect(self.state) as connection:
            return connection.execute(sql).fetchall()

    def known(self, resource: str) -> dict[Any, Any]:
        """Published records by key."""
        return self.records(resource, json.loads)

    def records(self, resource: str, decoded: Callable[[str], Any]) -> dict[Any, Any]:
        """Published records by key, their payloads decoded in one's own way."""
        found = self.rows(f"select payload, {KEYS[resource]} from {resource}")
        return {key[0] if len(key) == 1 else tuple(key): decoded(payload) for payload, *key in found}

    def note(self) -> dict[str, Any]:
        """What `_published.json` says."""
        told: dict[str, Any] = json.loads((self.path / "published" / "_published.json").read_text())
        return told

    def copy_of_published(self, name: str = "before") -> Path:
        """A copy of what is published, to compare with."""
        copy = self.path.parent / f"{name}.duckdb"
        shutil.copy(self.published, copy)
        return copy


@cache
def _empty_state() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.duckdb"
        with Warehouse(path, memory_limit="500MB", folder=Path(folder)):
            pass
        return path.read_bytes()


def moved(report: Report) -> dict[str, tuple[int, int]]:
    """(inserted, updated) of each resource that moved at all."""
    counts = {name: (told["inserted"], told["updated"]) for name, told in report.resources.items()}
    return {name: count for name, count in counts.items() if count != (0, 0)}
