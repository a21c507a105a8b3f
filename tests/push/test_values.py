"""Python reads from an answer the values that the tables show, in every dialect of the API."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from kit.dialects import FAMILIES, Dialect, KeyedValues, MixedValues
from kit.world import small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer
from variants import slow, some

from propsync.api import Answer, schedule_request
from propsync.errors import UnexpectedAnswer
from propsync.push.sending.shapes import AssetAnswers, ScheduleAnswers
from propsync.push.values.asset_values import AssetShape, from_table
from propsync.push.values.sameness import is_same, is_still
from propsync.push.values.schedule_values import MEMBERS, STATUS, changes_of, schedule_values
from propsync.resources import SCHEDULES
from propsync.shapes import Choice, Shape
from propsync.suppression import Suppression
from propsync.warehouse import open_published

_VALUES = (
    "select asset_id, field_id, kind, value_text, value_options, value_json, "
    "value_number is not null from asset_field_values"
)


_DAILY = (KeyedValues, MixedValues)  # they leave most to find
_FAMILIES = [*_DAILY, *slow(*some([one for one in FAMILIES if one not in _DAILY], 3))]


@pytest.mark.parametrize("family", _FAMILIES, ids=lambda family: family.name)
def test_an_answer_has_the_values_that_the_tables_show(tmp_path: Path, family: type[Dialect]) -> None:
    world = small_world(assets=60, assessments=8, schedules=20)
    with WorldServer(family(world)) as server:
        home = WorldHome(tmp_path / "home", server)
        home.sync(["assets", "schedules"])
    with open_published(home.published) as reader:
        answers = AssetAnswers.published(reader, {}, Suppression(None, []))
    shown: dict[str, dict[str, Any]] = {key: {} for key in home.column("select asset_id from assets")}
    for key, field_id, kind, text, options, written, fits in home.rows(_VALUES):
        shown[key][field_id] = from_table(kind, text, options, written, fits=fits)
    read = {
        key: answers.values_of(payload.encode(), type_id)
        for key, type_id, payload in home.rows("select asset_id, asset_type_id, payload from assets")
    }
    assert read == shown
    assert sum(map(len, shown.values())) > 200
    columns = "payload, due_date, description, custom_reference, assigned_users, status"
    schedules = home.rows(f"select {columns} from schedules")
    assert len(schedules) > 10
    for payload, due, *rest in schedules:
        found = schedule_values(payload.encode())
        assert found is not None
        assert [found.get(name) for name in (*MEMBERS, STATUS)] == [due and due.isoformat(), *rest]


@pytest.mark.parametrize(
    ("kind", "held", "read"),
    [
        ("option", "o", ["o"]),
        ("option", 30, ["30"]),
        ("option", "", []),
        ("option", {"id": "o", "label": "O"}, ["o"]),
        ("option", {"label": "O"}, {"label": "O"}),
        ("number", {"value": 1}, 1),
        ("number", {"value": None}, None),
        ("number", {"amount": 1}, {"amount": 1}),
        ("number", 1, 1),
    ],
)
def test_a_value_is_read_alone_and_in_an_object_of_its_own(kind: str, held: Any, read: Any) -> None:
    values = {"option": (("value",),), "number": (("value", "value"), ("value",))}
    record = {"fields": [{"type": kind, "field": "f", "value": held}]}
    shape = AssetShape((("field",),), values, (("id",),))
    assert shape.values_of(json.dumps(record).encode(), {"f": kind}) == {"f": read}


@pytest.mark.parametrize(
    ("one", "other", "same", "still"),
    [
        ("1.0", "1.00", False, False),  # two texts
        (None, None, True, True),
        (Decimal("12.50"), Decimal("12.5"), True, True),
        (12, Decimal("12.0"), True, True),
        (Decimal("12345678901234567890.123"), Decimal("12345678901234567890.124"), False, False),
        ("12", 12, False, True),  # a text where the field has numbers
        ("012", 12, False, True),
        ("a", "b", False, False),
        ("", None, False, False),
        (["a", "b"], ["b", "a"], True, True),
        ([], None, True, True),
        (["a"], None, False, False),
        (["a"], "a", False, False),
        ({"x": 1}, {"x": 1}, True, True),
        ([{"x": 1}], [{"x": 1}], True, True),
    ],
)
def test_values_are_the_same_if_a_person_sees_no_difference(one: Any, other: Any, same: bool, still: bool) -> None:
    assert (is_same(one, other), is_same(other, one)) == (same, same)
    assert (is_still(one, other), is_still(other, one)) == (still, still)


@pytest.mark.parametrize(
    ("held", "users"),
    [
        (["u2", "u1"], ["u2", "u1"]),
        ("u9", ["u9"]),
        ([{"id": "u2"}, {"uid": 7}], ["u2", "7"]),
        ({"u2": True}, {"u2": True}),
        (None, None),
        (["", "u1"], ["u1"]),
        ([{"id": ""}], []),
        ("", []),
    ],
    ids=["documented", "a text", "objects", "no user", "null", "nobody among them", "an object of nobody", "nobody"],
)
def test_users_in_another_form_are_those_that_a_put_writes_back(held: object, users: object) -> None:
    read = schedule_values(json.dumps({"assignedUsers": held}).encode())
    assert read is not None
    assert read["assignedUsers"] == users
    assert changes_of(read)["assigned_users"] == (users or [])


def test_a_member_that_the_api_does_not_show_is_in_no_put() -> None:
    read = schedule_values(
        b'{"property": "p", "type": "t", "status": "notstarted", "dueDate": null, "description": "x"}'
    )
    assert read == {"property": "p", "type": "t", "status": "notstarted", "dueDate": None, "description": "x"}
    assert changes_of(read) == {"due_date": None, "description": "x"}, "null could remove what the API has"


@pytest.mark.parametrize(
    ("written", "due"),
    [("2026-01-01T00:00:00Z", "2026-01-01"), ("2026-01-01", "2026-01-01"), ("soon", "soon"), (5, 5), (None, None)],
)
def test_a_due_date_at_midnight_is_the_day_that_the_table_shows(written: Any, due: Any) -> None:
    found = schedule_values(json.dumps({"dueDate": written}).encode())
    assert found is not None
    assert found["dueDate"] == due


def test_the_key_of_a_single_schedule_may_be_as_the_document_shows_it() -> None:
    """Its list may have objects for ids (API §4.9, 4.10)."""
    in_list = {part: Choice(((part, "id"),), "found", "") for part in SCHEDULES.key}
    answers = ScheduleAnswers(Shape("schedules", in_list), {}, ())
    for body in (
        b'{"property": "p", "type": "t"}',
        b'{"asset": "p", "type": "t"}',
        b'{"property": {"id": "p"}, "type": "t"}',
    ):
        answer = Answer(schedule_request("p", "t"), 200, body, body, 1, 0.0, "application/json")
        assert answers.members(answer, ("p", "t")) is not None
        with pytest.raises(UnexpectedAnswer):
            answers.members(answer, ("q", "t"))
