"""Promises of the canonical form: what counts as another version of a record, and what does not."""

import json
from decimal import Decimal

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from propsync.records import CanonicalForm, PayloadUnreadable, canonical_hash

PLAIN = CanonicalForm()
ASSETS = CanonicalForm(results="fields", result_refs=(("field",), ("field", "id")))
SCHEDULES = CanonicalForm(sets=("assignedUsers",), dropped=("asset",))
LINKS = CanonicalForm(volatile=frozenset({"fields[image].value.url", "etag"}))

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=12
)
records = st.dictionaries(st.text(), values, max_size=5)


def hashed(record, form=PLAIN):
    text = record if isinstance(record, str) else json.dumps(record)
    return canonical_hash(text.encode("utf-8", "surrogatepass"), form)


def same(one, other, form=PLAIN):
    return hashed(one, form) == hashed(other, form)


def reordered(value, draw):
    """The same value, members of every object in another order."""
    if isinstance(value, dict):
        names = draw(st.permutations(list(value)))
        return {name: reordered(value[name], draw) for name in names}
    return [reordered(inner, draw) for inner in value] if isinstance(value, list) else value


@given(st.data(), records)
def test_the_order_of_members_does_not_matter_at_any_depth(data, record):
    assume("\ud800" not in str(record))
    assert same(record, reordered(record, data.draw))


@given(records, records)
def test_records_that_differ_in_value_differ_in_hash(one, other):
    def told(value):  # True == 1 in Python, not in JSON; 1 == 1.0 in both
        if isinstance(value, dict):
            return {name: told(inner) for name, inner in value.items()}
        return [told(inner) for inner in value] if isinstance(value, list) else (isinstance(value, bool), value)

    assert same(one, other) is (told(one) == told(other))


@given(st.data())
def test_the_order_of_field_results_does_not_matter_however_they_name_their_field(data):
    fields = data.draw(st.lists(st.uuids().map(str), unique=True, max_size=6))
    results = [
        {"type": "text", "field": name if data.draw(st.booleans()) else {"id": name}, "value": data.draw(scalars)}
        for name in fields
    ]
    assert same({"fields": results}, {"fields": data.draw(st.permutations(results))}, ASSETS)


@given(st.data(), st.lists(st.fixed_dictionaries({"type": st.text(), "value": scalars}), max_size=5))
def test_the_order_of_results_that_name_no_field_does_not_matter_either(data, results):
    assert same({"fields": results}, {"fields": data.draw(st.permutations(results))}, ASSETS)


def test_of_one_field_twice_the_order_counts_as_the_first_is_kept():
    results = [{"field": "f", "value": 1}, {"field": "f", "value": 2}]
    assert not same({"fields": results}, {"fields": results[::-1]}, ASSETS)


@pytest.mark.parametrize(
    "spellings",
    [
        ("1", "1.0", "1e0", "10e-1", "0.1E+1", "1.000"),
        ("12.50", "12.5", "125e-1", "1.25E1"),
        ("0", "-0", "0.0", "-0.0", "0e7"),
        ("-3", "-3.0", "-30e-1"),
        ("9007199254740993", "9007199254740993.0", "9007199254740993e0"),
        ("1e400", "1" + "0" * 400, "10e399"),
        ("1" + "0" * 4299, "1e4299", "10.0e4298"),
        ("-1" + "0" * 4300, "-1e4300", "-10.0e4299"),
        ("1E+99999999999999999999", "1e99999999999999999999"),
    ],
)
def test_a_number_counts_by_its_value_not_by_its_spelling(spellings):
    assert len({hashed(f'{{"n": {spelling}}}') for spelling in spellings}) == 1


@given(st.integers(min_value=-(10**30), max_value=10**30), st.integers(min_value=1, max_value=3))
def test_whole_numbers_are_exact_beyond_what_a_float_can_tell(number, step):
    assert not same(f"[{number}]", f"[{number + step}]")
    assert same(f"[{number}]", f"[{number}.0]")


@given(st.decimals(allow_nan=False, allow_infinity=False), st.decimals(allow_nan=False, allow_infinity=False))
def test_decimals_are_exact(one, other):
    spelt = [str(number).lower() for number in (one, other)]
    assert same(f"[{spelt[0]}]", f"[{spelt[1]}]") is (one == other)


