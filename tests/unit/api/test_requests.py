"""Promises of the requests: what is sent is what was meant."""

from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.api import (
    Accept,
    ApiRequest,
    bundle_request,
    page_request,
    report_request,
    schedule_request,
    why_unaskable,
)
from propsync.api.requests import create_asset_request, update_asset_request
from propsync.errors import UsageError
from propsync.resources import ASSESSMENTS, ASSET_TYPES, ASSETS, SCHEDULES


def all_assets(**filters):
    return ASSETS.lists(())[0].narrowed(*filters.items())


def test_a_list_request_shows_itself_as_it_is_sent():
    query = all_assets(id=["a", "b"], property=["p q"], type=["Smoke alarms"])
    request = page_request(ASSETS, query, limit=1000, page=2)
    shown = "GET /properties/assets?limit=1000&page=2&id=a,b&property=p%20q&type=Smoke%20alarms"
    assert str(request) == shown
    assert request.url_length("https://h/v1/") == len("https://h/v1") + len(shown) - len("GET ")


def test_flags_are_asked_for_in_every_list_of_assessments():
    lists = [
        *ASSESSMENTS.lists(["a", "b"]),
        *ASSESSMENTS.lists(["a", "b"], by_status=True),
        ASSESSMENTS.combined(["a"]),
    ]
    asked = [dict(page_request(ASSESSMENTS, query.narrowed(("property", ["p"])), 1).query) for query in lists]
    assert [one["includeflags"] for one in asked] == ["true"] * 7


def test_schedules_are_never_asked_by_the_deprecated_parameter():
    query = SCHEDULES.combined(["notstarted"]).narrowed(("property", ["p"]), ("type", ["t"]))
    request = page_request(SCHEDULES, query, 5)
    assert dict(request.query) == {"limit": "5", "page": "1", "status": "notstarted", "property": "p", "type": "t"}


def test_a_list_without_pages_is_asked_for_as_a_whole():
    request = page_request(ASSET_TYPES, ASSET_TYPES.lists(())[0], 1000)
    assert (str(request), request.accept) == ("GET /properties/assets/types", Accept.JSON)


@pytest.mark.parametrize(
    ("request_", "shown", "accept"),
    [
        (report_request("a/b"), "GET /assessments/a%2Fb/report.pdf", Accept.PDF),
        (bundle_request("ä"), "GET /assessments/%C3%A4/bundle.zip", Accept.ZIP),
        (schedule_request("p", "t"), "GET /assessments/schedules/p/t", Accept.JSON_OR_NULL),
        (schedule_request("p", "t", "PUT", b"{}"), "PUT /assessments/schedules/p/t", Accept.NOTHING),
        (create_asset_request("p?q", b"{}"), "POST /properties/p%3Fq/assets", Accept.JSON),
        (update_asset_request("p", "a#", b"{}"), "PATCH /properties/p/assets/a%23", Accept.NOTHING),
    ],
)
def test_the_other_endpoints(request_, shown, accept):
    assert (str(request_), request_.accept) == (shown, accept)


@pytest.mark.parametrize("value", ["a,b", "", "x" * 1_001, "ŵ" * 200, "\ud800"], ids=lambda one: ascii(one)[:20])
def test_a_value_that_would_be_read_as_another_cannot_be_asked_for(value):
    assert why_unaskable(value)


_BEYOND = ["", ".", "..", "...", "../a", "a/..", "a/./b", "..\\a", "x" * 1_001, "ŵ" * 200, "\ud800"]


@pytest.mark.parametrize("asset_id", _BEYOND, ids=lambda one: ascii(one)[:20])
def test_an_id_that_would_reach_another_endpoint_is_refused(asset_id):
    with pytest.raises(UsageError, match="an address cannot hold it"):
        report_request(asset_id)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=","), min_size=1)


def is_of_dots(text):
    return any(part and not part.strip(".") for part in text.replace("\\", "/").split("/"))


@given(texts.filter(lambda text: not is_of_dots(text)))
def test_any_id_arrives_as_one_segment(asset_id):
    path = report_request(asset_id).path
    assert [unquote(part) for part in path.split("/")] == ["", "assessments", asset_id, "report.pdf"]


@given(st.lists(texts, min_size=1))
def test_any_filter_arrives_as_it_was(ids):
    target = page_request(ASSETS, all_assets(id=ids), 1).target()
    assert parse_qsl(urlsplit(target).query, keep_blank_values=True)[2:] == [("id", ",".join(ids))]


def test_the_body_of_a_request_is_not_needed_to_name_it():
    assert str(ApiRequest("PUT", "/x", body=b"secret")) == "PUT /x"
