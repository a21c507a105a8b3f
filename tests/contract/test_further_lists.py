"""Promises of `[resources.NAME]`: a further list of the API is as well kept as the built-in ones."""

from __future__ import annotations

import codecs
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest
from kit.home import Home
from kit.nights import Nights
from variants import daily

from propsync.errors import BaseLost, SettingsError, UsageError
from propsync.runbooks import Report, Scope
from propsync.runbooks.doctor.examine import examine

FILTERED = '[resources.properties]\npath = "/properties"\nid_filter = "id"\n'
UNFILTERED = '[resources.properties]\npath = "/properties"\n'
LOST = [(), ("state",), ("state", "published")]
Record = dict[str, Any]


def place(number: int, **members: Any) -> Record:
    """A property as a service may show it: the address is an object, the reference the provider's own."""
    return {
        "id": f"p{number}",
        "name": f"Block {number}",
        "address": {"line1": f"{number} High Street", "postcode": f"CF{number} 1AA"},
        "customReference": f"R{number:04}",
        **members,
    }


@dataclass
class FurtherList:
    """The list behind one path; `ignores` are parameters that it does not heed, `body` its shape.

    If it `folds`, capitals of ids make no difference.
    """

    path: str = "/properties"
    records: dict[str, Record] = field(default_factory=lambda: {f"p{n}": place(n) for n in range(30)})
    key: str = "id"
    ignores: set[str] = field(default_factory=set)
    body: Callable[[int, list[Record]], Any] = lambda total, shown: {"total": total, "properties": shown}
    shuffles: Random | None = None
    folds: bool = False
    status: int = 200
    asked: list[dict[str, str]] = field(default_factory=list)

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        """The estate's hook: None for every other path."""
        if path != self.path:
            return None
        self.asked.append(query)
        if self.status != 200:
            return self.status, {}
        ids = query.get("id", "").split(",") if "id" in query and "id" not in self.ignores else []
        case = str.lower if self.folds else str
        found = [one for one in self.records.values() if not ids or case(one[self.key]) in map(case, ids)]
        if self.shuffles:
            self.shuffles.shuffle(found)
        limit, page = int(query.get("limit", 1000)), int(query.get("page", 1))
        return 200, self.body(len(found), found[(page - 1) * limit : page * limit])


class Copy(Home):
    """A home whose propsync.toml names further lists; pages have 10 records."""

    def __init__(self, nights: Nights, toml: str = FILTERED) -> None:
        super().__init__(nights.path, nights.url, page_limit=10)
        self.nights = nights
        self.path.mkdir(parents=True, exist_ok=True)
        self.list = FurtherList()
        nights.estate.answer = self.list.answer
        self.write(toml)

    def write(self, toml: str) -> None:
        (self.path / "propsync.toml").write_text(toml, encoding="utf-8")

    def sync(self, *only: str, **options: Any) -> Report:  # type: ignore[override]  # names, one by one
        return super().sync(only or ["properties"], **options)

    def ids(self) -> list[str]:
        return self.column("select property_id from properties order by 1")


@pytest.fixture
def copy(nights: Nights) -> Copy:
    return Copy(nights)


def test_a_further_list_is_swept_certified_and_has_a_table_with_its_members(copy: Copy):
    report = copy.sync()
    assert (report.exit_code, report.resources["properties"]["verdict"]) == (0, "certified")
    assert report.resources["properties"]["inserted"] == 30
    shown = (
        "select property_id, name, address_line1, address_postcode, custom_reference, payload->>'$.id' from properties"
    )
    assert copy.rows(f"{shown} where property_id = 'p7'") == [
        ("p7", "Block 7", "7 High Street", "CF7 1AA", "R0007", "p7")
    ]
    assert copy.rows("select verdict, distinct_keys from ops.sweeps where resource = 'properties'")[0] == (
        "certified",
        30,
    )
    assert (copy.path / "published" / "parquet" / "main" / "properties.parquet").exists()


