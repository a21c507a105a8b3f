"""Lists that move, tear and lie: what is certified is the truth, and what cannot be certified is said to be so."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, product
from random import Random

import pytest
from kit.estate import PATHS, Request, property_ids
from kit.kept import KeptHomes
from kit.nights import Nights
from kit.server import Answer, Query
from variants import daily

from propsync.erasing.request import Request as Erasure
from propsync.runbooks import Report, Scope, erase

INCOMPLETE = "incomplete"


def _verdict(report: Report, resource: str = "assets") -> str:
    return str(report.resources[resource]["verdict"])


def _spread(nights: Nights, assets: int, properties: int, types: int = 1) -> list[str]:
    """Assets dealt out over properties and types in turn."""
    homes = property_ids(properties)
    return nights.estate.add_assets((homes[n % properties], f"t{n // properties % types}") for n in range(assets))


def _is_part(request: Request) -> bool:
    return "property" in request.query or "type" in request.query


def _parts(nights: Nights, resource: str = "assets") -> list[Request]:
    return [one for one in nights.estate.asked(resource) if _is_part(one)]


def _once(path: str, page: str, do: Callable[[], object]) -> Callable[[str, Query], None]:
    """Does something before a page is shown for the first time."""
    turns = count()

    def before(asked: str, query: Query) -> None:
        if asked == path and query.get("page") == page and not _is_narrowed(query) and next(turns) == 0:
            do()

    return before


def _is_narrowed(query: Query) -> bool:
    return bool({"property", "type", "id", "assessment"} & query.keys())


def _lying(by: int, *, when: Callable[[Query], bool] = lambda query: True) -> Callable[[str, Query, int], int]:
    """Totals of assets that are wrong by the same number."""
    return lambda path, query, true: max(0, true + by) if path == PATHS["assets"] and when(query) else true


# --- sweeping again -----------------------------------------------------------------------------------------------


def test_a_list_that_moved_once_is_certified_by_a_second_attempt_of_its_own(nights: Nights) -> None:
    keys = _spread(nights, 90, 9)
    nights.estate.before = _once(PATHS["assets"], "3", lambda: nights.estate.assets.pop(keys[0]))
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.attempts(report, "assets") == [(1, 0, "all", INCOMPLETE), (2, 1, "all", "certified")]
    assert nights.is_truth("assets")
    assert nights.changes("assets", keys[0]) == []


def test_what_only_another_attempt_showed_is_not_taken_for_there(nights: Nights) -> None:
    """A record goes, and another comes, at each of three attempts: their union is more than there ever was."""
    keys = _spread(nights, 90, 9)
    gone = iter(keys)

    def change() -> None:
        del nights.estate.assets[next(gone)]
        nights.estate.add_assets([("p", "t0")])

    turns = count()

    def before(path: str, query: Query) -> None:
        if path == PATHS["assets"] and query.get("page") == "3" and next(turns) < 3:
            change()

    nights.estate.before = before
    report = nights.sync()
    assert (report.exit_code, nights.rungs(report, "assets")) == (0, [0, 1, 1, 1])
    assert nights.is_truth("assets")
    assert nights.rows("select count(*) from history.assets") == [(len(nights.estate.assets),)]


def test_all_lists_are_read_anew_when_one_of_them_moved(nights: Nights) -> None:
    keys = nights.estate.add_assessments(product(property_ids(6), ["k0"] * 10))
    nights.estate.performed = dict.fromkeys(keys[:30], "By")
    nights.estate.before = _once(PATHS["assessments"], "2", lambda: nights.estate.assessments.pop(keys[-1]))
    report = nights.sync()
    assert report.exit_code == 0
    told = [(attempt, name) for attempt, _, name, _ in nights.attempts(report, "assessments")]
    assert told == [(attempt, name) for attempt in (1, 2) for name in ("By", "For", "combined")]
    assert nights.is_truth("assessments")


# --- in parts -----------------------------------------------------------------------------------------------------


def test_a_list_in_random_order_is_read_by_property_where_that_takes_the_fewest_requests(nights: Nights) -> None:
    nights.estate.is_random = True
    _spread(nights, 120, 30)
    report = nights.sync()
    assert (report.exit_code, nights.rungs(report, "assets")) == (0, [0, 1, 1, 1, 2])
    assert nights.is_truth("assets")
    assert all("property" in one.query and "type" not in one.query for one in _parts(nights))
    assert len(_parts(nights)) <= 10


@pytest.mark.release
def test_a_list_in_random_order_is_read_by_type_where_that_takes_the_fewest_requests(nights: Nights) -> None:
    nights.estate.is_random = True
    nights.estate.add_assets((home, f"t{n % 3}") for n, home in enumerate(property_ids(390)))
    assert nights.sync(page_limit=200).exit_code == 0
    assert nights.is_truth("assets")
    assert [sorted(one.query.keys() - {"limit", "page"}) for one in _parts(nights)] == [["type"]] * 3


def test_a_property_with_more_records_than_a_page_is_read_by_property_and_type(nights: Nights) -> None:
    nights.estate.is_random = True
    homes = property_ids(4)
    nights.estate.add_assets((homes[0], f"t{n % 3}") for n in range(45))
    nights.estate.add_assets((home, "t0") for home in homes[1:])
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assets")
    both = [one for one in _parts(nights) if {"property", "type"} <= one.query.keys()]
    assert both


def test_a_part_that_cannot_be_split_is_read_by_known_ids(nights: Nights) -> None:
    nights.estate.is_random = True
    nights.estate.add_assets([("p0", "t0")] * 50 + [("p1", "t0")] * 5)
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assets")
    by_ids = nights.estate.asked("assets", id="")
    assert by_ids
    assert max(len(one.words("id")) for one in by_ids) <= 20


@pytest.mark.slow
def test_a_part_that_cannot_be_split_is_swept_like_a_list(nights: Nights) -> None:
    """Only the unfiltered list is shuffled here."""
    nights.estate.add_assets([("p0", "t0")] * 50 + [("p1", "t0")] * 5)

    def before(path: str, query: Query) -> None:
        nights.estate.is_random = not _is_narrowed(query)

    nights.estate.before = before
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assets")
    assert nights.estate.asked("assets", id="") == []


@pytest.mark.release
def test_six_thousand_assets_of_one_type_in_random_order_are_the_truth(nights: Nights) -> None:
    nights.estate.is_random = True
    homes = property_ids(4000)
    dice = Random("six thousand")
    nights.estate.add_assets((home, "t0") for home in [*homes, *dice.choices(homes, k=2000)])
    report = nights.sync(page_limit=1000)
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.is_truth("assets")
    assert max(one.length for one in nights.estate.requests) < 4000
    again = nights.sync(page_limit=1000)
    assert (again.exit_code, nights.rungs(again, "assets")) == (0, [2])
    assert again.resources["assets"]["unchanged"] == 6000


@pytest.mark.slow
def test_a_list_in_parts_is_certified_though_it_shows_an_erased_record(nights: Nights) -> None:
    """The API still shows it, and what propsync keeps of it has no property."""
    nights.estate.is_random = True
    keys = _spread(nights, 120, 30)
    assert nights.sync().exit_code == 0
    assert erase(nights.settings(), Erasure(asset=keys[0], reason="asked")).exit_code == 0
    report = nights.sync()
    assert (report.exit_code, nights.rungs(report, "assets")) == (0, [2])
    assert nights.known("assets").keys() == nights.estate.truth("assets").keys() - {keys[0]}


@pytest.mark.slow
def test_the_next_night_starts_on_the_rung_that_worked(nights: Nights) -> None:
    nights.estate.is_random = True
    keys = _spread(nights, 120, 30)
    assert nights.sync().exit_code == 0
    del nights.estate.assets[keys[0]]
    nights.estate.add_assets([(property_ids(30)[1], "t0"), ("a new property", "t0")])
    report = nights.sync()
    assert report.exit_code == 0
    assert set(nights.rungs(report, "assets")) == {2}
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_the_next_night_sweeps_again_where_the_parts_did_not_work(nights: Nights) -> None:
    nights.estate.is_random = True
    keys = nights.estate.add_assessments(product(property_ids(6), ["k0"] * 10))
    nights.estate.performed = dict.fromkeys(keys[:30], "For") | dict.fromkeys(keys[30:], "By")
    assert nights.sync().exit_code == 0
    nights.estate.is_random = False
    nights.estate.ignored = {"property", "type"}
    nights.estate.answer = lambda path, query: (
        (400, {"code": "No"}) if query.get("performed") == "By" and _is_narrowed(query) else None
    )
    report = nights.sync()
    assert (report.exit_code, nights.rungs(report, "assessments")[-1]) == (0, 0)
    report = nights.sync()
    assert (report.exit_code, nights.rungs(report, "assessments")) == (0, [0])


@pytest.mark.slow
def test_assets_without_a_property_are_read_by_type(nights: Nights) -> None:
    nights.estate.is_random = True
    homes = property_ids(30)
    nights.estate.add_assets((homes[n % 30], f"t{n % 12}") for n in range(120))
    nights.estate.add_assets((None, f"t{n % 12}") for n in range(7))
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_assets_without_a_property_of_a_type_that_fills_pages_are_read_by_ids(nights: Nights) -> None:
    nights.estate.is_random = True
    homes = property_ids(30)
    nights.estate.add_assets((homes[n % 30], "t0") for n in range(60))
    nights.estate.add_assets((None, "t0") for n in range(7))
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.is_truth("assets")


@pytest.mark.costly
@pytest.mark.parametrize("ignored", ["property", "type"])
def test_a_filter_that_the_server_ignores_is_not_relied_on(nights: Nights, ignored: str) -> None:
    nights.estate.is_random = True
    nights.estate.ignored = {ignored}
    homes = property_ids(8)
    nights.estate.add_assets((homes[n % 8], f"t{n // 15}") for n in range(120))
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_where_the_server_ignores_property_types_that_fill_pages_are_read_by_ids(nights: Nights) -> None:
    nights.estate.is_random = True
    nights.estate.ignored = {"property"}
    _spread(nights, 120, 30, types=2)
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_a_server_with_shorter_pages_than_requested_is_asked_for_as_few_ids_at_once(nights: Nights) -> None:
    nights.estate.is_random = True
    nights.estate.most = 7
    _spread(nights, 60, 2, types=2)
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_where_the_server_ignores_every_filter_what_was_seen_is_published_and_nothing_known_is_lost(
    nights: Nights,
) -> None:
    keys = _spread(nights, 120, 30)
    assert nights.sync().exit_code == 0
    nights.estate.is_random = True
    nights.estate.ignored = {"property", "type", "id"}
    del nights.estate.assets[keys[0]]
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (3, INCOMPLETE)
    assert set(keys) == nights.known("assets").keys()
    assert len(nights.estate.requests) < 300


@pytest.mark.release
@pytest.mark.parametrize("status", daily([404, 400], 1))
def test_properties_that_are_not_found_are_empty_parts(nights: Nights, status: int) -> None:
    """Several properties of which one is gone are refused as a whole; they are halved until only that one is."""
    keys = _spread(nights, 120, 30)
    lost = property_ids(30)[4]
    assert nights.sync(page_limit=1000).exit_code == 0
    nights.estate.is_random = True
    for key in keys[4::30]:
        del nights.estate.assets[key]

    def answer(path: str, query: Query) -> Answer | None:
        is_lost = lost in query.get("property", "").split(",")
        return (status, {"code": "PropertyNotFound"}) if is_lost else None

    nights.estate.answer = answer
    report = nights.sync(delete_limit=0.5)
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.is_truth("assets")


@pytest.mark.release
def test_parts_that_are_refused_cost_no_flood_of_requests(nights: Nights) -> None:
    nights.estate.is_random = True
    _spread(nights, 400, 400, types=3)
    nights.estate.answer = lambda path, query: (400, {"code": "FilterInvalid"}) if _is_narrowed(query) else None
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (3, INCOMPLETE)
    assert len(_parts(nights)) < 300


@pytest.mark.slow
@pytest.mark.parametrize("by", daily([1, -1, 1_000_000], 1))
def test_totals_of_parts_that_lie_certify_nothing_and_cost_no_flood_of_requests(nights: Nights, by: int) -> None:
    keys = _spread(nights, 50, 10, types=2)
    assert nights.sync().exit_code == 0
    nights.estate.is_random = True
    nights.estate.total = _lying(by, when=_is_narrowed)
    del nights.estate.assets[keys[0]]
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (3, INCOMPLETE)
    assert set(keys) == nights.known("assets").keys()
    assert len(_parts(nights)) < 1000


@pytest.mark.slow
def test_totals_of_parts_by_property_that_lie_leave_the_parts_by_type(nights: Nights) -> None:
    nights.estate.is_random = True
    nights.estate.total = _lying(1, when=lambda query: "property" in query)
    homes = property_ids(8)
    nights.estate.add_assets((homes[n % 8], f"t{n // 15}") for n in range(120))
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_a_server_that_gives_fewer_records_a_page_than_asked_is_read_in_parts(nights: Nights) -> None:
    nights.estate.is_random = True
    nights.estate.most = 7
    _spread(nights, 120, 30, types=2)
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.is_truth("assets")
    assert len(_parts(nights)) < 60


@pytest.mark.costly
@pytest.mark.parametrize("last", [1, 3])
def test_pages_beyond_which_the_server_refuses_are_read_in_parts_at_once(nights: Nights, last: int) -> None:
    homes = property_ids(30)
    nights.estate.add_assets((homes[n % 30], f"t{n // 15}") for n in range(120))
    nights.estate.answer = lambda path, query: (400, {"code": "Page"}) if int(query.get("page", "1")) > last else None
    report = nights.sync()
    assert (report.exit_code, set(nights.rungs(report, "assets"))) == (0, {0, 2})
    assert nights.is_truth("assets")


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("is_told", [True, False])
def test_assessments_and_schedules_in_random_order_are_the_truth(nights: Nights, is_told: bool) -> None:
    """`is_told`: assessments carry their status; else there is a list for each."""
    nights.estate.is_random = True
    nights.estate.shows_status = is_told
    homes = property_ids(25)
    for status in ("approved", "submitted", "inprogress"):
        nights.estate.add_assessments(product(homes, nights.estate.kinds), status)
    keys = list(nights.estate.assessments)
    nights.estate.performed = {key: ("For", "By", "For,By")[n % 3] for n, key in enumerate(keys)}
    nights.estate.add_schedules(product(homes, nights.estate.kinds))
    report = nights.sync()
    assert report.exit_code == 0
    assert nights.is_truth("assessments")
    assert nights.is_truth("schedules")
    told = nights.rows("select assessment_id, status, performed_for, performed_by from assessments")
    expected = {
        (key, one["status"], "For" in nights.estate.performed[key], "By" in nights.estate.performed[key])
        for key, one in nights.estate.assessments.items()
    }
    assert set(told) == expected


# --- totals that lie ----------------------------------------------------------------------------------------------


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("by", [3, -1])
def test_a_total_that_is_always_wrong_in_the_same_way_is_agreed_upon(nights: Nights, by: int) -> None:
    """Additions and changes are taken; what is missing goes by look-up only."""
    keys = _spread(nights, 90, 9)
    assert nights.sync().exit_code == 0
    nights.estate.total = _lying(by, when=lambda query: not _is_narrowed(query))
    nights.estate.add_assets([("p", "t0")])
    nights.estate.assets[keys[1]] |= {"note": "changed"}
    del nights.estate.assets[keys[0]]
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "agreed")
    assert nights.is_truth("assets")
    assert nights.changes("assets", keys[0]) == ["insert", "delete"]
    again = nights.sync()
    assert (again.exit_code, _verdict(again)) == (0, "agreed")
    assert 2 not in nights.rungs(again, "assets")


@pytest.mark.slow
@pytest.mark.parametrize("status", daily([403, 500], 1))
def test_parts_that_fail_keep_no_list_from_being_agreed_upon(nights: Nights, status: int) -> None:
    _spread(nights, 60, 12)
    nights.estate.total = _lying(1)
    nights.estate.answer = lambda path, query: (status, {}) if _is_narrowed(query) else None
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "agreed")
    assert nights.is_truth("assets")


@pytest.mark.costly
@pytest.mark.parametrize("beyond", daily(["the last page again", "no records"], 1))
def test_a_total_that_is_wrong_by_far_costs_no_thousand_requests(nights: Nights, beyond: str) -> None:
    keys = _spread(nights, 50, 9)
    assert nights.sync().exit_code == 0
    nights.estate.total = _lying(2**62, when=lambda query: not _is_narrowed(query))
    page, last = nights.estate._body, 3 if beyond == "the last page again" else 2**62
    nights.estate._body = lambda path, query: page(  # type: ignore[method-assign]  # what this test is about
        path, query | {"page": str(min(last, int(query.get("page", 1))))}
    )
    nights.estate.add_assets([("p", "t0")])
    lost = nights.estate.assets.pop(keys[0])
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (3, INCOMPLETE)
    assert nights.known("assets") == nights.estate.assets | {keys[0]: lost}
    assert len(nights.estate.requests) < 1000


def test_a_total_that_is_too_small_hides_no_page(nights: Nights) -> None:
    _spread(nights, 90, 9)
    nights.estate.total = _lying(-1000, when=lambda query: not _is_narrowed(query))
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "agreed")
    assert nights.is_truth("assets")


_LACKING: dict[str, Callable[[Query], Query]] = {
    "page 1 for every page": lambda query: query | {"page": "1"},
    "pages numbered from 0": lambda query: query | {"page": str(int(query["page"]) + 1)},
    "a page without records": lambda query: query | {"page": "99"} if query["page"] == "2" else query,
    "no records": lambda query: query | {"page": "99"},
}


@pytest.mark.costly
@pytest.mark.parametrize("lacking", daily(_LACKING, 2))
def test_a_list_that_lacks_a_whole_page_is_not_agreed_upon(
    nights: Nights, caplog: pytest.LogCaptureFixture, lacking: str
) -> None:
    """Three attempts show the same records, and the total is right."""
    _spread(nights, 50, 9)
    nights.estate.ignored = {"property", "type"}
    page = nights.estate._body
    nights.estate._body = lambda path, query: page(  # type: ignore[method-assign]  # what this test is about
        path, _LACKING[lacking](query) if "page" in query else query
    )
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (3, INCOMPLETE)
    assert ("page 0 shows records" in caplog.text) == (lacking == "pages numbered from 0")


@pytest.mark.slow
def test_what_parts_show_beyond_a_list_that_always_shows_the_same_is_published(nights: Nights) -> None:
    """The list leaves out the same new record each time, and tells a total that would have it."""
    keys = _spread(nights, 50, 9)
    lists = nights.estate.lists
    nights.estate.lists = lambda path, query: [  # type: ignore[method-assign]  # what this test is about
        one for one in lists(path, query) if _is_narrowed(query) or one.get("id") != keys[0]
    ]
    nights.estate.total = _lying(7, when=lambda query: not _is_narrowed(query))
    assert nights.sync().exit_code == 3
    assert nights.is_truth("assets")


@pytest.mark.release
def test_under_a_wrong_total_a_record_that_the_list_leaves_out_stays(nights: Nights) -> None:
    keys = _spread(nights, 90, 9)
    nights.estate.total = _lying(1, when=lambda query: "id" not in query)
    assert _verdict(nights.sync()) == "agreed"
    lists = nights.estate.lists
    nights.estate.lists = lambda path, query: [  # type: ignore[method-assign]  # what this test is about
        one for one in lists(path, query) if "id" in query or one.get("id") != keys[0]
    ]
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "agreed")
    assert nights.is_truth("assets")
    assert nights.changes("assets", keys[0]) == ["insert"]


@pytest.mark.costly
@pytest.mark.parametrize("page_limit", [20, 5])
def test_two_records_with_one_key_are_not_one_in_silence(nights: Nights, page_limit: int) -> None:
    """As two schedules of one property and type, or an id that is unique within its property only."""
    keys = nights.estate.add_schedules((home, "k0") for home in property_ids(9))
    lists = nights.estate.lists
    other = nights.estate.schedules[keys[0]] | {"description": "the next one"}
    nights.estate.lists = lambda path, query: [  # type: ignore[method-assign]  # what this test is about
        *lists(path, query),
        *([other] if path == PATHS["schedules"] else []),
    ]
    for _ in range(2):
        report = nights.sync(page_limit=page_limit)
        assert (_verdict(report, "schedules"), report.resources["schedules"]["rejected"]) == ("agreed", 1)
    (kept,) = nights.column("select description from schedules where property_id = ?", keys[0][0])
    shown = nights.rows("select payload ->> 'description', position from ops.rejected_records")
    assert {kept, shown[0][0]} == {"the next one", nights.estate.schedules[keys[0]]["description"]}
    assert len(shown) == 2


@pytest.mark.release
def test_a_combined_total_that_is_always_wrong_is_agreed_upon(nights: Nights) -> None:
    keys = nights.estate.add_assessments(product(property_ids(5), ["k0"] * 10))
    nights.estate.performed = {key: ("For", "By")[n % 2] for n, key in enumerate(keys)}
    nights.estate.total = lambda path, query, true: (
        true + (query.get("performed") == "For,By" and not _is_narrowed(query))
    )
    for _ in range(2):
        report = nights.sync()
        assert (report.exit_code, _verdict(report, "assessments")) == (0, "agreed")
    del nights.estate.assessments[keys[0]]
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assessments")


def test_under_a_wrong_total_a_server_that_heeds_one_status_is_asked_for_each(nights: Nights) -> None:
    for status in ("inprogress", "submitted", "approved"):
        nights.estate.add_assessments(product(property_ids(8), ["k0"]), status)
    lists = nights.estate.lists
    nights.estate.lists = lambda path, query: lists(  # type: ignore[method-assign]  # what this test is about
        path, query | {"status": query.get("status", "").split(",")[0]}
    )
    nights.estate.total = lambda path, query, true: true + 1
    report = nights.sync()
    assert (report.exit_code, _verdict(report, "assessments")) == (0, "agreed")
    assert nights.is_truth("assessments")


@pytest.mark.costly
@pytest.mark.parametrize("is_everything", [True, False])
def test_a_status_that_several_lists_show_is_not_believed(nights: Nights, *, is_everything: bool) -> None:
    """Records have no status, and the server ignores the filter: it shows everything, or what is approved."""
    nights.estate.shows_status = False
    nights.estate.add_assessments(product(property_ids(8), ["k0"]))
    lists = nights.estate.lists
    every = {"status": "inprogress,submitted,approved"} if is_everything else {"status": "approved"}
    nights.estate.lists = lambda path, query: lists(path, query | every)  # type: ignore[method-assign]  # as above
    report = nights.sync()
    assert (report.exit_code, _verdict(report, "assessments")) == (3, INCOMPLETE)


@pytest.mark.costly
@pytest.mark.parametrize("statuses", [["approved"], ["approved", "submitted"]])
def test_a_server_that_ignores_the_status_and_may_hide_others_is_named(
    nights: Nights, caplog: pytest.LogCaptureFixture, statuses: list[str]
) -> None:
    """It shows some statuses alone, and each record says its own: all that it shows adds up."""
    for status in ("inprogress", "submitted", "approved"):
        nights.estate.add_assessments(product(property_ids(8), ["k0"]), status)
    lists = nights.estate.lists
    nights.estate.lists = lambda path, query: lists(path, query | {"status": ",".join(statuses)})  # type: ignore[method-assign]
    assert nights.sync().exit_code == 0
    said = "assessments: the API shows the same records for each status, so it may hide those that are not approved"
    assert (said in caplog.text) == (statuses == ["approved"])
    nights.estate.lists = lists  # type: ignore[method-assign]
    caplog.clear()
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assessments")
    assert "may hide" not in caplog.text


def test_a_server_that_ignores_performed_is_named(nights: Nights, caplog: pytest.LogCaptureFixture) -> None:
    keys = nights.estate.add_assessments(product(property_ids(12), ["k0"]))
    nights.estate.performed = {key: ("For", "By")[n % 2] for n, key in enumerate(keys)}
    nights.estate.ignored = {"performed"}
    assert nights.sync().exit_code == 0
    said = "assessments: the API shows the same 12 records for performed=For and By, so it may ignore that filter"
    assert said in caplog.text
    nights.estate.ignored = set()
    caplog.clear()
    nights.sync()
    assert "may ignore that filter" not in caplog.text


@pytest.mark.slow
def test_a_combined_total_that_is_wrong_in_another_way_each_time_is_not_agreed_upon(nights: Nights) -> None:
    keys = nights.estate.add_assessments(product(property_ids(5), ["k0"] * 10))
    nights.estate.performed = {key: ("For", "By")[n % 2] for n, key in enumerate(keys)}
    turns = count()

    def total(path: str, query: Query, true: int) -> int:
        """Right, then wrong by another number: the first of two alike at every attempt, the second never."""
        if path != PATHS["assessments"] or query.get("performed") != "For,By" or _is_narrowed(query):
            return true
        turn = next(turns)
        return true + turn if turn % 2 else true

    nights.estate.total = total
    report = nights.sync()
    assert (report.exit_code, _verdict(report, "assessments")) == (3, INCOMPLETE)
    assert nights.is_truth("assessments")


@pytest.mark.release
def test_a_total_that_is_wrong_in_another_way_each_time_is_given_up(nights: Nights) -> None:
    keys = _spread(nights, 90, 9)
    assert nights.sync().exit_code == 0
    turns = count(1)
    nights.estate.total = lambda path, query, true: true + next(turns) if path == PATHS["assets"] else true
    nights.estate.add_assets([("p", "t0")])
    lost = nights.estate.assets.pop(keys[0])
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (3, INCOMPLETE)
    assert nights.known("assets") == nights.estate.assets | {keys[0]: lost}
    assert nights.attempts(report, "assets")[-1][1] == 4
    nights.estate.total = lambda path, query, true: true
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_an_attempt_that_was_given_up_publishes_all_that_was_shown(nights: Nights) -> None:
    """Each list shows one record that no other answer of the night shows."""
    _spread(nights, 90, 9)
    shown: set[str] = set()
    turns = count()
    lists = nights.estate.lists

    def listed(path: str, query: Query) -> list[dict[str, object]]:
        rows = lists(path, query)
        if path == PATHS["assets"] and "id" not in query:
            turn = next(turns)
            if rows:
                rows = [{**rows[0], "id": f"only {turn}"}, *rows[1:]]
                rows = rows[:20] if query["page"] == "1" and query["limit"] != "1" else rows
                shown.add(f"only {turn}") if query["page"] == "1" and query["limit"] != "1" else None
        return rows

    nights.estate.lists = listed  # type: ignore[assignment, method-assign]  # what this test is about
    nights.estate.total = lambda path, query, true: 90 if path == PATHS["assets"] else true
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (3, INCOMPLETE)
    assert shown <= nights.known("assets").keys()


@pytest.mark.slow
def test_an_incomplete_read_takes_no_membership_away_and_infers_no_delete(nights: Nights) -> None:
    keys = nights.estate.add_assessments(product(property_ids(5), ["k0"] * 10))
    assert nights.sync().exit_code == 0
    turns = count(1)
    nights.estate.total = lambda path, query, true: true + next(turns) if path == PATHS["assessments"] else true
    nights.estate.performed = {keys[0]: "For"}
    del nights.estate.assessments[keys[1]]
    report = nights.sync()
    assert (report.exit_code, _verdict(report, "assessments")) == (3, INCOMPLETE)
    both = nights.rows("select count(*) from assessments where performed_for and performed_by")
    assert both == [(50,)]


# --- the size of a page changes nothing ---------------------------------------------------------------------------

_TABLES = {
    "assets": "* exclude (first_seen_at, changed_at)",
    "assessments": "* exclude (first_seen_at, changed_at)",
    "schedules": "* exclude (first_seen_at, changed_at)",
    "asset_types": "*",
    "assessment_types": "*",
    "by_type.type_t0": "*",
    "history.assets": "* exclude (valid_from, valid_to, run_id)",
    "history.assessments": "* exclude (valid_from, valid_to, run_id)",
    "history.schedules": "* exclude (valid_from, valid_to, run_id)",
}


def _check_two_nights_at_either_page_size(nights: Nights, kept: KeptHomes, size: int) -> None:
    """The same two nights at 10 records a page and at 1000 give the same tables."""
    homes = property_ids(size // 3)
    dice = Random("page size")
    nights.estate.is_random = True
    nights.estate.add_assets((dice.choice(homes), f"t{dice.randrange(4)}") for _ in range(size))
    nights.estate.add_assessments((home, dice.choice(nights.estate.kinds)) for home in homes[: size // 5])
    keys = list(nights.estate.assessments)
    nights.estate.performed = {key: dice.choice(("For", "By", "For,By")) for key in keys}
    nights.estate.add_schedules((home, "k0") for home in homes[: size // 6])
    tens, thousands = (Nights(nights.estate, nights.url, nights.path / name, kept) for name in ("tens", "thousands"))
    for _ in range(2):
        assert tens.sync(page_limit=10).exit_code == 0
        assert thousands.sync(page_limit=1000).exit_code == 0
        for resource in ("assets", "assessments", "schedules"):
            shelf = getattr(nights.estate, resource)
            for key in dice.sample(list(shelf), 3):
                del shelf[key]
    _check_same_tables(tens, thousands)


def _check_same_tables(one: Nights, other: Nights) -> None:
    attached = f"attach '{other.published}' as other (read_only); "
    for table, columns in _TABLES.items():
        name = table if "." in table else f"main.{table}"
        left, right = f"select {columns} from {name}", f"select {columns} from other.{name}"
        found = one.rows(f"{attached}(({left}) except all ({right})) union all (({right}) except all ({left}))")
        assert found == [], table


@pytest.mark.release
def test_ten_records_a_page_give_the_same_tables_as_a_thousand(nights: Nights, kept: KeptHomes) -> None:
    _check_two_nights_at_either_page_size(nights, kept, 90)


@pytest.mark.release
def test_ten_records_a_page_give_the_same_tables_as_a_thousand_in_a_large_estate(
    nights: Nights, kept: KeptHomes
) -> None:
    _check_two_nights_at_either_page_size(nights, kept, 1200)


# --- totals that are wrong on purpose -----------------------------------------------------------------------------

_RESOURCES = ("assets", "assessments", "schedules")


def _fill(nights: Nights, count: int) -> None:
    """That many of each resource."""
    homes = property_ids(count)
    nights.estate.add_assets((home, f"t{n % 2}") for n, home in enumerate(homes))
    nights.estate.add_assessments((home, "k0") for home in homes)
    nights.estate.add_schedules((home, "k0") for home in homes)


def _of_page(query: Query, true: int, most: int = 1000) -> int:
    """How many records the page itself has."""
    size = min(int(query["limit"]), most)
    return max(0, min(size, true - (int(query["page"]) - 1) * size))


_WRONG_TOTALS: dict[str, Callable[[str, Query, int], int]] = {
    "capped at a page boundary": lambda path, query, true: min(true, 40),
    "capped at one page": lambda path, query, true: min(true, 20),
    "counting the page": lambda path, query, true: _of_page(query, true),
    "nothing": lambda path, query, true: 0,
    "one too many": lambda path, query, true: true + 1,
}


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize(
    ("wrong", "count"),
    daily(
        [("capped at a page boundary", 40), *((wrong, 47) for wrong in _WRONG_TOTALS), ("nothing", 40)], 4, is_row=True
    ),
)
def test_under_a_wrong_total_everything_is_read_and_nothing_is_certified_that_is_a_fraction(
    nights: Nights, wrong: str, count: int
) -> None:
    _fill(nights, count)
    nights.estate.total = _WRONG_TOTALS[wrong]
    report = nights.sync()
    assert [name for name in _RESOURCES if not nights.is_truth(name)] == []
    is_right = wrong.startswith("capped at a") and count == 40
    verdicts = {_verdict(report, name) for name in _RESOURCES}
    assert verdicts <= ({"certified"} if is_right else {"agreed", INCOMPLETE})
    assert report.exit_code == (0 if verdicts <= {"certified", "agreed"} else 3)
    keys = list(nights.estate.assets)
    del nights.estate.assets[keys[0]]
    nights.estate.add_assets([("elsewhere", "t0")])
    nights.sync()
    assert nights.known("assets").keys() >= nights.estate.assets.keys()


_BEYOND: dict[str, Callable[[Query, list[dict[str, object]]], Answer | None]] = {
    "404": lambda query, rows: (404, {"code": "NoSuchPage"}),
    "400": lambda query, rows: (400, {"code": "PageInvalid"}),
    "the last page again": lambda query, rows: (200, {"total": len(rows), "assets": rows[-20:], "types": []}),
    "page 1 again": lambda query, rows: (200, {"total": len(rows), "assets": rows[:20], "types": []}),
    "a total of nothing": lambda query, rows: (200, {"total": 0, "assets": [], "types": []}),
}


_BARE: dict[str, tuple[Callable[[int], int], str]] = {
    "an empty page amid the others": (lambda page: 99 if page == 2 else page, INCOMPLETE),
    "a full page 1 for every page": (lambda page: 1, INCOMPLETE),
    "all pages": (lambda page: page, "certified"),
}


@pytest.mark.parametrize("shown", _BARE)
def test_a_list_without_a_total_ends_where_no_page_speaks_against_it(nights: Nights, shown: str) -> None:
    page_of, verdict = _BARE[shown]
    nights.estate.add_schedules((home, "k0") for home in property_ids(60))
    nights.estate.ignored = {"property", "type"}
    page = nights.estate._body

    def bare(path: str, query: Query) -> object:
        shown = page(path, query | {"page": str(page_of(int(query["page"])))}) if "page" in query else None
        return page(path, query) if shown is None or path != PATHS["schedules"] else shown["items"]

    nights.estate._body = bare  # type: ignore[method-assign]  # what this test is about
    report = nights.sync()
    assert (_verdict(report, "schedules"), report.exit_code) == (verdict, 0 if verdict == "certified" else 3)


@pytest.mark.slow
@pytest.mark.costly
@pytest.mark.parametrize("beyond", daily(_BEYOND, 2))
def test_a_list_that_ends_on_a_page_boundary_is_certified_however_its_end_is_told(nights: Nights, beyond: str) -> None:
    _spread(nights, 60, 30)
    nights.estate.answer = lambda path, query: (
        _BEYOND[beyond](query, nights.estate.lists(path, query))
        if path == PATHS["assets"] and not _is_narrowed(query) and int(query["page"]) > 3
        else None
    )
    for _ in range(2):
        report = nights.sync()
        assert (report.exit_code, _verdict(report)) == (0, "certified")
        assert nights.is_truth("assets")
        assert len(nights.estate.asked("assets", page="4")) == 1 or beyond == "400"


@pytest.mark.costly
@pytest.mark.parametrize("status", [400, 403, 500])
def test_a_short_list_is_certified_although_the_api_has_no_second_page(nights: Nights, status: int) -> None:
    _spread(nights, 7, 3)
    nights.estate.answer = lambda path, query: (status, {"code": "No"}) if query.get("page", "1") != "1" else None
    for _ in range(2):
        report = nights.sync()
        assert (report.exit_code, _verdict(report)) == (0, "certified")
        assert len(nights.estate.asked("assets", page="2")) <= (3 if status == 500 else 1)
        assert nights.is_truth("assets")
        nights.estate.add_assets([("elsewhere", "t0")])


@pytest.mark.costly
@pytest.mark.parametrize(("count", "properties"), [(50, 3), (50, 5), (40, 7)])
def test_a_list_of_whole_pages_is_read_in_parts_if_the_page_after_it_fails(
    nights: Nights, count: int, properties: int
) -> None:
    """A round number of records may be the server's own limit, so a failure is no proof of the end."""
    _spread(nights, count, properties)
    limit = {50: 1000, 40: 20}[count]
    last = -(-count // limit)
    nights.estate.answer = lambda path, query: (500, {}) if int(query.get("page", "1")) > last else None
    for _ in range(2):
        report = nights.sync(page_limit=limit)
        assert (report.exit_code, _verdict(report)) == (0, "certified")
        assert 2 in nights.rungs(report, "assets")
        assert nights.is_truth("assets")


@pytest.mark.parametrize("told", [50, 80])
def test_a_failing_page_after_a_whole_one_hides_no_records(nights: Nights, told: int) -> None:
    """The server shows 50 at most: its total counts the page, or is right."""
    nights.estate.most = 50
    _spread(nights, 80, 3)
    nights.estate.total = lambda path, query, true: min(true, told)
    nights.estate.answer = lambda path, query: (500, {}) if query.get("page", "1") != "1" else None
    report = nights.sync(page_limit=1000)
    assert report.exit_code == 3 or nights.is_truth("assets")


def test_a_failing_page_after_a_part_that_nothing_splits_is_asked_for_once_an_attempt(nights: Nights) -> None:
    """Each time costs all attempts of the retry policy: most of a minute."""
    _spread(nights, 50, 1)
    nights.estate.answer = lambda path, query: (500, {}) if query.get("page", "1") != "1" else None
    report = nights.sync(page_limit=1000)
    assert (report.exit_code, _verdict(report)) == (3, "incomplete")
    made = nights.attempts(report, "assets")
    assert len(nights.estate.asked("assets", page="2")) <= nights.policy.attempts * len({row[0] for row in made})


@pytest.mark.parametrize(("status", "page_2"), [(500, 1), (503, 1), (429, 2)])
def test_a_page_that_fails_now_and_then_hides_no_records_of_a_first_night(
    nights: Nights, status: int, page_2: int
) -> None:
    """The server shows 37 at most, and its total counts the page. It fails at page 2 for the first `page_2` times."""
    nights.estate.most = 37
    nights.estate.total = lambda path, query, true: _of_page(query, true, 37)
    _spread(nights, 80, 9)
    failures = iter(range(page_2))
    nights.estate.answer = lambda path, query: (
        (status, {}) if query.get("page") == "2" and next(failures, None) is not None else None
    )
    nights.sync(page_limit=1000)
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_a_list_that_grows_past_an_odd_page_of_the_server_is_read_whole(nights: Nights) -> None:
    """A list that shows its oldest records first shows none of the new ones on page 1."""
    nights.estate.most = 37
    nights.estate.total = lambda path, query, true: _of_page(query, true, 37)
    _fill(nights, 36)
    assert nights.sync(page_limit=1000).exit_code == 0
    for _ in range(2):
        nights.estate.add_assets([("elsewhere", "t0")] * 2)
        nights.estate.add_assessments([("elsewhere", "k0")] * 2)
        nights.sync(page_limit=1000)
        assert [name for name in ("assets", "assessments") if not nights.is_truth(name)] == []


@pytest.mark.parametrize("status", [400, 500])
def test_each_night_agrees_on_a_list_that_shows_and_counts_one_key_twice(nights: Nights, status: int) -> None:
    """The API has no page after the last: its total counts too many, so it hides no record there."""
    keys = _spread(nights, 50, 9)
    lists = nights.estate.lists
    nights.estate.lists = lambda path, query: [  # type: ignore[method-assign]  # what this test is about
        one for one in lists(path, query) for _ in range(2 if one.get("id") == keys[7] else 1)
    ]
    nights.estate.answer = lambda path, query: (status, {"code": "Page"}) if int(query.get("page", "1")) > 3 else None
    for _ in range(3):
        report = nights.sync()
        assert (report.exit_code, _verdict(report)) == (0, "agreed")
        assert nights.is_truth("assets")
        nights.estate.add_assets([("elsewhere", "t0")])


def test_a_page_that_fails_beyond_a_page_that_no_total_counts_is_not_the_end(nights: Nights) -> None:
    nights.estate.most = 37
    nights.estate.total = lambda path, query, true: _of_page(query, true, 37)
    _spread(nights, 80, 9)
    nights.estate.answer = lambda path, query: (500, {}) if query.get("page") == "3" else None
    assert nights.sync(page_limit=1000).exit_code != 0


@pytest.mark.slow
def test_pages_that_are_refused_where_a_total_is_capped_certify_nothing(nights: Nights) -> None:
    """As of search engines that count and show the first 10,000 only."""
    _spread(nights, 60, 30)
    nights.estate.total = lambda path, query, true: min(true, 40)
    nights.estate.answer = lambda path, query: (400, {"code": "Window"}) if int(query.get("page", "1")) > 2 else None
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (3, INCOMPLETE)
    assert nights.is_truth("assets")


@pytest.mark.slow
@pytest.mark.parametrize(("count", "exit_code"), [(10_000, 0), (10_020, 3)])
@pytest.mark.parametrize("is_empty", [True, False])
def test_a_list_of_as_many_records_as_a_search_engine_shows_is_read_in_parts(
    nights: Nights, count: int, exit_code: int, *, is_empty: bool
) -> None:
    """The page after them is empty, or not found."""
    _spread(nights, count, 500, 2)
    lists = nights.estate.lists
    nights.estate.lists = lambda path, query: lists(path, query)[:10_000]  # type: ignore[method-assign]  # as above
    nights.estate.answer = lambda path, query: None if is_empty or query.get("page") != "11" else (404, {})
    report = nights.sync(page_limit=1000)
    assert (report.exit_code, 2 in nights.rungs(report, "assets")) == (exit_code, True)
    assert nights.is_truth("assets")


@pytest.mark.release
def test_a_list_that_goes_round_for_ever_ends(nights: Nights) -> None:
    _spread(nights, 60, 30)
    nights.estate.is_random = True
    nights.estate.ignored = {"page"}
    page = nights.estate._body
    nights.estate._body = lambda path, query: page(path, query | {"page": "1"})  # type: ignore[method-assign]
    nights.estate.total = lambda path, query, true: min(true, 20) if not _is_narrowed(query) else true
    assert nights.sync().exit_code == 3
    assert len(nights.estate.requests) < 300


def test_a_total_capped_at_the_real_size_of_a_page_is_not_believed(nights: Nights) -> None:
    nights.estate.most = 10
    _spread(nights, 35, 7)
    nights.estate.total = lambda path, query, true: min(true, 30)
    assert _verdict(nights.sync()) != "certified"
    assert nights.is_truth("assets")


@pytest.mark.costly
@pytest.mark.parametrize(("count", "types", "last"), daily(product([60, 40], [1, 3], [2, 3]), 3, is_row=True))
def test_a_list_that_ends_where_its_total_is_capped_is_not_believed(
    nights: Nights, count: int, types: int, last: int
) -> None:
    """The page after it is an empty one, or the last page again: nothing but its parts shows the other records."""
    _spread(nights, count, 6, types)
    nights.estate.total = lambda path, query, true: min(true, 40)
    page = nights.estate._body

    def clamped(path: str, query: Query) -> object:
        """No page after the second one has records."""
        place = min(int(query.get("page", "1")), last)
        return page(path, query | {"page": str(place if place < 3 else 99)}) if "page" in query else page(path, query)

    nights.estate._body = clamped  # type: ignore[method-assign]  # what this test is about
    report = nights.sync()
    is_capped = count > 40
    assert (report.exit_code, 2 in nights.rungs(report, "assets")) == (3 if is_capped else 0, is_capped)
    assert nights.is_truth("assets")


@pytest.mark.costly
def test_a_round_total_may_be_capped_within_a_page(nights: Nights) -> None:
    """A search engine shows its first 1,000 records, and its last page is not full if pages have 300."""
    _spread(nights, 1_050, 6, 3)
    nights.estate.total = lambda path, query, true: min(true, 1_000)
    lists = nights.estate.lists
    nights.estate.lists = lambda path, query: lists(path, query)[:1_000]  # type: ignore[method-assign]
    assert nights.sync(page_limit=300).exit_code == 3
    assert nights.is_truth("assets")


def test_parts_that_overlap_make_no_total_wrong(nights: Nights) -> None:
    """Some filters count a record under two values: only a record that the list lacks shows that it is cut."""
    _spread(nights, 40, 6, 3)
    nights.estate.total = lambda path, query, true: true + 5 if "type" in query else true
    report = nights.sync()
    assert (report.exit_code, 2 in nights.rungs(report, "assets")) == (0, False)
    assert len(nights.estate.asked("assets", type="", limit="1")) == 2


def test_parts_that_the_api_does_not_answer_cost_nothing(nights: Nights) -> None:
    _spread(nights, 40, 6, 3)
    nights.estate.answer = lambda path, query: (500, {}) if "type" in query else None
    report = nights.sync()
    assert (report.exit_code, 2 in nights.rungs(report, "assets")) == (0, False)


def test_a_capped_total_shows_by_property_where_the_api_ignores_the_type(nights: Nights) -> None:
    _spread(nights, 60, 6, 3)
    nights.estate.ignored = {"type"}
    nights.estate.total = lambda path, query, true: min(true, 40)
    page = nights.estate._body
    nights.estate._body = lambda path, query: page(
        path, query if int(query.get("page", "1")) < 3 else query | {"page": "99"}
    )  # type: ignore[method-assign]
    report = nights.sync()
    assert report.exit_code == 3
    assert nights.is_truth("assets")


_STUCK: dict[str, tuple[int, dict[str, str], int, bool]] = {
    "a list that is cut": (35, {"page": "1"}, 3, True),
    "a whole list": (10, {"page": "1"}, 0, True),
    "a whole list whatever the limit": (10, {"page": "1", "limit": "10"}, 0, False),
}


@pytest.mark.costly
@pytest.mark.parametrize("shown", daily(_STUCK, 1))
def test_a_list_that_shows_page_1_for_every_page_is_read_in_parts(nights: Nights, shown: str) -> None:
    """The total counts the page, so that nothing else speaks of further records."""
    assets, always, exit_code, is_parted = _STUCK[shown]
    nights.estate.most = 10
    _spread(nights, assets, 7)
    nights.estate.total = lambda path, query, true: min(true, 10)
    page = nights.estate._body
    nights.estate._body = lambda path, query: page(path, query | always)  # type: ignore[method-assign]
    report = nights.sync(page_limit=1000)
    assert (report.exit_code, 2 in nights.rungs(report, "assets")) == (exit_code, is_parted)
    assert nights.is_truth("assets")


_SHORT: dict[str, Callable[[Query, int, int], int]] = {
    "counted": _of_page,
    "capped": lambda query, true, most: min(true, most),
}


@pytest.mark.costly
@pytest.mark.parametrize(("most", "told"), daily(product([37, 10, 25, 64], _SHORT), 3, is_row=True))
def test_a_page_that_is_shorter_than_asked_and_told_as_all_is_not_believed(
    nights: Nights, most: int, told: str
) -> None:
    total = _SHORT[told]
    nights.estate.most = most
    _fill(nights, 2 * most + 3)
    nights.estate.total = lambda path, query, true: total(query, true, most)
    report = nights.sync(page_limit=1000)
    assert [name for name in _RESOURCES if not nights.is_truth(name)] == []
    assert "certified" not in {_verdict(report, name) for name in _RESOURCES}
    nights.estate.add_assets([("elsewhere", "t0")])
    report = nights.sync(page_limit=1000)
    assert nights.is_truth("assets")
    assert _verdict(report) != "certified"


@pytest.mark.slow
def test_parts_whose_totals_are_capped_at_a_page_are_not_believed(nights: Nights) -> None:
    """The list itself tells the truth, in random order: only parts can certify it."""
    nights.estate.is_random = True
    nights.estate.add_assets([("p0", "t0")] * 50 + [("p1", "t0")] * 20 + [("p2", "t0")] * 3)
    nights.estate.total = lambda path, query, true: min(true, 20) if "property" in query else true
    report = nights.sync()
    assert nights.is_truth("assets") or report.exit_code == 3
    assert _verdict(report) in ("certified", INCOMPLETE)


def test_parts_that_came_full_under_a_capped_total_are_split(nights: Nights) -> None:
    nights.estate.is_random = True
    nights.estate.add_assets([("p0", f"t{n % 3}") for n in range(50)] + [("p1", "t0")] * 3)
    nights.estate.total = lambda path, query, true: min(true, 20) if _is_narrowed(query) else true
    report = nights.sync()
    assert (report.exit_code, nights.rungs(report, "assets")) == (0, [0, 1, 1, 1, 2])
    assert nights.is_truth("assets")


def test_a_total_exceeded_because_a_record_came_and_went_is_believed_of_a_calm_sweep(nights: Nights) -> None:
    """At two attempts an asset comes and goes: both see one more than the total of the first page."""
    _spread(nights, 90, 9)
    guests: list[str] = []
    turns = count(1)

    def before(path: str, query: Query) -> None:
        if path != PATHS["assets"] or _is_narrowed(query):
            return
        if query.get("page") == "1":
            while guests:
                del nights.estate.assets[guests.pop()]
        if query.get("page") == "3" and next(turns) <= 2:
            guests.extend(nights.estate.add_assets([("p", "t0")]))

    nights.estate.before = before
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "certified")
    assert nights.rungs(report, "assets") == [0, 1, 1]
    assert nights.is_truth("assets")


