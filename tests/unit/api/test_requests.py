"""Promises of the requests: what is sent is what was meant."""

from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.api import (
    Accept,
    ApiRequest,
    AssessmentQuery,
    AssetQuery,
    ScheduleQuery,
    assessment_types_request,
    asset_types_request,
    bundle_request,
    report_request,
    schedule_request,
)
from propsync.api.requests import create_asset_request, update_asset_request
from propsync.errors import UsageError


def test_a_list_request_shows_itself_as_it_is_sent():
    request = AssetQuery(ids=["a", "b"], properties=["p q"], types=["Smoke alarms"]).request(limit=1000, page=2)
    shown = "GET /properties/assets?page=2&limit=1000&id=a,b&property=p%20q&type=Smoke%20alarms"
    assert str(request) == shown
    assert request.url_length("https://h/v1/") == len("https://h/v1") + len(shown) - len("GET ")


def test_flags_are_always_asked_for_unless_told_otherwise():
    assert str(AssessmentQuery().request()) == "GET /assessments?includeflags=true"
    query = AssessmentQuery(["approved"], ["For"], ["a"], ["p"], ["t"], flags=False)
    assert str(query.request(1, 1)) == (
        "GET /assessments?page=1&limit=1&includeflags=false"
        "&status=approved&performed=For&assessment=a&property=p&type=t"
    )


def test_schedules_are_never_asked_by_the_deprecated_parameter():
    request = ScheduleQuery(["notstarted"], ["p"], ["t"]).request(5, 1)
    assert dict(request.query) == {"limit": "5", "page": "1", "status": "notstarted", "property": "p", "type": "t"}


@pytest.mark.parametrize(
    ("request_", "shown", "accept"),
    [
        (asset_types_request(), "GET /properties/assets/types", Accept.JSON),
        (assessment_types_request(), "GET /assessments/types", Accept.JSON),
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


@pytest.mark.parametrize(
    "query",
    [AssetQuery(ids=["a,b"]), AssetQuery(types=[""]), ScheduleQuery(statuses="approved"), AssetQuery(["x" * 1_001])],
)
def test_a_value_that_would_be_read_as_another_is_refused(query):
    with pytest.raises(UsageError, match="filter"):
        query.request()


_BEYOND = ["", ".", "..", "...", "../a", "a/..", "a/./b", "..\\a", "x" * 1_001, "ŵ" * 200, "\ud800"]


@pytest.mark.parametrize("asset_id", _BEYOND, ids=lambda one: ascii(one)[:20])
def test_an_id_that_would_reach_another_endpoint_is_refused(asset_id):
    with pytest.raises(UsageError, match="cannot stand in an address"):
        report_request(asset_id)


@pytest.mark.parametrize(("limit", "page"), [(0, 1), (1001, 1), (1, 0), (1, -1)])
def test_a_page_out_of_bounds_is_refused(limit, page):
    with pytest.raises(UsageError):
        AssetQuery().request(limit, page)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=","), min_size=1)


def is_of_dots(text):
    return any(part and not part.strip(".") for part in text.replace("\\", "/").split("/"))


@given(texts.filter(lambda text: not is_of_dots(text)))
def test_any_id_arrives_as_one_segment(asset_id):
    path = report_request(asset_id).path
    assert [unquote(part) for part in path.split("/")] == ["", "assessments", asset_id, "report.pdf"]


@given(st.lists(texts, min_size=1))
def test_any_filter_arrives_as_it_was(ids):
    target = AssetQuery(ids=ids).request().target()
    assert parse_qsl(urlsplit(target).query, keep_blank_values=True) == [("id", ",".join(ids))]


def test_the_body_of_a_request_is_not_needed_to_name_it():
    assert str(ApiRequest("PUT", "/x", body=b"secret")) == "PUT /x"