def test_history_as_of_and_changes_follow_it(copy: Copy):
    copy.sync()
    before = copy.rows("select max(started_at)::varchar from ops.runs")[0][0]
    copy.list.records["p1"]["name"] = "New name"
    copy.list.records["p99"] = place(99)
    counts = copy.sync().resources["properties"]
    assert (counts["inserted"], counts["updated"]) == (1, 1)
    changes = f"changes_between('{before}'::timestamptz, now()) where resource = 'properties'"
    told = "record_id, property_id, change, field, old_value, new_value"
    assert copy.rows(f"select {told} from {changes} order by 1") == [
        ("p1", "p1", "update", "name", "Block 1", "New name"),
        ("p99", "p99", "insert", None, None, None),
    ]
    assert copy.rows(f"select count(*) from properties_as_of('{before}'::timestamptz)") == [(30,)]
    assert copy.rows("select count(*) from history.properties where property_id = 'p1'") == [(2,)]


@pytest.mark.slow
@pytest.mark.usefixtures("desk")
def test_its_properties_are_those_of_the_api(copy: Copy):
    everything = ("assets", "assessments", "schedules", "properties")
    copy.write(FILTERED + '[reference]\nrequirements = "r.csv"\n')
    copy.sync(*everything)
    first, second = copy.column("select assessment_type_id from assessment_types order by 1 limit 2")
    rules = f"assessment_type_id,property_id,every_months\n{first},,12\n{second},p7,6\n"
    (copy.path / "r.csv").write_text(rules)
    assert copy.sync(*everything).exit_code == 0
    assert copy.rows("from ops.reference_issues where record_id = 'p7'") == []
    required = "select assessment_type_id, every_months from marts.compliance where property_id = 'p7' order by 2"
    assert copy.rows(required) == [(second, 6), (first, 12)]
    in_api = (
        "select property_id from marts.properties where in_api and property_id in (select 'p' || range from range(30))"
    )
    assert len(copy.rows(in_api)) == 30
    del copy.list.records["p7"]
    assert copy.sync(*everything).exit_code == 0
    assert copy.rows(required) == [(second, 6)]
    assert copy.column("select record_id from ops.reference_issues where record_id = 'p7'") == ["p7"]
    before = copy.rows("select property_id, in_api, required_assessments from marts.properties order by all")
    copy.rebuild()
    assert copy.rows("select property_id, in_api, required_assessments from marts.properties order by all") == before
    copy.write('[reference]\nrequirements = "r.csv"\n')
    copy.sync("assets", "assessments", "schedules")
    assert copy.rows(in_api) == []


@pytest.mark.slow
def test_a_record_that_look_ups_do_not_show_is_deleted_and_comes_back(copy: Copy):
    copy.sync()
    gone = copy.list.records.pop("p3")
    report = copy.sync()
    assert (report.exit_code, report.resources["properties"]["deleted"]) == (0, 1)
    assert "p3" not in copy.ids()
    assert any({"id": "p3"}.items() <= one.items() for one in copy.list.asked)
    copy.list.records["p3"] = gone
    assert copy.sync().resources["properties"]["inserted"] == 1
    assert "p3" in copy.ids()


@pytest.mark.slow
def test_a_record_that_only_the_list_omits_stays(copy: Copy):
    copy.sync()
    hidden = copy.list.records["p3"]
    whole = copy.list.answer

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        copy.list.records.pop("p3", None)
        if "id" in query:
            copy.list.records["p3"] = hidden
        return whole(path, query)

    copy.nights.estate.answer = answer
    report = copy.sync()
    assert report.resources["properties"]["deleted"] == 0
    assert "p3" in copy.ids()


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("toml", [UNFILTERED, FILTERED], ids=["no filter", "a filter that the API ignores"])
def test_without_a_filter_that_works_a_delete_waits_for_a_persons_word(nights: Nights, toml: str):
    copy = Copy(nights, toml)
    copy.list.ignores = {"id"}
    copy.sync()
    del copy.list.records["p3"]
    report = copy.sync()
    assert (report.exit_code, report.resources["properties"]["held"]) == (3, 1)
    assert any(f"--accept-deletes {report.run_id}" in line for line in report.left_behind)
    assert "p3" in copy.ids()
    accepted = copy.sync(accept=report.run_id)
    assert (accepted.exit_code, accepted.resources["properties"]["deleted"]) == (0, 1)
    assert "p3" not in copy.ids()
    assert copy.sync().exit_code == 0


def test_an_accepted_delete_of_a_record_that_a_look_up_shows_is_none(copy: Copy):
    copy.list.ignores = {"id"}
    copy.sync()
    hidden, others = copy.list.records.pop("p3"), copy.list.records
    held = copy.sync().run_id
    whole = copy.list.answer

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        copy.list.records = {"p3": hidden, **others} if "id" in query else others
        return whole(path, query)

    copy.nights.estate.answer = answer
    report = copy.sync(accept=held)
    assert (report.exit_code, report.resources["properties"]["deleted"]) == (3, 0)
    assert "p3" in copy.ids()