@pytest.mark.release
def test_a_repeated_night_asks_for_the_end_of_the_list_too(nights: Nights) -> None:
    """The pages are the same, byte for byte, and the total is capped: only the page beyond shows what is new."""
    _spread(nights, 40, 20)
    nights.estate.total = lambda path, query, true: min(true, 40)
    for _ in range(2):
        assert nights.sync().exit_code == 0
    nights.estate.add_assets([("elsewhere", "t0")])
    report = nights.sync()
    assert (report.exit_code, _verdict(report)) == (0, "agreed")
    assert nights.is_truth("assets")


@pytest.mark.costly
@pytest.mark.parametrize(
    ("total", "is_first"),
    daily(
        [
            *((total, True) for total in (-1, "45", 45.5, None, True, 10**30, 1e30, 2**63, [45])),
            (-1, False),
            (1e30, False),
        ],
        4,
        is_row=True,
    ),
)
def test_a_total_that_is_no_count_fails_the_resource_on_every_night(
    nights: Nights, total: object, *, is_first: bool
) -> None:
    _spread(nights, 45, 9)
    if not is_first:
        assert nights.sync().exit_code == 0
    known = {} if is_first else dict(nights.estate.assets)
    nights.estate.add_assets([("elsewhere", "t0")])
    nights.estate.total = lambda path, query, true: total if path == PATHS["assets"] else true  # type: ignore[assignment,return-value]
    report = nights.sync()
    assert report.exit_code == 3
    assert "assets" in report.left_behind[0]
    assert nights.known("assets") == known
    assert list((nights.path / "landing" / "assets").glob("*/manifest.json")) == [] or not is_first


@pytest.mark.release
@pytest.mark.parametrize(
    ("of", "heeded"),
    daily([("asset_types", 3), ("properties", 1), ("assets", 3), ("assets", 1)], 2, is_row=True),
)
def test_a_backfill_gets_all_that_it_asks_for_though_the_server_cuts_filters(
    nights: Nights, heeded: int, of: str
) -> None:
    nights.estate.add_assets([("p0", "t0")])
    assert nights.sync().exit_code == 0
    keys = nights.estate.add_assets((home, f"t{n % 7}") for n, home in enumerate(property_ids(7)))
    values = {"properties": property_ids(7), "asset_types": nights.estate.types, "assets": keys}[of]
    lists = nights.estate.lists
    nights.estate.lists = (
        lambda path, query: lists(  # type: ignore[method-assign]  # what this test is about
            path,
            {
                name: text if name in ("limit", "page") else ",".join(text.split(",")[:heeded])
                for name, text in query.items()
            },
        )
    )
    report = nights.backfill(Scope(**{of: tuple(values)}))
    assert set(keys) <= nights.known("assets").keys()
    assert report.exit_code == 0
