"""Promises of list finding: the records of a page are found wherever they stand, and nothing else is taken for them."""

import pytest

from propsync.errors import ShapeUnknown
from propsync.resources import ASSESSMENT_TYPES, ASSESSMENTS, ASSET_TYPES, ASSETS, SCHEDULES
from propsync.shapes import Choice, find_list, refuse_list_astray

ONE = {"id": "a"}
TWO = {"id": "b"}
FULL = [{"id": key, "property": "p", "type": "t", "status": "approved"} for key in "ab"]


@pytest.mark.parametrize(
    ("resource", "pages", "path"),
    [
        pytest.param(ASSETS, [{"total": 1, "assets": [ONE], "types": [ONE, TWO]}], ("assets",), id="the document's"),
        pytest.param(ASSETS, [{"total": 1, "assets": [], "types": [ONE, TWO]}], ("assets",), id="though it is empty"),
        pytest.param(
            ASSETS, [{"total": 1, "items": [ONE], "types": [ONE, TWO]}], ("items",), id="renamed, beside types"
        ),
        pytest.param(ASSET_TYPES, [{"type": [ONE]}], ("type",), id="singular, as documented"),
        pytest.param(ASSET_TYPES, [{"types": [ONE]}], ("types",), id="plural after all"),
        pytest.param(ASSET_TYPES, [[ONE]], (), id="a bare array though a member is documented"),
        pytest.param(ASSESSMENT_TYPES, [[ONE]], (), id="a bare array"),
        pytest.param(ASSESSMENT_TYPES, [[]], (), id="an empty bare array"),
        pytest.param(ASSESSMENTS, [{"total": 2, "assessments": [ONE, TWO]}], ("assessments",), id="named for itself"),
        pytest.param(ASSESSMENTS, [{"total": 2, "foo": [ONE, TWO], "bar": ["a", "b", "c"]}], ("foo",), id="objects"),
        pytest.param(
            ASSESSMENTS, [{"total": 2, "bar": ["a", "b"], "results": []}], ("results",), id="empty, not texts"
        ),
        pytest.param(
            ASSESSMENTS, [{"total": 2, "results": [ONE], "links": [ONE, TWO]}], ("results",), id="by its name"
        ),
        pytest.param(ASSESSMENTS, [{"total": 2, "foo": [ONE, TWO], "bar": [ONE]}], ("foo",), id="the longest"),
        pytest.param(ASSESSMENTS, [{"total": 2, "foo": FULL, "bar": [ONE] * 3}], ("foo",), id="with more of a record"),
        pytest.param(ASSESSMENT_TYPES, [{"categories": [ONE, TWO], "types": [ONE]}], ("types",), id="types"),
        pytest.param(ASSESSMENT_TYPES, [{"categories": [ONE, TWO], "type": [ONE]}], ("type",), id="types in singular"),
        pytest.param(ASSESSMENTS, [{"total": 1, "page": {"rows": [ONE]}}], ("page", "rows"), id="one object below"),
        pytest.param(
            SCHEDULES, [{"total": 1, "data": {"schedules": [ONE], "errors": []}}], ("data", "schedules"), id="data"
        ),
        pytest.param(
            SCHEDULES, [{"total": 0, "foo": [], "warnings": [ONE]}, {"total": 1, "foo": [TWO]}], ("foo",), id="two"
        ),
    ],
)
def test_the_records_are_found(resource, pages, path):
    found = find_list(pages, resource)
    assert found.paths == (path,)
    assert found.source in ("documented", "found")
    assert found.evidence


@pytest.mark.parametrize("page", [{}, {"total": 5}, {"total": 5, "assets": {}}, {"message": "hello"}, "text", 7, None])
def test_an_answer_without_an_array_has_no_list(page):
    assert find_list([page], ASSESSMENTS) is None


@pytest.mark.parametrize("resource", [ASSETS, ASSESSMENTS, SCHEDULES, ASSET_TYPES, ASSESSMENT_TYPES])
def test_errors_are_no_records(resource):
    assert find_list([{"total": 1, "errors": [{"id": "e", "code": "Down", "message": "Try later"}]}], resource) is None
    assert find_list([{"errors": [], "type": [ONE]}], ASSESSMENT_TYPES).paths == (("type",),)