def test_a_filter_without_regard_to_capitals_leaves_one_delete_to_a_person(copy: Copy):
    copy.list.folds = True
    copy.list.records["P3"] = place(3, id="P3")
    copy.sync()
    del copy.list.records["p3"], copy.list.records["p4"]
    report = copy.sync()
    assert (report.exit_code, report.resources["properties"]["deleted"]) == (3, 1)
    why = "its look-up ignores letter case, and shows another record"
    assert copy.rows("select record_id, reason from ops.held_deletes") == [("p3", why)]
    accepted = copy.sync(accept=report.run_id)
    assert (accepted.exit_code, accepted.resources["properties"]["deleted"]) == (0, 1)
    assert {"p3", "P3"} & {*copy.ids()} == {"P3"}


@pytest.mark.slow
def test_an_accepted_delete_of_a_record_that_is_back_is_none(nights: Nights):
    copy = Copy(nights, UNFILTERED)
    copy.sync()
    gone = copy.list.records.pop("p3")
    held = copy.sync().run_id
    copy.list.records["p3"] = gone
    report = copy.sync(accept=held)
    assert (report.exit_code, report.resources["properties"]["deleted"]) == (0, 0)
    assert "p3" in copy.ids()


@pytest.mark.slow
def test_all_records_gone_at_once_are_held(copy: Copy):
    copy.sync()
    copy.list.records.clear()
    report = copy.sync()
    assert (report.exit_code, report.resources["properties"]["held"]) == (3, 30)
    assert len(copy.ids()) == 30


@pytest.mark.costly
@pytest.mark.parametrize(
    ("toml", "body"),
    [
        ('path = "/properties"', lambda total, shown: {"total": total, "data": {"items": shown}}),
        ('path = "/properties"', lambda total, shown: shown),
        ('path = "/properties"', lambda total, shown: {"count": total, "properties": shown}),
        ('path = "/properties"\nis_paged = false', lambda total, shown: shown),
        ('path = "/properties"\nis_paged = false', lambda total, shown: {"properties": shown}),
        ('path = "/properties"\nis_paged = false\nid_filter = "id"', lambda total, shown: {"properties": shown}),
    ],
    ids=["nested", "bare pages", "pages without a total", "bare array", "whole without a total", "whole with a filter"],
)
def test_its_shape_is_found(nights: Nights, toml: str, body: Any):
    copy = Copy(nights, f"[resources.properties]\n{toml}\n")
    copy.list.body = body
    assert copy.sync().exit_code == 0
    assert len(copy.ids()) == 30
    is_paged = "is_paged" not in toml
    assert all(("page" in query) == is_paged for query in copy.list.asked)
    del copy.list.records["p3"]
    deleted = 1 if "id_filter" in toml else 0
    assert copy.sync().resources["properties"]["deleted"] == deleted


def test_the_id_is_the_member_whose_values_other_records_name(nights: Nights):
    copy = Copy(nights, UNFILTERED)
    nights.estate.add_assets((f"uid-{number}", "t0") for number in range(30))
    copy.list.records = {f"p{n}": {"id": n, "ref": f"R{n}", "place": {"uid": f"uid-{n}"}} for n in range(30)}
    assert copy.sync("assets", "properties").exit_code == 0
    assert copy.rows("select count(*) from assets join properties using (property_id)") == [(30,)]


@pytest.mark.slow
def test_a_key_that_is_named_is_the_key_and_one_that_no_record_has_fails_the_list_alone(nights: Nights):
    copy = Copy(nights, UNFILTERED + 'key = "customReference"\n')
    copy.sync()
    assert "R0007" in copy.ids()
    copy = Copy(nights, UNFILTERED + 'key = "nonsense"\n')
    report = copy.sync("assets", "properties")
    assert report.exit_code == 3
    assert report.resources["assets"]["verdict"] == "certified"
    assert any("'nonsense'" in line and "[resources.properties]" in line for line in report.left_behind)
    assert "R0007" in copy.ids()


