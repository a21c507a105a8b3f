"""An estate that is served, a home that follows it, and nights one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kit.estate import Estate
from kit.home import KEYS, Home
from kit.kept import KeptHomes
from kit.server import Server

from propsync.runbooks import Report
from propsync.settings import Settings


class Nights(Home):
    """`sync` is one night; pages have 20 records."""

    def __init__(self, estate: Estate, url: str, path: Path, kept: KeptHomes) -> None:
        super().__init__(path, url, page_limit=20)
        self.estate = estate
        self.url = url
        self._kept = kept
        self._used: set[str] = set()

    def settings(self, **given: object) -> Settings:
        """The settings; what the server was asked before them is forgotten."""
        self.estate.requests.clear()
        return super().settings(**given)

    def sync(self, only: Sequence[str] = (), *, accept: str | None = None, **options: Any) -> Report:
        """One nightly run of the resources that ever had a record."""
        self._used |= self.estate.resources()
        return super().sync(only or sorted(self._used), accept=accept, **options)

    def first_night(self, **settings: Any) -> None:
        """The first `sync` of an estate of plain lists; a session syncs equal estates once."""

        def make(_: Path) -> None:
            assert self.sync(**settings).exit_code == 0

        self._kept.copied((self.estate.plainly(), self.has_desk, settings), self.path, make)
        self._used |= self.estate.resources()

    def is_truth(self, resource: str) -> bool:
        """Whether exactly the estate's records are published."""
        return self.known(resource) == self.estate.truth(resource)

    def attempts(self, report: Report, resource: str) -> list[tuple[Any, ...]]:
        """(attempt, rung, list, verdict) of each list of a run."""
        return self.rows(
            "select attempt, rung, list, verdict from ops.sweeps where run_id = ? and resource = ? order by all",
            report.run_id,
            resource,
        )

    def rungs(self, report: Report, resource: str) -> list[int]:
        """The rungs that a run stood on, one for each attempt."""
        told = {(attempt, rung): rung for attempt, rung, _, _ in self.attempts(report, resource)}
        return list(told.values())

    def held(self, resource: str) -> set[str]:
        """The keys that are held now."""
        return set(self.column("select record_id from ops.held_deletes where resource = ?", resource))

    def changes(self, resource: str, key: str) -> list[str]:
        """The change that opened each version of a record, in their order."""
        column = KEYS[resource].split(",")[0]
        return self.column(f"select change from history.{resource} where {column} = ? order by valid_from", key)


@contextmanager
def nights_of(estate: Estate, home: Path, kept: KeptHomes) -> Iterator[Nights]:
    """An estate that is served, with a home where nothing was ever synced."""
    with Server(estate) as server:
        yield Nights(estate, server.url, home, kept)
