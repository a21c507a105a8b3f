"""Promises of volatility: only what changes at every reading though nothing changed, and never what people entered."""

import copy
from typing import Any

import pytest

from propsync.shapes import by_key
from propsync.shapes import find_volatile as find

ID = ("id",)


def find_volatile(first: Any, again: Any, kept: Any) -> Any:
    """A set that may be compared with any set; None where nobody can tell."""
    return find(first, again, kept)


def record(number, signature, **more):
    fields = [
        {"type": "text", "field": "f", "value": f"text {signature}"},
        {"type": "image", "field": "g", "value": {"url": f"https://x/{number}?sig={signature}", "size": 5}},
    ]
    return {"id": f"{number}{signature}", "etag": signature, "name": "n", "fields": fields, **more}


def readings(count=5):
    first = {(str(n),): record(n, "one") for n in range(count)}
    again = {(str(n),): record(n, "two") for n in range(count)}
    return first, again


def test_links_are_volatile_and_ids_and_what_people_entered_are_not():
    first, again = readings()
    assert find_volatile(first, again, [ID]) == {"etag", "fields[image].value.url"}


def test_with_fewer_than_five_records_read_twice_nobody_can_tell():
    first, again = readings(4)
    assert find_volatile(first, again, [ID]) is None
    first, again = readings(5)
    del again["0",]
    assert find_volatile(first, again | {("new",): record(9, "two")}, [ID]) is None


def test_two_equal_readings_show_that_nothing_is_volatile():
    first, _ = readings()
    assert find_volatile(first, copy.deepcopy(first), [ID]) == frozenset()


def test_a_member_that_stayed_in_one_record_is_no_volatile_one():
    first, again = readings(8)
    again["3",]["etag"] = first["3",]["etag"]
    assert "etag" not in find_volatile(first, again, [ID])


def test_records_without_the_member_do_not_speak_against_it():
    first, again = readings(8)
    for number in ("1", "2", "3"):
        del first[number,]["etag"], again[number,]["etag"]
    assert "etag" in find_volatile(first, again, [ID])
    del first["4",]["etag"]  # now only four carry it in both readings
    assert "etag" not in find_volatile(first, again, [ID])


@pytest.mark.parametrize("kind", ["text", "number", "date", "time", "option", "qr"])
def test_a_value_that_people_enter_is_never_volatile(kind):
    first, again = ({(str(n),): {"fields": [{"type": kind, "value": [f"{n}{s}"]}]} for n in range(6)} for s in "ab")
    assert find_volatile(first, again, []) == frozenset()


@pytest.mark.parametrize("kind", ["image", "file", "pin", "hologram"])
def test_a_link_inside_a_list_of_any_other_kind_is(kind):
    first, again = ({(str(n),): {"fields": [{"type": kind, "value": [f"{n}{s}"]}]} for n in range(6)} for s in "ab")
    assert find_volatile(first, again, []) == {f"fields[{kind}].value[]"}


def test_paths_of_properties_types_and_statuses_are_never_volatile():
    first, again = ({(str(n),): {"property": {"id": f"{n}{s}"}, "x": s} for n in range(6)} for s in "ab")
    assert find_volatile(first, again, [("property", "id")]) == {"x"}


def test_an_array_in_another_order_is_no_sign_of_volatility():
    first, again = ({(str(n),): {"tags": order} for n in range(6)} for order in (["a", "b"], ["b", "a"]))
    assert find_volatile(first, again, []) == frozenset()


def test_records_without_a_key_or_seen_twice_are_left_out():
    assert by_key([(("a",), 1), (None, 2), (("b",), 3), (("b",), 4), (None, 5)]) == {("a",): 1}