def test_a_key_inside_an_object_is_named_among_the_shapes_and_the_error_says_so(nights: Nights):
    copy = Copy(nights, UNFILTERED + 'key = "address.line1"\n')
    (line,) = (line for line in copy.sync().left_behind if "no record has the member 'address.line1'" in line)
    told = "[shapes.properties] id = 'address.line1'"
    assert told in line
    copy.write(UNFILTERED + told.replace("] ", "]\n"))
    assert copy.sync().exit_code == 0
    assert copy.ids()[:2] == ["0 High Street", "1 High Street"]


def test_a_list_in_a_new_order_on_each_page_is_read_by_its_ids(copy: Copy):
    copy.list.shuffles = Random("order")
    report = copy.sync()
    assert report.resources["properties"]["verdict"] == "certified"
    assert len(copy.ids()) == 30


def test_a_list_in_a_new_order_that_nothing_narrows_is_honestly_incomplete(nights: Nights):
    copy = Copy(nights, UNFILTERED)
    copy.list.shuffles = Random("order")
    copy.list.records = {f"p{n}": place(n) for n in range(60)}
    report = copy.sync()
    assert (report.exit_code, report.resources["properties"]["verdict"]) == (3, "incomplete")


@pytest.mark.costly
@pytest.mark.parametrize(
    ("count", "counts"),
    daily([(35, "nothing"), (7, "nothing"), (35, "everything"), (35, "the page"), (7, "the page")], 1, is_row=True),
)
def test_a_list_whose_pages_count_from_0_loses_no_page(nights: Nights, count: int, counts: str):
    copy = Copy(nights, UNFILTERED)
    copy.list.records = {f"p{n}": place(n) for n in range(count)}
    bodies: dict[str, Callable[[int, list[Record]], Any]] = {
        "nothing": lambda _, shown: shown,
        "everything": lambda total, shown: {"total": total, "properties": shown},
        "the page": lambda _, shown: {"total": len(shown), "properties": shown},
    }
    copy.list.body = bodies[counts]
    nights.estate.answer = lambda path, query: copy.list.answer(path, query | {"page": str(int(query["page"]) + 1)})
    report = copy.sync()
    assert (report.exit_code, len(copy.ids())) == (0, count)


@pytest.mark.parametrize(
    ("status", "times", "first", "outcome"),
    [
        pytest.param(503, 2, 0, (0, "certified", 35), marks=pytest.mark.slow),
        pytest.param(500, 2, 0, (0, "certified", 35), marks=pytest.mark.slow),
        pytest.param(503, 99, 0, (3, "incomplete", 25), marks=pytest.mark.slow),
        pytest.param(500, 99, 1, (0, "certified", 35), marks=pytest.mark.slow),
    ],
)
def test_page_0_is_read_from_an_api_that_fails_now_and_then(
    nights: Nights, status: int, times: int, first: int, outcome: tuple[int, str, int]
):
    copy = Copy(nights, UNFILTERED)
    copy.list.records = {f"p{n}": place(n) for n in range(35)}
    copy.list.body = lambda total, shown: shown
    failures = iter(range(times))

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        page = int(query.get("page", "0"))
        if path.endswith("/properties") and page == 0 and next(failures, None) is not None:
            return status, {"message": "wait"}
        return copy.list.answer(path, query | {"page": str(page + 1 - first)})

    nights.estate.answer = answer
    report = copy.sync()
    assert (report.exit_code, report.resources["properties"]["verdict"], len(copy.ids())) == outcome


@pytest.mark.slow
@pytest.mark.parametrize(("has_total", "asks"), [(True, 0), (False, 1)])
def test_page_0_is_not_asked_for_if_the_total_says_that_nothing_lacks(nights: Nights, asks: int, *, has_total: bool):
    copy = Copy(nights, UNFILTERED)
    copy.list.records = {f"p{n}": place(n) for n in range(35)}
    copy.list.body = lambda total, shown: {"total": total, "properties": shown} if has_total else shown
    assert copy.sync().exit_code == 0
    assert sum(query["page"] == "0" for query in copy.list.asked) == asks


@pytest.mark.parametrize(
    ("count", "is_bare", "verdict"),
    [
        (30, False, "certified"),
        (25, True, "certified"),
        (7, True, "certified"),
        (30, True, "incomplete"),
        (500, False, "incomplete"),
    ],
)
def test_a_refusal_ends_a_list_that_has_shown_all(nights: Nights, count: int, verdict: str, *, is_bare: bool):
    """A list of 500, or one that ends with a full page and has no total, may have records that the API refuses."""
    copy = Copy(nights, UNFILTERED)
    copy.list.records = {f"p{n}": place(n) for n in range(count)}
    if is_bare:
        copy.list.body = lambda total, shown: shown

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any] | None:
        found = copy.list.answer(path, query)
        is_beyond = path == copy.list.path and (int(query["page"]) - 1) * int(query["limit"]) >= count
        return (400, {"code": "PageInvalid"}) if is_beyond else found

    nights.estate.answer = answer
    report = copy.sync(page_limit=10 if count < 100 else 100)
    assert report.resources["properties"]["verdict"] == verdict
    assert len(copy.ids()) == count