def test_a_number_is_not_the_text_of_it():
    assert len({hashed(text) for text in ('["1"]', "[1]", "[true]", "[null]", "[[1]]", "[]")}) == 6


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_string_counts_by_its_code_points_not_by_its_escapes(text):
    assert same(json.dumps([text], ensure_ascii=True), json.dumps([text], ensure_ascii=False))


def test_composed_and_decomposed_letters_are_different_texts():
    assert not same(r'["\u00e9"]', r'["e\u0301"]')


@given(st.data(), st.lists(st.text() | st.fixed_dictionaries({"id": st.text(), "name": st.text()}), max_size=5))
def test_assigned_users_are_a_set(data, users):
    shuffled = data.draw(st.permutations([*users, *users[:1]]))
    assert same({"assignedUsers": users}, reordered({"assignedUsers": shuffled}, data.draw), SCHEDULES)
    assert not same({"assignedUsers": users}, {"assignedUsers": [*users, "somebody else" * 9]}, SCHEDULES)


@given(st.lists(scalars, min_size=2, max_size=4))
def test_every_other_array_is_in_order(array):
    turned = array[::-1]
    expected = json.dumps(array) == json.dumps(turned)
    assume(expected or not same(array, ["x"]))
    numbers_alike = [Decimal(str(n)) if isinstance(n, int | float) and not isinstance(n, bool) else (n,) for n in array]
    assert same({"tags": array}, {"tags": turned}, SCHEDULES) is (numbers_alike == numbers_alike[::-1])


@given(values, values)
def test_the_deprecated_asset_of_a_schedule_never_counts(one, other):
    assert same({"type": "t", "asset": one}, {"type": "t", "asset": other}, SCHEDULES)
    assert same({"type": "t", "asset": one}, {"type": "t"}, SCHEDULES)
    assert not same({"asset": one, "a": {"asset": 1}}, {"asset": other, "a": {"asset": 2}}, SCHEDULES)


def image(url, **more):
    return {"etag": "x", "fields": [{"type": "image", "value": {"url": url, **more}}]}


def test_what_a_volatile_leaf_says_does_not_matter_but_that_it_is_there_does():
    assert same(image("https://a?sig=1"), image("https://a?sig=2"), LINKS)
    assert same({"etag": "x"}, {"etag": None}, LINKS)
    assert not same({"etag": "x"}, {}, LINKS)
    assert not same(image("u", size=1), image("u", size=2), LINKS)
    assert not same(image("u"), {"etag": "x", "fields": [{"type": "image", "value": {}}]}, LINKS)


def test_a_leaf_of_the_same_name_elsewhere_is_not_volatile():
    def text(url):
        return {"fields": [{"type": "text", "value": {"url": url}}]}

    assert not same(text("1"), text("2"), LINKS)
    assert not same({"inner": {"etag": 1}}, {"inner": {"etag": 2}}, LINKS)


def test_results_without_a_field_are_alike_though_their_links_differ():
    form = CanonicalForm(results="fields", volatile=LINKS.volatile)
    links = [{"type": "image", "value": {"url": url, "size": size}} for url, size in (("b", 1), ("a", 2))]
    signed_anew = [{"type": "image", "value": {"url": url, "size": size}} for url, size in (("y", 1), ("z", 2))]
    assert same({"fields": links}, {"fields": signed_anew[::-1]}, form)


@pytest.mark.parametrize("text", ["{", "", "nope", '{"a": 01}', '["\\q"]', b"\xff", "[" * 100_000])
def test_what_is_no_json_is_refused_as_unreadable(text):
    with pytest.raises(PayloadUnreadable):
        canonical_hash(text if isinstance(text, bytes) else text.encode(), PLAIN)


@given(records)
def test_a_cut_record_and_its_bytes_have_one_hash_of_32_hex_digits(record):
    body = json.dumps(record).encode()
    assert canonical_hash(body, PLAIN) == canonical_hash(msgspec.Raw(body), PLAIN)
    assert len(bytes.fromhex(canonical_hash(body, PLAIN))) == 16
