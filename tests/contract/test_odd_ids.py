"""Ids and statuses that an address cannot hold, or only just: each costs itself, never its resource or the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kit.archives import place
from kit.estate import PATHS
from kit.nights import Nights

from propsync.runbooks.archiving.export import export

ODD = {
    "one dot": ".",
    "two dots": "..",
    "three dots": "...",
    "dots after a slash": "a/..",
    "dots before a backslash": "..\\a",
    "a slash": "a/b",
    "two slashes": "//a",
    "a slash as it stands in an address": "a%2Fb",
    "dots as they stand in an address": "%2e%2e",
    "a question mark": "a?b",
    "a number sign": "#",
    "an ampersand": "a&id=b",
    "a semicolon": "a;b",
    "a plus": "a+b",
    "a blank": " ",
    "a zero": "a\0b",
    "a line": "a\r\nHost: b",
    "a control": "\x1b[2J",
    "a picture": "\U0001f6aa",
    "a comma": "a,b",
    "very long": "x" * 5_000,
    "too long for any address": "y" * 100_000,
    "long once it is in an address": "ŵ" * 600,
}
LONGEST = 4_000


def _longest(nights: Nights) -> int:
    return max(len(nights.url) + one.length for one in nights.estate.requests)


def _assets(nights: Nights) -> None:
    for key in ODD.values():
        nights.estate.assets[key] = {"id": key, "property": "p", "type": "t0", "fields": []}


def _assessments(nights: Nights) -> None:
    for key in ODD.values():
        nights.estate.assessments[key] = {"id": key, "property": "p", "type": "k0", "status": "approved"}


def _schedules(nights: Nights) -> None:
    nights.estate.kinds += ODD.values()
    for odd in ODD.values():
        for key in ((odd, "k0"), ("p", odd)):
            told = {"property": key[0], "type": key[1], "status": "notstarted", "description": "odd"}
            nights.estate.schedules[key] = told


PUT = {"assets": _assets, "assessments": _assessments, "schedules": _schedules}


def _put_ordinary(nights: Nights) -> None:
    nights.estate.add_assets([("p0", "t0")] * 40)
    nights.estate.add_assessments([("p0", "k0")] * 40)
    nights.estate.add_schedules([(f"p{number}", "k0") for number in range(40)])


def _goes(nights: Nights, resource: str, *keys: Any) -> None:
    for key in keys:
        del getattr(nights.estate, resource)[key]


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("resource", PUT)
def test_records_with_odd_ids_are_kept_like_others(nights: Nights, resource: str) -> None:
    _put_ordinary(nights)
    PUT[resource](nights)
    for _ in range(2):
        assert nights.sync().exit_code == 0
        assert nights.is_truth(resource)
        assert _longest(nights) < LONGEST
    assert nights.rows(f"select count(*) from history.{resource} where change <> 'insert'") == [(0,)]


@pytest.mark.release
@pytest.mark.costly
@pytest.mark.parametrize("resource", PUT)
def test_odd_ids_that_go_missing_end_no_run_and_are_held_at_most_until_accepted(nights: Nights, resource: str) -> None:
    _put_ordinary(nights)
    PUT[resource](nights)
    assert nights.sync(delete_limit=1).exit_code == 0
    ordinary = next(iter(getattr(nights.estate, resource)))
    odd = [key for key, one in getattr(nights.estate, resource).items() if key not in _ordinary_keys(nights, resource)]
    _goes(nights, resource, ordinary, *odd)
    told = nights.sync(delete_limit=1)
    assert told.exit_code in (0, 3)
    assert _longest(nights) < LONGEST
    known = nights.known(resource)
    assert ordinary not in known
    assert set(nights.estate.truth(resource)) <= set(known)
    why: dict[str, str] = dict(
        nights.rows(f"select record_id, reason from ops.held_deletes where resource = '{resource}'")
    )
    assert len(why) == len(set(known) - set(nights.estate.truth(resource)))
    assert all("cannot" in reason for reason in why.values()), why
    if resource != "schedules":
        assert set(why) <= {
            "a,b",
            ODD["very long"],
            ODD["too long for any address"],
            ODD["long once it is in an address"],
        } | ({".", "..", "...", "a/..", "..\\a"} if resource == "assessments" else set())
    assert nights.sync(accept=told.run_id, delete_limit=1).exit_code == 0
    assert nights.is_truth(resource)


def _ordinary_keys(nights: Nights, resource: str) -> set[Any]:
    return {
        key
        for key, one in getattr(nights.estate, resource).items()
        if one.get("property", "").startswith("p")
        and one["property"] != "p"
        and key not in ODD.values()
        and one.get("description") != "odd"
    }


@pytest.mark.slow
def test_an_assessment_of_dots_that_is_there_is_not_deleted_by_a_look_up(nights: Nights) -> None:
    """It is in a status that no list is asked for, and its report cannot be."""
    nights.estate.add_assessments([("p0", "k0")] * 40)
    nights.estate.assessments[".."] = {"id": "..", "property": "p0", "type": "k0", "status": "approved"}
    assert nights.sync().exit_code == 0
    nights.estate.assessments[".."]["status"] = "archived"
    assert nights.sync().exit_code == 3
    assert ".." in nights.known("assessments")
    assert nights.held("assessments") == {".."}
    nights.estate.assessments[".."]["status"] = "submitted"
    assert nights.sync().exit_code == 0
    assert nights.is_truth("assessments")


@pytest.mark.release
def test_a_list_that_is_read_in_parts_is_read_beside_odd_properties(nights: Nights) -> None:
    """It moves so much that it can only be read by property or type."""
    nights.estate.add_assets([(f"p{number}", f"t{number % 3}") for number in range(60)])
    for number, odd in enumerate(ODD.values()):
        nights.estate.assets[f"a{number}"] = {"id": f"a{number}", "property": odd, "type": "t0", "fields": []}
    assert nights.sync().exit_code == 0
    nights.estate.is_random = True
    told = nights.sync()
    assert told.exit_code in (0, 3)
    assert 2 in nights.rungs(told, "assets")
    assert _longest(nights) < LONGEST
    assert nights.is_truth("assets")


@pytest.mark.slow
def test_documents_of_odd_ids_fail_with_the_reason_and_the_others_come(tmp_path: Path) -> None:
    with place(tmp_path / "home", scale=10) as made:
        odd = [ODD[name] for name in ("two dots", "dots after a slash", "a slash", "very long", "a zero", "a line")]
        for key in odd:
            made.sandbox.world.assessments.add(id=key, status="approved", performed=("For",))
        assert made.sync().exit_code == 0
        told = made.archive(kinds=["report"])
        failed: dict[str, str] = dict(
            made.rows("select assessment_id, last_error from documents where state = 'failed'")
        )
        beyond = {"..", "a/..", ODD["very long"]}
        assert beyond <= set(failed) <= set(odd)
        assert {key for key, why in failed.items() if "an address cannot hold it" in why} == beyond
        assert told.exit_code == 3
        stored = made.rows("select count(*) from documents where state = 'stored'")
        assert stored == [(len(made.wanted()) - len(failed),)]
        for key in odd:
            made.sandbox.world.assessments.delete(key)
        assert made.sync(delete_limit=1).exit_code in (0, 3)
        exported = export(made.settings(), tmp_path / "bag")
        assert exported.documents == stored[0][0]


STATUSES = {
    "very long": "s" * 5_000,
    "longer than any address": "s" * 100_000,
    "with a comma": "held, approved",
    "empty": "",
    "long in an address": "ŵ" * 900,
    "with an ampersand": "a&status=b",
    "with a line end": "a\nb",
    "with a zero": "a\0b",
}


class _Every(str):
    """A filter that everything passes."""

    def split(self, *_: Any) -> Any:
        return _Anything()


class _Anything(list[str]):
    def __contains__(self, _one: object) -> bool:
        return True


def _list_every_status(nights: Nights, resource: str) -> None:
    """Its lists show records whatever the status that is asked for."""
    real, path_of = nights.estate.lists, PATHS[resource]

    def lists(path: str, query: dict[str, str]) -> Any:
        return real(path, query | {"status": _Every("")} if path == path_of else query)

    nights.estate.lists = lists  # type: ignore[method-assign]


@pytest.mark.costly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "resource"),
    [(status, ("assessments", "schedules")[n % 2]) for n, status in enumerate(STATUSES.values())],
    ids=STATUSES,
)
def test_a_status_of_any_kind_makes_no_address_too_long_and_loses_no_record(
    nights: Nights, resource: str, status: str
) -> None:
    _put_ordinary(nights)
    _list_every_status(nights, resource)
    records = getattr(nights.estate, resource)
    odd, gone, *_ = records
    records[odd]["status"] = status
    for _ in range(2):
        assert nights.sync().exit_code == 0
        assert nights.is_truth(resource)
        assert _longest(nights) < LONGEST
    _goes(nights, resource, gone)
    assert nights.sync().exit_code == 0
    assert nights.is_truth(resource)
    assert _longest(nights) < LONGEST
    noted = f"select name from ops.schema_changes where resource = '{resource}' and change = 'status seen'"
    assert nights.rows(noted) == ([(status,)] if status else [])


@pytest.mark.release
def test_many_statuses_leave_room_for_ids(nights: Nights) -> None:
    keys = nights.estate.add_assessments([("p0", "k0")] * 60)
    _list_every_status(nights, "assessments")
    for number, key in enumerate(keys[:-10]):
        nights.estate.assessments[key]["status"] = f"status number {number} " + "z" * 60
    for _ in range(3):
        assert nights.sync().exit_code == 0
        assert _longest(nights) < LONGEST
        assert nights.is_truth("assessments")
    asked = max((one.words("status") for one in nights.estate.asked("assessments")), key=len)
    assert 10 < len(asked) < 40
    noted = "select count(*) from ops.schema_changes where change = 'status seen'"
    assert nights.rows(noted) == [(50,)]