@pytest.mark.parametrize("heeds_limit", [True, False])
def test_a_list_that_ignores_page_is_not_whole_after_page_1(
    nights: Nights, caplog: pytest.LogCaptureFixture, *, heeds_limit: bool
):
    """As one that is read by cursors: nothing shows the records after the first ten."""
    copy = Copy(nights, UNFILTERED)
    copy.list.body = lambda total, shown: {"properties": shown, "next": "c2"}
    nights.estate.answer = lambda path, query: copy.list.answer(
        path, query | {"page": "1", "limit": str(min(int(query.get("limit", 10)), 10)) if heeds_limit else "10"}
    )
    report = copy.sync(page_limit=1000)
    assert (report.exit_code, report.resources["properties"]["verdict"]) == (3, "incomplete")
    assert "properties: the API shows the same 10 records for each page, so it may hide the others" in caplog.text
    assert "set is_paged = false in [resources.properties]" in caplog.text


def test_the_name_gives_the_key_column_unless_the_settings_do(nights: Nights):
    names = {"users": "user_id", "companies": "company_id", "statuses": "status_id", "houses": "house_id"}
    toml = "".join(f'[resources.{name}]\npath = "/{name}"\n' for name in names)
    copy = Copy(nights, toml + '[resources.staff]\npath = "/staff"\nkey_column = "person_id"\n')
    nights.estate.answer = lambda path, query: (
        (200, [{"id": "1"}] if query["page"] == "1" else [])
        if path.count("/") == 1 and path != "/assessments"
        else None
    )
    copy.sync(*names, "staff")
    columns = {
        name: copy.rows(f"select column_name from (describe {name}) limit 1")[0][0] for name in (*names, "staff")
    }
    assert columns == names | {"staff": "person_id"}


@pytest.mark.slow
def test_a_list_that_fails_leaves_the_others_and_its_own_rows(copy: Copy):
    copy.sync("assets", "properties")
    copy.list.status = 404
    report = copy.sync("assets", "properties")
    assert (report.exit_code, report.resources["assets"]["verdict"]) == (3, "certified")
    assert any("Check path in [resources.properties]" in line for line in report.left_behind)
    assert len(copy.ids()) == 30


@pytest.mark.slow
def test_twice_is_once(copy: Copy):
    copy.sync()
    before = copy.rows("from history.properties order by all")
    assert copy.sync().resources["properties"]["unchanged"] == 30
    assert copy.rows("from history.properties order by all") == before


def test_only_names_it_and_refuses_what_it_does_not_know(copy: Copy):
    with pytest.raises(UsageError, match="schedules, properties"):
        copy.sync("users")
    assert set(copy.sync("properties").resources) == {"properties"}


@pytest.mark.release
def test_a_backfill_of_a_property_reads_it_too_if_it_has_a_filter(copy: Copy):
    copy.sync()
    copy.list.records["p5"]["name"] = "Renamed"
    copy.list.records["p6"]["name"] = "Renamed too"
    report = copy.backfill(Scope(properties=("p5",)))
    assert report.resources["properties"]["updated"] == 1
    assert copy.rows("select property_id from properties where name like 'Renamed%'") == [("p5",)]


def test_doctor_shows_it(copy: Copy):
    found = {one.what: one for one in examine(copy.settings())}
    assert found["GET /properties"].seen == "10 records of 30"
    assert found["shape of properties: id"].is_well


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("has_toml", [True, False], ids=["named still", "no longer named"])
@pytest.mark.parametrize(
    "lost", [(), ("state",), ("state", "published")], ids=["nothing lost", "no state", "no tables"]
)
def test_a_rebuild_gives_the_same_tables(copy: Copy, has_toml: bool, lost: tuple[str, ...]):
    copy.sync("assets", "properties")
    copy.list.records["p1"]["name"] = "New name"
    del copy.list.records["p2"]
    copy.sync("assets", "properties")
    queries = ("from history.properties order by all", "from properties order by all")
    before = [copy.rows(query) for query in queries]
    for name in lost:
        shutil.rmtree(copy.path / name)
    copy.write(FILTERED if has_toml else "")
    assert copy.rebuild().exit_code == 0
    assert [copy.rows(query) for query in queries] == before
    assert copy.rows("select count(*) from properties_as_of(now())") == [(29,)]


