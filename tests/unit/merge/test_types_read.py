"""Promises of merging types night after night: the same types are noted, and everything else is merged."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from propsync.landing import Landed, Manifest, PageStore
from propsync.merge import Merger, ShapeStore
from propsync.records import HASH_VERSION
from propsync.resources import ASSESSMENT_TYPES
from propsync.runs import Journal, next_run
from propsync.shapes import Choice, Shape
from propsync.storage import LocalStorage
from propsync.warehouse import Warehouse

FIRST = datetime(2026, 1, 1, 2, 30, tzinfo=UTC)
FIRE, GAS = {"id": "fire", "name": "Fire"}, {"id": "gas", "name": "Gas"}
NOTED = "select fetched, inserted, updated, deleted, unchanged, rejected from ops.run_resources order by run_id"


class Nights:
    """Merges of one list of types; `looked` has the nights on which a merge cut the list."""

    def __init__(self, folder, monkeypatch):
        self.warehouse = Warehouse(folder / "state.duckdb", memory_limit="300MB", folder=folder)
        self._pages = PageStore(LocalStorage(folder))
        self._merger = Merger(self.warehouse, self._pages, Journal(self.warehouse), ShapeStore(self.warehouse, {}))
        self.night = 0
        self.looked: list[int] = []
        merge = self._merger._merge_types

        def noted(*given, **named):
            self.looked.append(self.night)
            return merge(*given, **named)

        monkeypatch.setattr(self._merger, "_merge_types", noted)

    def merge(self, types, verdict="certified", evidence=""):
        self.night += 1
        run = next_run("nightly", None, FIRST + timedelta(days=self.night))
        paths = {"id": "id", "name": "name", "list": "types"}
        choices = {part: Choice(((path,),), "found", evidence) for part, path in paths.items()}
        shape = Shape(ASSESSMENT_TYPES.name, choices, frozenset())
        body = json.dumps({"types": types}).encode()
        landed = Landed(1, "GET /", "all", "page", 1, 1.0 * self.night, self._pages.put(body, body), len(body))
        own = Manifest(run.run_id, run.time.isoformat(), ASSESSMENT_TYPES.name, verdict, HASH_VERSION, shape.to_json(),
                       {}, landed=[landed])  # fmt: skip
        self._merger.merge_types(ASSESSMENT_TYPES, own, None, shape)

    def versions(self):
        query = (
            "select assessment_type_id, change from history.assessment_types order by valid_from, assessment_type_id"
        )
        return self.warehouse.rows(query)


@pytest.fixture
def nights(tmp_path, monkeypatch):
    nights = Nights(tmp_path, monkeypatch)
    yield nights
    nights.warehouse.close()


def test_the_same_types_again_are_only_noted(nights):
    nights.merge([FIRE, GAS], evidence="2 of them")
    nights.merge([FIRE, GAS], evidence="3 of them")
    assert nights.looked == [1]
    assert nights.warehouse.rows(NOTED) == [(2, 2, 0, 0, 0, 0), (2, 0, 0, 0, 2, 0)]


def test_a_type_that_goes_and_comes_back_has_a_version_each_time(nights):
    for types in ([FIRE, GAS], [FIRE], [FIRE], [FIRE, GAS]):
        nights.merge(types)
    assert nights.looked == [1, 2, 4]
    assert nights.versions() == [("fire", "insert"), ("gas", "insert"), ("gas", "delete"), ("gas", "insert")]


def test_the_same_types_read_otherwise_are_merged(nights):
    nights.merge([FIRE, GAS])
    nights.merge([FIRE], verdict="incomplete")
    nights.merge([FIRE])
    assert nights.looked == [1, 2, 3]


def test_a_rejected_type_is_noted_each_night(nights):
    nights.merge([FIRE, {"name": "without an id"}])
    nights.merge([FIRE, {"name": "without an id"}])
    assert nights.looked == [1, 2]
    assert nights.warehouse.value("select count(*) from ops.rejected_records") == 2
