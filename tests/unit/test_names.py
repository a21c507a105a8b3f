"""Promises of the names of tables and columns: they need no quotes, and people recognise them."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.warehouse import snake_case, unique_name

NAME = re.compile(r"[a-z_][a-z0-9_]*")
names = st.from_regex(NAME, fullmatch=True)


@given(st.text() | st.none(), names)
def test_any_label_gives_a_name_that_needs_no_quotes(label, fallback):
    name = snake_case(label, fallback)
    assert NAME.fullmatch(name)
    assert len(name) <= max(61, len(fallback))


@given(st.text(), names)
def test_a_name_made_of_a_name_is_that_name(label, fallback):
    name = snake_case(label, fallback)
    assert snake_case(name, "x").strip("_") == name.strip("_") or name == fallback


@given(st.text(alphabet=" _-./\t\n()[]"))
def test_a_label_without_a_letter_or_digit_takes_the_fallback(label):
    assert snake_case(label, "field") == "field"


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Serial number", "serial_number"),
        ("  Last serviced (date)  ", "last_serviced_date"),
        ("Riser / cupboard – 2nd floor", "riser_cupboard_2nd_floor"),
        ("2nd floor", "_2nd_floor"),
        ("fireRating", "fire_rating"),
        ("raisedAt", "raised_at"),
        ("customReference", "custom_reference"),
        ("propertyID", "property_id"),
        ("AOVs", "aovs"),
        ("kW", "kw"),
        ("kWh", "kwh"),
        ("PCs", "pcs"),
        ("ID", "id"),
        ("UPRN", "uprn"),
        ("Wysokość", "wysokosc"),
        ("Größe in m²", "grosse_in_m2"),
        ("门", "men"),
        ("Дата", "data"),
        ("Tŷ", "ty"),
        ("naïve café", "naive_cafe"),
        ("select", "select"),
    ],
)
def test_people_recognise_their_label(label, name):
    assert snake_case(label, "field") == name


def test_a_long_label_is_cut_and_does_not_end_in_a_line():
    assert snake_case("a" * 59 + " tail", "x") == "a" * 59


@given(names, st.sets(names))
def test_a_name_that_is_taken_gets_the_first_free_number_from_two(name, others):
    assert unique_name(name, others - {name}) == name
    taken = {*others, name}
    free = unique_name(name, taken)
    number = int(free.removeprefix(f"{name}_"))
    assert free not in taken
    assert number >= 2
    assert all(f"{name}_{smaller}" in taken for smaller in range(2, number))


def test_the_second_and_third_of_one_name_are_told_apart():
    assert unique_name("a", {"a"}) == "a_2"
    assert unique_name("a", {"a", "a_2"}) == "a_3"


def test_a_label_of_any_length_takes_a_moment():
    began = time.process_time()
    assert snake_case("fire" + "ID" * 20_000 + "!", "x").startswith("fireidid")
    assert time.process_time() - began < 1  # by its square, it takes half a minute