@pytest.mark.release
def test_a_list_that_is_no_longer_named_stays_as_it_is(copy: Copy, caplog: pytest.LogCaptureFixture):
    copy.sync("assets", "properties")
    copy.write("")
    asked = len(copy.list.asked)
    assert copy.sync("assets").exit_code == 0
    assert len(copy.ids()) == 30
    assert len(copy.list.asked) == asked
    assert "no longer names this list" in caplog.text
    copy.write(FILTERED)
    assert copy.sync().resources["properties"]["unchanged"] == 30


@pytest.mark.release
def test_pruned_landing_keeps_it_in_the_base(copy: Copy):
    copy.sync("assets", "properties")
    for number in range(4):
        copy.list.records["p1"]["name"] = f"Name {number}"
        copy.sync("assets", "properties")
    state = copy.path / "state" / "warehouse.duckdb"
    with duckdb.connect(state) as connection:
        before = connection.execute("from history.properties order by all").fetchall()
    _age_landing(copy)
    copy.sync("assets")
    assert list((copy.path / "landing" / "base").rglob("history.properties.parquet"))
    copy.write("")
    shutil.rmtree(copy.path / "state")
    shutil.rmtree(copy.path / "published")
    copy.rebuild()
    assert copy.rows("from history.properties order by all") == before


def _age_landing(copy: Copy) -> None:
    """A sync far in the future: everything before is older than the setting keeps."""
    copy.sync("assets", landing_keep_days=1, now=datetime(2099, 1, 1, tzinfo=UTC))


@pytest.mark.slow
def test_a_rebuild_without_its_landing_is_refused(copy: Copy):
    copy.sync("assets", "properties")
    shutil.rmtree(copy.path / "landing" / "properties")
    copy.write("")
    with pytest.raises(BaseLost, match="properties"):
        copy.rebuild()
    assert len(copy.ids()) == 30


def test_another_key_column_is_refused_before_anything_changes(copy: Copy):
    copy.sync()
    copy.write(FILTERED + 'key_column = "site_id"\n')
    for run in (copy.sync, lambda: copy.rebuild()):
        with pytest.raises(SettingsError, match=r'Write key_column = "property_id"'):
            run()
    assert len(copy.ids()) == 30


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('[resources.documents]\npath = "/documents"', "propsync itself uses the name documents"),
        ('[resources.pages]\npath = "/pages"', "propsync itself uses the name pages"),
        ('[resources.assets_earlier]\npath = "/a"', "propsync itself uses the name assets_earlier"),
        ('[resources.a]\npath = "/a"\n[resources.a_typed]\npath = "/b"', "propsync itself uses the name a_typed"),
        ('[resources.asset_field_value_starts]\npath = "/a"', "propsync itself uses the name asset_field_value_starts"),
        ('[resources.assets]\npath = "/others"', "propsync has assets already"),
        ('[resources.mine]\npath = "/properties/assets"', "propsync has assets already"),
        ('[resources.a]\npath = "/a"\nkey_column = "payload"', "its table has a column payload itself"),
        ('[resources.a]\npath = "/a"\nkey_column = "run_id"', "its table has a column run_id itself"),
        ('[resources.a]\npath = "/a"\n[resources.b]\npath = "/a"', "propsync has a already"),
        ('[resources.a]\nkey = "id"', "has no path"),
        ('[resources.a]\npath = "a"', "the list's path"),
        ('[resources.a]\npath = "/a?b=c"', "the list's path"),
        ('[resources.a]\npath = "/../a"', "the list's path"),
        ('[resources.a]\npath = "/a"\nid_filter = "page"', "parameter that filters by ids"),
        ('[resources.a]\npath = "/a"\nkey_column = "Ä"', "small letters"),
        ('[resources.a]\npath = "/a"\nis_paged = "no"', "true or false"),
        ('[resources.a]\npath = "/a"\nkeys = "id"', "propsync knows path, key"),
        ('[resources."A b"]\npath = "/a"', "cannot be the name of a table"),
        ("resources = 5", "resources in"),
    ],
)
def test_a_wrong_entry_is_refused_in_words(copy: Copy, toml: str, words: str):
    copy.write(toml)
    with pytest.raises(SettingsError) as refused:
        copy.sync("assets")
    assert words in str(refused.value)
    assert not (copy.path / "published" / "warehouse.duckdb").exists()


