"""Promises of the second look at landed pages: what changed is read once for all that a merge needs of it."""

import json
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from propsync.landing import Landed, Manifest, PageStore
from propsync.merge import Merger, ShapeStore
from propsync.merge.history import new_payloads
from propsync.records import HASH_VERSION
from propsync.resources import ASSESSMENTS
from propsync.runs import Journal, next_run
from propsync.shapes import Choice, Shape
from propsync.storage import LocalStorage
from propsync.warehouse import Warehouse

PAGES, OF_PAGE = 3, 4
FIRST = datetime(2026, 1, 1, 2, 30, tzinfo=UTC)


class CountingPages(PageStore):
    """Counts how often a merge reads each page."""

    def __init__(self, storage):
        super().__init__(storage)
        self.reads: Counter[str] = Counter()

    def get(self, sha256):
        self.reads[sha256] += 1
        return super().get(sha256)


class Nights:
    """Merges of one list of assessments, whose records have a status of their own."""

    def __init__(self, folder):
        self.warehouse = Warehouse(folder / "state.duckdb", memory_limit="300MB", folder=folder)
        self.pages = CountingPages(LocalStorage(folder))
        self._merger = Merger(self.warehouse, self.pages, Journal(self.warehouse), ShapeStore(self.warehouse, {}))
        paths = {"id": "id", "list": "assessments", "status": "status"}
        choices = {part: Choice(((path,),), "configured", "") for part, path in paths.items()}
        self._shape = Shape(ASSESSMENTS.name, choices, frozenset())

    def merge(self, night, score):
        """Merges pages on which every record has this score; returns how often it read each page."""
        self.pages.reads.clear()
        run = next_run("nightly", None, FIRST + timedelta(days=night))
        manifest = Manifest(
            run_id=run.run_id,
            run_time=run.time.isoformat(),
            resource=ASSESSMENTS.name,
            verdict="certified",
            hash_version=HASH_VERSION,
            shape=self._shape.to_json(),
            settings={},
            landed=[self._landed(sequence, score) for sequence in range(1, PAGES + 1)],
        )
        self._merger.merge(ASSESSMENTS, manifest, self._shape)
        return set(self.pages.reads.values())

    def _landed(self, sequence, score):
        ids = (f"{sequence}/{place}" for place in range(OF_PAGE))
        body = json.dumps({"assessments": [{"id": one, "status": "approved", "score": score} for one in ids]}).encode()
        sha256 = self.pages.put(body, body)
        return Landed(sequence, "GET /", "for", "page", 1, 1.0 * sequence, sha256, len(body), performed="For")

    def versions(self):
        """The score and the status of each version, counted."""
        query = (
            "select (payload->>'score')::integer, status, count(*) from history.assessments group by all order by all"
        )
        return self.warehouse.rows(query)


@pytest.fixture
def nights(tmp_path):
    nights = Nights(tmp_path)
    yield nights
    nights.warehouse.close()


def test_a_merge_reads_a_page_once_to_list_its_keys_and_once_for_what_changed(nights):
    assert nights.merge(0, score=1) == {2}
    assert nights.merge(1, score=2) == {2}
    assert nights.versions() == [(1, "approved", PAGES * OF_PAGE), (2, "approved", PAGES * OF_PAGE)]


def test_records_beyond_the_room_are_read_again(nights, monkeypatch):
    monkeypatch.setattr(new_payloads, "_KEPT", 60)  # bytes: the first record and a part of the second
    nights.merge(0, score=1)
    assert max(nights.merge(1, score=2)) == 4  # for keys, statuses, comparison and payloads
    assert nights.versions() == [(1, "approved", PAGES * OF_PAGE), (2, "approved", PAGES * OF_PAGE)]
