"""A sandbox, a home that was synced from it, and what is archived there, compared with what the sandbox has."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest

from propsync.api import RetryPolicy
from propsync.runbooks import ArchiveReport, Documents, Report, archive, night, nightly, rebuild
from propsync.settings import Settings, load_settings
from propsync_sandbox import Sandbox, documents
from propsync_sandbox.documents import Kind, bundle, report, subject
from propsync_sandbox.findings import Subject

QUICK = RetryPolicy(attempts=3, base=0.01, cap=0.05)
SCALE = 60
Writers = Mapping[str, Callable[[Subject], bytes]]
WRITERS: Writers = {"report": report, "bundle": bundle}
Rows = list[tuple[Any, ...]]
Pair = tuple[str, str]


@dataclass
class Place:
    """A sandbox and a home; documents are named by (assessment_id, kind)."""

    sandbox: Sandbox
    home: Path
    writers: Writers = field(default_factory=lambda: WRITERS)

    def settings(self, **given: object) -> Settings:
        """The settings, some `given` by their names without the prefix."""
        told = {"base_url": self.sandbox.base_url, "token": self.sandbox.token, "home": self.home} | given
        return load_settings(environ={f"PROPSYNC_{name.upper()}": str(value) for name, value in told.items()})

    def sync(self, **given: object) -> Report:
        return nightly(self.settings(**given), policy=QUICK)

    def night(self, **given: object) -> Report:
        return night(self.settings(**given), policy=QUICK)

    def rebuild(self) -> Report:
        return rebuild(self.settings())

    def archive(
        self, kinds: Sequence[str] = (), properties: Sequence[str] = (), limit: int | None = None, **given: object
    ) -> ArchiveReport:
        """An archive run, with what can be said of any: what is recorded is whole, and no row is there twice."""
        told = archive(self.settings(**given), Documents(kinds, properties, limit), policy=QUICK)
        assert flaws(self.home) == []
        return told

    def rows(self, query: str) -> Rows:
        """Rows of what is published."""
        with duckdb.connect(self.home / "published" / "warehouse.duckdb", read_only=True) as published:
            return published.execute(query).fetchall()

    def move_state(self, statement: str) -> None:
        """Changes the state database, as time would."""
        with duckdb.connect(self.home / "state" / "warehouse.duckdb") as state:
            state.execute(statement)

    def days_pass(self, days: float) -> None:
        """Makes all that was asked for older."""
        span = f"to_microseconds({int(days * 86_400_000_000)})"
        self.move_state(f"update documents set asked_at = asked_at - {span}, due_at = due_at - {span}")

    def wanted(self, status: str = "approved") -> list[str]:
        """The assessments whose documents are wanted."""
        return [str(one.key) for one in self.sandbox.world.assessments.records() if one.status == status]

    def pairs(self, *kinds: str) -> set[Pair]:
        return {(key, kind) for key in self.wanted() for kind in kinds or WRITERS}

    def truth(self, assessment_id: str, kind: str) -> bytes:
        """What the sandbox answers now."""
        record = self.sandbox.world.assessments.get(assessment_id)
        assert record is not None
        return self.writers[kind](subject(self.sandbox.world, record))

    def stored(self) -> dict[Pair, bytes]:
        """The latest version of each document."""
        found = self.rows("select assessment_id, kind, path from documents where is_latest")
        return {(key, kind): (self.home / path).read_bytes() for key, kind, path in found}

    def differing(self, pairs: set[Pair] | None = None) -> set[Pair]:
        """Wanted documents that are not stored as the sandbox has them now."""
        stored = self.stored()
        return {pair for pair in pairs or self.pairs() if stored.get(pair) != self.truth(*pair)}

    def asked(self) -> Counter[Pair]:
        """How often each document was asked for since the last look."""
        ends = {"report.pdf": "report", "bundle.zip": "bundle"}
        paths = [entry.path.split("/") for entry in self.sandbox.journal.entries()]
        self.sandbox.journal.clear()
        return Counter((path[2], ends[path[3]]) for path in paths if path[-1] in ends)

    def edit(self, *keys: str) -> None:
        """Each assessment becomes another version, and its documents with it."""
        for key in keys:
            self.sandbox.world.assessments.scribble(key)

    def fail(self, path: str = r".*\.(pdf|zip)", *, times: int | None = None, after: int = 0, **effect: object) -> None:
        """From now on requests for documents go wrong."""
        self.sandbox.set_faults([{"match": {"path": path}, "times": times, "after": after, "effect": effect}])


def flaws(home: Path) -> list[str]:
    """What must never be: a recorded path without its bytes, a version twice, no latest version or two of them."""
    found = []
    with duckdb.connect(home / "state" / "warehouse.duckdb", read_only=True) as state:
        for path, sha256, size in state.execute(
            "select distinct path, sha256, size_bytes from documents where version is not null"
        ).fetchall():
            body = (home / path).read_bytes() if (home / path).is_file() else b""
            if (hashlib.sha256(body).hexdigest(), len(body)) != (sha256, size):
                found.append(f"{path} is not what is recorded")
        queries = {
            "twice": "select assessment_id, kind, version from documents group by all having count(*) > 1",
            "not one latest": "select assessment_id, kind from documents where version is not null group by all "
            "having count(*) filter (is_latest) <> 1",
            "a state that does not fit": "select * from documents "
            "where (state = 'stored') <> (version is not null and path is not null and sha256 is not null)",
            "a member twice": "select document_sha256, name from bundle_members group by all having count(*) > 1",
            "a page twice": "select document_sha256, page_number from document_text group by all having count(*) > 1",
        }
        for table in ("actions", "controls", "elements"):
            queries |= {
                f"{table} twice": f"select assessment_id, row_number from bundle_{table} group by all "
                "having count(*) > 1",
                f"{table} of an older version": f"select assessment_id from bundle_{table} as rows "
                "where not exists (from documents where is_latest and kind = 'bundle' "
                "and documents.assessment_id = rows.assessment_id and sha256 = document_sha256)",
            }
        for name, query in queries.items():
            found += [f"{name}: {row}" for row in state.execute(query).fetchall()]
    return found


def noted(home: Path) -> set[Pair]:
    """What a run noted and did not put into the tables yet; a line that death cut short was never noted."""
    path = home / "archive" / "taken.jsonl"
    found = set()
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(ValueError):
            one = json.loads(line)
            found.add((one["assessment_id"], one["kind"]))
    return found


@contextmanager
def place(home: Path, copied: Path | None = None, writers: Writers | None = None, **options: Any) -> Iterator[Place]:
    """A sandbox, always with the same world at first, and a home, which is a copy of `copied`.

    `writers` write its documents in the place of the sandbox's own.
    """
    if copied is not None:
        shutil.copytree(copied, home)
    written = dict(WRITERS) | dict(writers or {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "REPORT", Kind(written["report"], "application/pdf"))
        patch.setattr(documents, "BUNDLE", Kind(written["bundle"], "application/zip"))
        with Sandbox(**{"scale": SCALE} | options) as sandbox:
            yield Place(sandbox, home, written)