@pytest.mark.parametrize("resource", [ASSESSMENT_TYPES, ASSESSMENTS, SCHEDULES])
def test_a_page_of_another_list_is_not_the_list(resource):
    assert find_list([{"total": 2, "assets": [ONE, TWO], "types": [ONE]}], resource) is None
    assert find_list([{"total": 2, "assets": [ONE, TWO], "foo": [ONE]}], resource).paths == (("foo",),)


def test_schedules_may_stand_under_the_name_of_assessments():
    page = {"total": 1, "assessments": [{"property": "p", "type": "t", "status": "notstarted", "dueDate": None}]}
    assert find_list([page], SCHEDULES).paths == (("assessments",),)


def test_a_page_of_assets_has_the_asset_types_beside_them():
    assert find_list([{"total": 2, "assets": [ONE, TWO], "types": [ONE]}], ASSET_TYPES).paths == (("types",),)
    assert find_list([{"total": 2, "schedules": [ONE, TWO]}], ASSET_TYPES) is None


def test_what_stands_beside_a_total_of_nothing_is_not_the_list():
    assert find_list([{"total": 0, "warnings": ["nobody"]}], ASSESSMENTS) is None


FACETS = [{"name": "status", "count": 2}] * 3


@pytest.mark.parametrize(
    "page",
    [
        {"total": 2, "data": FACETS, "hits": FULL},
        {"total": 4, "data": FACETS, "hits": FULL * 2},
        {"total": 5000, "data": FACETS, "hits": FULL * 4},
    ],
    ids=["more facets", "fewer", "on page 1 of several"],
)
def test_facets_under_a_usual_name_are_no_records(page):
    """Each record was rejected, or two facets became all assessments."""
    assert find_list([page], ASSESSMENTS).paths == (("hits",),)


def test_records_with_names_that_nobody_knows_stay_the_list_beside_others():
    own = [{"nr": at, "objekt": "p"} for at in range(10)]
    page = {"total": 50, "results": own, "recent": [FULL[0] | {"id": at} for at in range(12)]}
    assert find_list([page], ASSESSMENTS).paths == (("results",),)


def test_the_evidence_names_what_was_passed_over():
    found = find_list([{"total": 1, "foo": [ONE], "links": ["x"]}], ASSESSMENTS)
    assert "array of 1 objects" in found.evidence
    assert "links" in found.evidence


def test_a_list_that_people_decided_must_be_in_an_answer():
    decided = Choice((("data", "rows"),), "configured", "")
    empty = {"total": 0}  # an empty list may leave its array out
    refuse_list_astray(decided, [empty], ASSESSMENTS)
    refuse_list_astray(decided, [{"total": 1, "data": {"rows": [ONE]}}, {"total": 1, "rows": [ONE]}], ASSESSMENTS)
    with pytest.raises(ShapeUnknown, match=r"\[shapes.assessments\] list: the answer has no member data.rows"):
        refuse_list_astray(decided, [empty, {"total": 1, "rows": [ONE]}], ASSESSMENTS)
    with pytest.raises(ShapeUnknown, match="the answer is not a bare array"):
        refuse_list_astray(Choice(((),), "configured", ""), [{"total": 1, "rows": [ONE]}], ASSESSMENTS)


FOREIGN = [{"nr": at, "objekt": "p"} for at in range(2)]


@pytest.mark.parametrize(
    ("name", "beside", "total"),
    [
        ("assessments", "types", 2),
        ("data", "sites", 2),
        ("data", "included", 50),
        ("assessments", "sites", 50),
        ("data", "sites", 4),
        ("data", "sites", None),
    ],
)
def test_more_records_of_something_else_replace_no_list_with_foreign_names(name, beside, total):
    """Sites and types have a status too: they became the assessments, with exit code 0."""
    more = [{"id": at, "type": "site", "status": "active"} for at in range(8)]
    assert find_list([{"total": total, name: FOREIGN, beside: more}], ASSESSMENTS).paths == ((name,),)
