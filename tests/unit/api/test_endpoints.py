"""Promises of the twelve endpoints (API §4): method, address, body and answer of each."""

import io
import json

import pytest
from unit.api.loopback import Reply

from propsync.api import FieldKind, page_request
from propsync.errors import InvalidValue, UnexpectedAnswer
from propsync.resources import ASSESSMENT_TYPES, ASSESSMENTS, ASSET_TYPES, ASSETS, SCHEDULES

TEXT, NUMBER = FieldKind("text"), FieldKind("number")
READS = [
    (page_request(ASSET_TYPES, ASSET_TYPES.lists(())[0], 1), "/properties/assets/types"),
    (page_request(ASSETS, ASSETS.lists(())[0].narrowed(("id", ["a"])), 1), "/properties/assets?limit=1&page=1&id=a"),
    (
        page_request(ASSESSMENTS, ASSESSMENTS.lists(["approved"])[1], 5, 2),
        "/assessments?limit=5&page=2&performed=By&status=approved&includeflags=true",
    ),
    (page_request(ASSESSMENT_TYPES, ASSESSMENT_TYPES.lists(())[0], 1), "/assessments/types"),
    (
        page_request(SCHEDULES, SCHEDULES.lists(["a", "b"])[0].narrowed(("property", ["p", "q"])), 1),
        "/assessments/schedules?limit=1&page=1&status=a,b&property=p,q",
    ),
]


@pytest.mark.parametrize(("request_", "target"), READS)
def test_reading(connect, server, request_, target):
    answer = connect(server.url + "/v1/").fetch(request_)
    assert answer.body == b'{"total":0}'
    seen = server.seen[0]
    assert (seen.method, seen.target, seen.body) == ("GET", "/v1" + target, b"")
    assert seen.headers["Accept"] == "application/json"


def test_reading_one_schedule(api, server):
    assert api.schedule("p/1", "t").body == b'{"total":0}'
    assert (server.seen[0].method, server.seen[0].target) == ("GET", "/assessments/schedules/p%2F1/t")


@pytest.mark.parametrize(("ask", "name", "kind"), [("report", "report.pdf", "pdf"), ("bundle", "bundle.zip", "zip")])
def test_documents(api, server, ask, name, kind):
    server.script = [Reply(body=b"%PDF-1.7" if kind == "pdf" else b"PK\x05\x06")]
    getattr(api.documents, ask)("a b", io.BytesIO())
    assert server.seen[0].target == f"/assessments/a%20b/{name}"
    assert server.seen[0].headers["Accept"].startswith(f"application/{kind}")


def test_creating_an_asset_returns_its_id(api, server):
    server.script = [Reply(body=b'{"id":"a1","more":1}')]
    assert api.create_asset("p", "t", {"f": "x", "g": None}, {"f": TEXT, "g": TEXT}) == "a1"
    seen = server.seen[0]
    assert (seen.method, seen.target) == ("POST", "/properties/p/assets")
    assert json.loads(seen.body) == {"type": "t", "values": {"f": "x", "g": None}}
    assert seen.headers["Content-Type"] == "application/json"


WRITES = [
    (
        lambda api: api.update_asset("p", "a", {"f": 1}, {"f": NUMBER}),
        "PATCH",
        "/properties/p/assets/a",
        {"values": {"f": 1}},
    ),
    (
        lambda api: api.put_schedule("p", "t", {"assigned_users": ["u"]}),
        "PUT",
        "/assessments/schedules/p/t",
        {"assignedUsers": ["u"]},
    ),
    (lambda api: api.delete_schedule("p", "t"), "DELETE", "/assessments/schedules/p/t", None),
]


@pytest.mark.parametrize(("call", "method", "target", "body"), WRITES)
def test_writing(api, server, call, method, target, body):
    server.script = [Reply(204, b"")]
    assert call(api) is None
    seen = server.seen[0]
    assert (seen.method, seen.target) == (method, target)
    assert (json.loads(seen.body) if seen.body else None) == body


@pytest.mark.parametrize(("call", "method", "target", "body"), WRITES)
def test_a_write_answered_by_a_page_was_not_answered_by_the_api(api, server, call, method, target, body):
    server.script = [Reply(200, b"<html>welcome</html>")]
    with pytest.raises(UnexpectedAnswer, match="answered 200"):
        call(api)


def test_a_value_that_cannot_be_written_is_not_sent(api, server):
    with pytest.raises(InvalidValue):
        api.update_asset("p", "a", {"f": float("nan")}, {"f": NUMBER})
    with pytest.raises(InvalidValue):
        api.put_schedule("p", "t", {"due_date": "soon"})
    assert server.seen == []
