"""A sandbox, a home that was synced from it, and what is archived there, compared with what the sandbox has."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest
from kit.sandbox_home import SandboxHome

from propsync.runbooks import ArchiveReport, Documents, archive
from propsync_sandbox import Sandbox, documents
from propsync_sandbox.documents import Kind, bundle, report, subject
from propsync_sandbox.findings import Subject

LARGE, SMALL = 45, 30
"""Scales of sandboxes: with enough documents for budgets and breaks, and with fewer."""
Writers = Mapping[str, Callable[[Subject], bytes]]
WRITERS: Writers = {"report": report, "bundle": bundle}
Pair = tuple[str, str]


class Place(SandboxHome):
    """A sandbox and a home with documents, which (assessment_id, kind) names; `writers` write them."""

    def __init__(self, sandbox: Sandbox, path: Path, writers: Writers = WRITERS) -> None:
        super().__init__(sandbox, path)
        self.writers = writers

    def archive(
        self, kinds: Sequence[str] = (), properties: Sequence[str] = (), limit: int | None = None, **given: object
    ) -> ArchiveReport:
        """An archive run, with a look at what holds after any: recorded files are whole, and no row comes twice."""
        told = archive(self.settings(**given), Documents(kinds, properties, limit), policy=self.policy)
        assert flaws(self.path) == []
        return told

    def days_pass(self, days: float) -> None:
        """Makes all that was asked for older."""
        span = f"to_microseconds({int(days * 86_400_000_000)})"
        self.in_state(f"update documents set asked_at = asked_at - {span}, due_at = due_at - {span}")

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
        found = self.rows("select assessment_id, kind, path from documents where is_latest and path is not null")
        return {(key, kind): (self.path / path).read_bytes() for key, kind, path in found}

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
    """Each recorded path without its bytes, each version twice, each document with no latest version or with two."""
    found = []
    with duckdb.connect(home / "state" / "warehouse.duckdb", read_only=True) as state:
        for path, sha256, size in state.execute(
            "select distinct path, sha256, size_bytes from documents where version is not null and path is not null"
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
            "a member twice": "select document_sha256, name, crc32 from bundle_members group by all "
            "having count(*) > 1",
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
    """Documents that a run noted and did not put into the tables yet; a line that death cut short does not count."""
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
        with Sandbox(**{"scale": LARGE} | options) as sandbox:
            yield Place(sandbox, home, written)