# people's own list of the same name ----------------------------------------------------------------------------------

CSV = "property_id,Name,Region\np1,Our block 1,North\np2,Our block 2,South\np77,Sold,East\n"
BOTH = FILTERED + '[reference]\nproperties = "properties.csv"\n'


def own(copy: Copy, text: str = CSV) -> Path:
    file = copy.path / "properties.csv"
    file.write_text(text, encoding="utf-8")
    os.utime(file, (1, 1))
    return file


SHOWN = "select property_id, name, list_name, region from properties where property_id in ('p1', 'p3') order by 1"
JOINED = [("p1", "Block 1", "Our block 1", "North"), ("p3", "Block 3", None, None)]


@pytest.mark.slow
def test_the_columns_of_peoples_list_are_added_to_those_of_the_api(nights: Nights):
    copy = Copy(nights, BOTH)
    own(copy)
    assert copy.sync().exit_code == 0
    assert copy.rows(SHOWN) == JOINED
    assert len(copy.ids()) == 30, "the API decides which records there are"
    orphans = "select record_id from ops.reference_issues where issue like 'only the list%'"
    assert copy.rows(orphans) == [("p77",)]
    assert copy.rows("select count(*) from reference.properties") == [(3,)]
    assert copy.sync().exit_code == 0
    assert copy.rows(SHOWN) == JOINED


@pytest.mark.slow
def test_a_list_that_was_there_first_gives_its_columns(nights: Nights):
    copy = Copy(nights, '[reference]\nproperties = "properties.csv"\n')
    own(copy)
    copy.sync("assets")
    assert copy.ids() == ["p1", "p2", "p77"]
    copy.write(BOTH)
    assert copy.sync("assets", "properties").exit_code == 0
    assert copy.rows(SHOWN) == JOINED


@pytest.mark.slow
def test_without_peoples_list_its_columns_go(nights: Nights):
    copy = Copy(nights, BOTH)
    own(copy)
    copy.sync("properties")
    copy.write(FILTERED)
    copy.sync("properties")
    columns = "select column_name from duckdb_columns() where schema_name = 'main' and table_name = 'properties'"
    assert not {"list_name", "region"} & {*copy.column(columns)}
    assert copy.rows("select name from properties where property_id = 'p1'") == [("Block 1",)]
    assert copy.column("select table_name from duckdb_tables() where schema_name = 'reference'") == []


@pytest.mark.release
def test_what_changes_in_either_shows(nights: Nights):
    copy = Copy(nights, BOTH)
    own(copy)
    copy.sync()
    own(copy, CSV.replace("North", "West").replace("Region", "Area"))
    copy.list.records["p1"]["name"] = "New name"
    copy.list.records["p1"]["region"] = "the API's own"
    copy.sync()
    assert copy.rows("select name, list_name, region, area from properties where property_id = 'p1'") == [
        ("New name", "Our block 1", "the API's own", "West")
    ]
    copy.backfill(Scope(properties=("p1",)))
    copy.list.records["p1"]["area"] = "API area"
    copy.list.records["p1"]["name"] = "Newer name"
    copy.backfill(Scope(properties=("p1",)))
    assert copy.rows("select name, list_name, area, list_area from properties where property_id = 'p1'") == [
        ("Newer name", "Our block 1", "API area", "West")
    ]


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize(
    "lost", [(), ("state",), ("state", "published")], ids=["nothing lost", "no state", "no tables"]
)
def test_a_mistake_in_the_list_leaves_its_last_values_and_a_rebuild_gives_the_same(
    nights: Nights, lost: tuple[str, ...]
):
    copy = Copy(nights, BOTH)
    own(copy)
    copy.sync()
    if lost != ("state", "published"):
        own(copy, "property_id,Name\np1,One\np1,Two\n")
        copy.list.records["p30"] = place(30)
        assert copy.sync().exit_code == 3
        assert copy.rows(SHOWN) == JOINED
    for name in lost:
        shutil.rmtree(copy.path / name)
    copy.rebuild()
    assert copy.rows(SHOWN) == JOINED


