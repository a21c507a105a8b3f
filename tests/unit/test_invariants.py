"""Invariants that hold whatever comes: history has no holes, a certificate is arithmetic, names are never taken twice.

Those of the canonical form are in records/test_canonical.py, those of single names in test_names.py.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.api.conftest import TRUST
from unit.api.loopback import TOKEN, Reply, Server

from propsync.api import Api, TokenSource
from propsync.errors import PropsyncError
from propsync.landing import Landed, LookedUp, Manifest, PageStore
from propsync.merge import Merger, ShapeStore
from propsync.merge.tables import build_tables
from propsync.progress import LineProgress
from propsync.records import HASH_VERSION
from propsync.resources import ASSESSMENTS, ASSETS, SCHEDULES, ListQuery
from propsync.runs import Journal, Verdict, next_run
from propsync.shapes import Choice, Shape, cutter_of
from propsync.storage import LocalStorage
from propsync.sweep import StagedKeys
from propsync.sweep.one_list import ListSweep
from propsync.sweep.page_reader import PageReader
from propsync.warehouse import Warehouse, quoted, snake_case, unique_name
from propsync.warehouse.checks import check_files


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("invariants")


@pytest.fixture(scope="module")
def warehouse(folder):
    with Warehouse(folder / "state.duckdb", memory_limit="300MB", folder=folder) as warehouse:
        yield warehouse


def shape_of(resource):
    paths = {role: ((role,),) for role in resource.key} | {"list": (("records",),), "status": (("status",),)}
    return Shape(resource.name, {part: Choice(told, "configured", "") for part, told in paths.items()}, frozenset())


# --- history ---------------------------------------------------------------------------------------------------------

FIRST = datetime(2026, 1, 1, 2, 30, tzinfo=UTC)
KEYS = ("k1", "k2", "k3")
values = st.integers(0, 1)  # few, so that what comes back is often as it was
performed = st.sampled_from([("For",), ("By",), ("For", "By")])


@st.composite
def nights(draw):
    """The records of each night, whether propsync read all of them, and the absent keys that it finds deleted."""
    told = []
    for _ in range(draw(st.integers(2, 5))):
        keys = [key for key in KEYS if draw(st.booleans())]
        shown = {key: (draw(values), draw(performed)) for key in keys}
        missing = [key for key in KEYS if key not in shown]
        gone = {key for key in missing if draw(st.booleans())}
        told.append((shown, draw(st.booleans()), gone))
    return told


class History:
    """One resource's history, made by the product's own merge of landed snapshots."""

    NOTES = ("run_resources", "tables", "sweeps", "held_deletes")

    def __init__(self, warehouse, folder, resource):
        self.warehouse = warehouse
        self.resource = resource
        self.is_pair = len(resource.key) == 2
        self.shape = shape_of(resource)
        self.pages = PageStore(LocalStorage(folder))
        self.merger = Merger(warehouse, self.pages, Journal(warehouse), ShapeStore(warehouse, {}))
        typed = (f"main.{resource.name}", f"history.{resource.name}_earlier", "main.asset_field_values")
        for table in (f"history.{resource.name}", *typed, *(f"ops.{name}" for name in self.NOTES)):
            warehouse.execute(f"delete from {table}")

    def merge(self, number, shown, is_complete, gone):
        run = next_run("nightly", None, moment(number))
        manifest = Manifest(
            run_id=run.run_id,
            run_time=run.time.isoformat(),
            resource=self.resource.name,
            verdict=(Verdict.CERTIFIED if is_complete else Verdict.INCOMPLETE).value,
            hash_version=HASH_VERSION,
            shape=self.shape.to_json(),
            settings={},
            landed=[self.landed(place, side, shown) for place, side in enumerate(self.sides(), 1)],
            looked_up=[LookedUp(self.key(key), "gone") for key in sorted(gone)],
        )
        self.merger.merge(self.resource, manifest, self.shape)

    def build(self):
        """Builds the tables of all nights at once, as after nights whose builds failed."""
        types = {name: Shape(name, {}, frozenset()) for name in ("asset_types", "assessment_types")}
        run = next_run("nightly", None, FIRST)
        build_tables(self.warehouse, run, self.resource, types | {self.resource.name: self.shape})

    def sides(self):
        return self.resource.performed or (None,)

    def landed(self, sequence, side, shown):
        records = [
            self.record(key, value) for key, (value, performed) in shown.items() if side is None or side in performed
        ]
        body = json.dumps({"total": len(records), "records": records}).encode()
        sha256 = self.pages.put(body, body)
        return Landed(sequence, "GET /", side or "all", "page", 1, 1.0 * sequence, sha256, len(body), performed=side)

    def key(self, key):
        return (key, "t") if self.is_pair else (key,)

    def record(self, key, value):
        return dict(zip(self.resource.key, self.key(key), strict=True)) | {"n": value, "status": f"s{value}"}

    def as_of(self, time):
        """key → (value, flags of the lists), as the as-of macro shows it."""
        facts = "performed_for, performed_by" if self.resource.performed else "null, null"
        rows = self.warehouse.rows(
            f"select {self.resource.key_columns[0]}, (to_json(shown)->>'n')::integer, {facts} "
            f"from {self.resource.name}_as_of($1::timestamptz) as shown",
            [time],
        )
        assert len(rows) == len({key for key, *_ in rows})
        return {key: (value, *told) for key, value, *told in rows}

    def first(self):
        """The moment before which the macro refuses to answer."""
        return self.warehouse.value(f"select min(valid_from) from history.{self.resource.name}")

    def changes(self, one, other):
        """key → change, as the macro changes_between tells it of two nights."""
        rows = self.warehouse.rows(
            "select distinct string_split(record_id, '/')[1], change from changes_between($1, $2) where resource = $3",
            [moment(one), moment(other), self.resource.name],
        )
        assert len(rows) == len(dict(rows))
        return dict(rows)

    def after(self, before, shown, is_complete, gone):
        """The state that a night leaves. A list read in part does not tell what is not on it."""
        state = {key: told for key, told in before.items() if key not in gone}
        for key, (value, performed) in shown.items():
            told: tuple[bool | None, ...] = (
                ("For" in performed, "By" in performed) if self.resource.performed else (None, None)
            )
            if self.resource.performed and not is_complete and key in before:
                told = tuple(one or other for one, other in zip(told, before[key][1:], strict=True))
            state[key] = (value, *told)
        return state

    def broken(self):
        check = dict(check_files())[f"{self.resource.name}_history_is_seamless"]
        return self.warehouse.rows(check)


def moment(number):
    return FIRST + timedelta(days=number)


@pytest.mark.slow
@pytest.mark.parametrize(
    "resource",
    [ASSETS, *(pytest.param(other, marks=pytest.mark.release) for other in (ASSESSMENTS, SCHEDULES))],
    ids=lambda resource: resource.name,
)
def test_history_is_seamless_and_shows_at_any_moment_what_was_known_then(warehouse, folder, resource):
    @settings(max_examples=10)
    @given(nights())
    def holds(told):
        history = History(warehouse, folder, resource)
        states: list[Any] = [{}]
        for number, night in enumerate(told):
            history.merge(number, *night)
            states.append(history.after(states[-1], *night))
            assert history.broken() == []
        history.build()
        first = history.first()
        for number, state in enumerate(states):
            for at in (moment(number - 1), moment(number) - timedelta(microseconds=1)):
                if first is None or at >= first:
                    assert history.as_of(at) == state
                else:
                    assert state == {}
                    with pytest.raises(PropsyncError, match="the first run was at"):
                        history.as_of(at)
        assert history.changes(0, len(told) - 1) == net(states[1], states[-1])

    holds()


def net(before, after):
    """Which records came, went and changed between two states."""
    came, went, stayed = after.keys() - before.keys(), before.keys() - after.keys(), before.keys() & after.keys()
    changed = {key for key in stayed if before[key] != after[key]}
    return dict.fromkeys(came, "insert") | dict.fromkeys(went, "delete") | dict.fromkeys(changed, "update")


# --- certificates ----------------------------------------------------------------------------------------------------

LIMIT = 3


class Answers:
    """Pages of one list, as (total, keys) by number; `again` is what page 1 shows when it is asked for once more."""

    def __init__(self, pages, again):
        self.pages = pages
        self.again = again
        self.served = []
        self.lock = threading.Lock()

    def __call__(self, seen):
        page = int(parse_qs(urlsplit(seen.target).query)["page"][0])
        with self.lock:
            is_again = any(number == page for number, *_ in self.served)
            total, keys = self.again if is_again else self.pages.get(page, (self.pages[1][0], []))
            self.served.append((page, "again" if is_again else "page", total, keys))
        # a record without an id is one all the same, and counts in the total
        records = [{"id": key} if key else {"name": "no id"} for key in keys]
        return Reply(body=json.dumps({"total": total, "records": records}).encode())

    def are_those_of_a_list_that_stood_still(self):
        """One total, no key twice, as many records as the total, and page 1 the same at the end."""
        keys = [key for _, role, _, shown in self.served if role == "page" for key in shown]
        totals = {total for _, _, total, _ in self.served}
        first, *again = (set(shown) for page, _, _, shown in self.served if page == 1)
        is_once = all(count == 1 for key, count in Counter(keys).items() if key)
        return totals == {len(keys)} and is_once and all(shown == first for shown in again)


keys = st.sampled_from([f"k{number}" for number in range(12)]) | st.none()


@st.composite
def lists(draw):
    """A list cut into pages, and up to two things that happened while it was read."""
    shown = [f"k{number}" for number in range(draw(st.integers(0, 8)))]
    pages = {place // LIMIT + 1: (len(shown), shown[place : place + LIMIT]) for place in range(0, len(shown), LIMIT)}
    pages = pages or {1: (0, [])}
    pages[0] = pages[1]  # page 1 once more
    for _ in range(draw(st.integers(0, 2))):
        number = draw(st.sampled_from(sorted(pages)))
        total, page = pages[number]
        page = list(page)
        happened = draw(st.sampled_from(["total", "comes", "comes twice", "goes", "turns into"]))
        if happened == "total":
            total = max(0, total + draw(st.sampled_from([-1, 1])))
        if happened in ("goes", "turns into") and page:
            page.pop()
        if happened == "comes twice" and shown:
            page.append(draw(st.sampled_from(shown)))
        if happened in ("comes", "turns into"):
            page.append(draw(keys))
        pages[number] = (total, page)
    return Answers(pages, pages.pop(0))


@pytest.fixture(scope="module")
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def api(server):
    with Api(server.url, TokenSource(TOKEN), verify=TRUST) as api:
        yield api


@settings(max_examples=50)
@given(answers=lists(), read_again=st.booleans())
def test_a_list_is_certified_if_and_only_if_it_shows_what_a_list_that_stood_still_would(
    warehouse, folder, server, api, answers, read_again
):
    server.answer = answers
    shape, query = shape_of(ASSETS), ListQuery("all")
    cutter = cutter_of(shape, ASSETS)
    reader = PageReader(api, PageStore(LocalStorage(folder)), ASSETS, shape, LIMIT)
    first = reader.read(reader.ask(query, 1), cutter)
    sweep = ListSweep(reader, StagedKeys(warehouse, "assets"), cutter, query, first)
    found = sweep.sweep(LineProgress("Reading", None, "pages"), read_again=read_again).certificate
    assert (found.verdict == "certified") is answers.are_those_of_a_list_that_stood_still()
    shown = [key for _, role, _, page in answers.served if role == "page" for key in page]
    assert found.distinct_keys + found.duplicates + found.rejected == len(shown)
    assert found.distinct_keys == len({key for key in shown if key})
    assert found.rejected == shown.count(None)
    # only what came in one response, which paging cannot tear, needs no second look
    total, page = answers.pages[1]
    assert (read_again or total != len(page)) is any(role == "again" for _, role, *_ in answers.served)


# --- names -----------------------------------------------------------------------------------------------------------

labels = st.text(max_size=8) | st.sampled_from(
    ["", "select", "Order", "order", "ORDER", "order 2", "2", "门", "İ", "ß"]
)


def named(labels):
    names: list[str] = []
    for label in labels:
        names.append(unique_name(snake_case(label, "field"), names))
    return names


@settings(max_examples=60)
@given(st.lists(labels, min_size=1, max_size=8), labels)
def test_labels_become_columns_that_duckdb_tells_apart_and_that_stay_when_others_come(warehouse, labels, further):
    names = named(labels)
    assert named([*labels, further])[: len(labels)] == names
    columns = ", ".join(f"{quoted(name)} integer" for name in names)
    warehouse.execute(f"create or replace table staging.labelled ({columns})")
    found = warehouse.rows("select column_name from (describe staging.labelled)")
    assert [name for (name,) in found] == names
