"""Promises of the writes: what the API would refuse is not sent (API §2.3, 4.11)."""

import json
import threading
from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.api.loopback import Reply

from propsync.api import FieldKind, Sent, check_values
from propsync.api.gate import Outcome
from propsync.api.writes import ScheduleChanges, is_date, new_asset_body, schedule_body, values_body
from propsync.errors import InvalidValue

FIELDS = {name: FieldKind(name) for name in ("text", "number", "date", "time", "qr", "image", "file", "pin", "new")}
FIELDS["option"] = FieldKind("option", {"o1", "o2"})
FIELDS["any option"] = FieldKind("option")

GOOD = [
    ("text", ""),
    ("text", "né\n"),
    ("qr", "x"),
    ("number", 0),
    ("number", -1.5),
    ("number", 2**70),
    ("option", []),
    ("option", ["o2", "o1"]),
    ("any option", ["whatever"]),
    ("date", "2024-02-29"),
    ("time", "00:00"),
    ("time", "23:59"),
    *[(name, None) for name in ("text", "number", "option", "date", "time", "qr")],
]
BAD = [
    ("text", 1),
    ("text", "\ud800"),
    ("qr", ["x"]),
    ("number", "1"),
    ("number", True),
    ("number", float("nan")),
    ("number", float("inf")),
    ("option", "o1"),
    ("option", ["o3"]),
    ("option", [1]),
    ("option", ("o1",)),
    ("date", "2023-02-29"),
    ("date", "2023-2-9"),
    ("date", "20230209"),
    ("date", "2023-02-09T00:00"),
    ("date", "٢٠٢٣-٠٢-٠٩"),
    ("date", date(2024, 1, 1)),
    ("time", "24:00"),
    ("time", "9:00"),
    ("time", "09:00:00"),
    ("time", "09:00\n"),
    ("image", None),
    ("file", "x"),
    ("pin", {}),
    ("new", "x"),
    ("unheard of", "x"),
]


@pytest.mark.parametrize(("field", "value"), GOOD)
def test_what_the_document_accepts_passes(field, value):
    check_values(FIELDS, {field: value})


@pytest.mark.parametrize(("field", "value"), BAD)
def test_what_it_does_not_accept_is_refused_by_field_and_kind(field, value):
    with pytest.raises(InvalidValue) as caught:
        check_values(FIELDS, {"text": "fine", field: value})
    assert str(caught.value).startswith(f"field {field}")
    assert caught.value.exit_code == 2


@given(st.dates())
def test_every_date_is_a_date(day):
    assert is_date(day.isoformat())


@given(st.from_regex(r"\A[01][0-9]:[0-5][0-9]\Z"))
def test_every_time_before_twenty_is_a_time(text):
    check_values(FIELDS, {"time": text})


def test_the_bodies_are_those_of_the_document():
    assert json.loads(new_asset_body("t", None)) == {"type": "t"}
    assert json.loads(new_asset_body("t", {})) == {"type": "t", "values": {}}
    values = {"a": "é", "b": 1.5, "c": ["o"], "d": None}
    assert json.loads(values_body(values)) == {"values": values}


def test_a_number_is_sent_with_every_digit():
    values = {"a": Decimal("12.50"), "b": 2**70, "c": Decimal("-12345678901234567890.123"), "d": Decimal("1E+3")}
    assert values_body(values) == (
        b'{"values":{"a":12.50,"b":1180591620717411303424,"c":-12345678901234567890.123,"d":1E+3}}'
    )


@pytest.mark.parametrize(
    "value", [float("nan"), Decimal("NaN"), Decimal("Infinity"), True, {}, [1], b"x", date(2024, 1, 1), "\ud800"]
)
def test_a_value_that_json_or_the_api_cannot_hold_is_not_sent_as_something_else(value):
    with pytest.raises(InvalidValue):
        values_body({"f": value})


def test_a_schedule_s_body_has_only_what_was_given():
    assert schedule_body({}) == b"{}"
    assert json.loads(schedule_body({"due_date": date(2026, 1, 31)})) == {"dueDate": "2026-01-31"}
    nothing: ScheduleChanges = {"due_date": None, "description": None, "custom_reference": None}
    assert schedule_body(nothing) == b'{"dueDate":null,"description":null,"customReference":null}'
    full: ScheduleChanges = {
        "due_date": "2026-01-31",
        "description": "",
        "custom_reference": "r",
        "assigned_users": ["u2", "u1"],
    }
    assert json.loads(schedule_body(full)) == {
        "dueDate": "2026-01-31",
        "description": "",
        "customReference": "r",
        "assignedUsers": ["u2", "u1"],
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"due_date": "2026-02-30"},
        {"due_date": datetime(2026, 1, 1)},  # noqa: DTZ001 - that it has a time is the point
        {"description": 5},
        {"assigned_users": None},
        {"assigned_users": "u1"},
        {"assigned_users": [1]},
        {"dueDate": "2026-01-31"},
    ],
)
def test_a_schedule_s_member_that_does_not_fit_is_refused_by_name(changes):
    with pytest.raises(InvalidValue, match=f"schedule {next(iter(changes))}"):
        schedule_body(changes)


def test_a_write_looks_again_if_the_api_asks_to_wait_while_it_waits_for_its_turn(connect, server, clock):
    server.script = [Reply(204, b"")]
    looks: list[Sent] = []
    api, ended = connect(), threading.Event()
    tickets = [api._gate.enter(threading.Event()) for _ in range(2)]

    def write():
        api.update_asset("p", "a", {}, {}, looks.append)
        ended.set()

    thread = threading.Thread(target=write)
    thread.start()
    assert not ended.wait(0.2)
    api._gate.hold(30)
    for ticket in tickets:
        api._gate.leave(ticket, Outcome.CROWDED)
    thread.join(10)
    assert (looks, clock.sleeps, len(server.seen)) == ([Sent.NOTHING], [30], 1)