@pytest.mark.slow
def test_an_error_that_looks_like_an_empty_list_deletes_nothing(copy: Copy):
    copy.sync("assets", "properties")
    copy.list.body = lambda total, shown: {"code": "Oops", "details": []}
    report = copy.sync("assets", "properties")
    assert report.exit_code == 3
    assert len(copy.ids()) == 30


@pytest.mark.release
def test_words_of_sql_may_be_names(nights: Nights):
    copy = Copy(nights, '[resources.order]\npath = "/properties"\nkey_column = "group"\nid_filter = "id"\n')
    copy.sync("order")
    copy.list.records["p1"]["select"] = "from"
    del copy.list.records["p2"]
    assert copy.sync("order").exit_code == 0
    assert copy.rows('select "group", "select" from "order" where "select" is not null') == [("p1", "from")]
    assert copy.rows("select count(*) from order_as_of(now())") == [(29,)]
    before = copy.rows('from history."order" order by all')
    shutil.rmtree(copy.path / "state")
    assert copy.rebuild().exit_code == 0
    assert copy.rows('from history."order" order by all') == before


@pytest.mark.slow
def test_a_list_that_moved_is_the_same_list(copy: Copy):
    kept = "select path, key_column, id_filter from ops.resources"
    assert copy.sync().exit_code == 0
    assert copy.rows(kept) == [("/properties", "property_id", "id")]
    copy.list.path = "/v2/properties"
    copy.write('[resources.properties]\npath = "/v2/properties"\n')
    report = copy.sync()
    assert (report.exit_code, report.resources["properties"]["inserted"]) == (0, 0)
    assert copy.rows(kept) == [("/v2/properties", "property_id", None)]
    assert copy.column("select distinct change from history.properties") == ["insert"]


RENAMED = '[resources.places]\npath = "/properties"\nkey_column = "property_id"\n'


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("status", [200, 404], ids=["read before", "never read"])
def test_a_list_with_a_new_name_leaves_the_old_one_as_it_is(copy: Copy, status: int):
    copy.list.status = status
    copy.sync("assets", "properties")
    copy.list.status = 200
    copy.write(RENAMED)
    before = len(copy.ids())
    for _ in range(2):
        assert copy.sync("assets", "places").exit_code == 0
        assert copy.rows("select count(*) from places") == [(30,)]
    assert copy.rebuild().exit_code == 0
    assert len(copy.ids()) == before
    assert copy.column("select resource from ops.resources order by 1") == ["places", "properties"]


@pytest.mark.slow
def test_names_of_one_path_may_come_back_or_go_all(copy: Copy):
    copy.sync()
    copy.write(RENAMED)
    copy.sync("places")
    copy.write(FILTERED)
    assert copy.sync().resources["properties"]["unchanged"] == 30
    copy.write("")
    assert copy.sync("assets").exit_code == 0
    assert (len(copy.ids()), copy.rows("select count(*) from places")) == (30, [(30,)])


@pytest.mark.parametrize("is_known", [True, False], ids=["known", "found now"])
def test_a_key_that_propsync_finds_is_never_volatile(copy: Copy, is_known: bool):
    if is_known:
        copy.sync()
    copy.write(FILTERED + '[shapes.properties]\nvolatile = ["id"]\n')
    with pytest.raises(SettingsError, match=r"\[shapes.properties\] volatile: id is the id of a record"):
        copy.sync()
    copy.write(FILTERED)
    assert copy.sync().exit_code == 0
    assert len(copy.ids()) == 30


@pytest.mark.slow
def test_pages_with_a_byte_order_mark_are_landed_as_received_and_read(copy: Copy):
    def marked(total: int, shown: list[Record]) -> bytes:
        return codecs.BOM_UTF8 + json.dumps({"total": total, "properties": shown}).encode()

    copy.list.body = marked
    assert copy.sync().exit_code == 0
    del copy.list.records["p1"]
    assert copy.sync().resources["properties"]["deleted"] == 1
    pages = [path.read_bytes() for path in (copy.path / "landing" / "pages").glob("*/*")]
    assert sum(page.startswith(codecs.BOM_UTF8) for page in pages) >= 3
    before = copy.rows("from history.properties order by all")
    shutil.rmtree(copy.path / "state")
    assert copy.rebuild().exit_code == 0
    assert copy.rows("from history.properties order by all") == before
    assert copy.sync().resources["properties"]["unchanged"] == 29
