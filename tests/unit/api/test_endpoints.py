"""Promises of the twelve endpoints (spec 4): method, address, body and answer of each."""

import io
import json

import pytest
from unit.api.loopback import Reply

from propsync.api import AssessmentQuery, AssetQuery, FieldKind, ScheduleQuery
from propsync.errors import InvalidValue, UnexpectedAnswer

TEXT, NUMBER = FieldKind("text"), FieldKind("number")
READS = [
    (lambda api: api.asset_types(), "/properties/assets/types"),
    (lambda api: api.assets(AssetQuery(ids=["a"]), 1, 1), "/properties/assets?page=1&limit=1&id=a"),
    (lambda api: api.assessments(AssessmentQuery(["approved"])), "/assessments?includeflags=true&status=approved"),
    (lambda api: api.assessment_types(), "/assessments/types"),
    (lambda api: api.schedules(ScheduleQuery(properties=["p", "q"])), "/assessments/schedules?property=p,q"),
    (lambda api: api.schedule("p/1", "t"), "/assessments/schedules/p%2F1/t"),
]


@pytest.mark.parametrize(("call", "target"), READS)
def test_reading(connect, server, call, target):
    answer = call(connect(server.url + "/v1/"))
    assert answer.body == b'{"total":0}'
    seen = server.seen[0]
    assert (seen.method, seen.target, seen.body) == ("GET", "/v1" + target, b"")
    assert seen.headers["Accept"] == "application/json"


@pytest.mark.parametrize(("ask", "name", "kind"), [("report", "report.pdf", "pdf"), ("bundle", "bundle.zip", "zip")])
def test_documents(api, server, ask, name, kind):
    server.script = [Reply(body=b"%PDF-1.7" if kind == "pdf" else b"PK\x05\x06")]
    getattr(api, ask)("a b", io.BytesIO())
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
