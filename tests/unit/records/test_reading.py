"""Promises of the copy that SQL reads: every number and every text comes out as it is written."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from propsync.records import SUSPECT, in_copy, readable
from propsync.warehouse import Warehouse, json_path

EDGES = (
    "-0", "-0.0", "0e0", "1.0", "0.10", "12.50", "1E+05", "1e-7", "1e400", "-1e400", "0.00001", "1e16", "1E3",
    "100000000000000000000.5", "12345678.123456789", "1234567890.1234567890", "18446744073709551615",
    "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890", "9007199254740993",
    "123456789012345.10", "0.1234567890123456", "1.7976931348623157e308",
)  # fmt: skip
DIGITS = st.text("0123456789", min_size=1, max_size=25)
WHOLE = DIGITS.map(lambda digits: digits.lstrip("0") or "0")
EXPONENT = st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 400))
NUMBERS = st.sampled_from(EDGES) | st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-"]),
    WHOLE,
    st.just("") | DIGITS.map(".{}".format),
    st.just("") | EXPONENT,
)
MARKS = ("", "\1", "\1#", "\1'", "\1#12.50", '"\1#1"', "\\u0001#1", ',"\1#1"', '\\"\1#2')
TEXTS = st.builds("{}{}".format, st.sampled_from(MARKS), st.text(max_size=5) | st.sampled_from(MARKS))


class Written(str):
    """JSON as it stands."""


def told(value):
    """A JSON text with numbers as they are written."""
    if isinstance(value, Written):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{told(inner)}" for name, inner in value.items()) + "}"
    return "[" + ",".join(map(told, value)) + "]" if isinstance(value, list) else json.dumps(value, ensure_ascii=False)


VALUES = st.recursive(
    NUMBERS.map(Written) | TEXTS | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory):
    folder = tmp_path_factory.mktemp("warehouse")
    with Warehouse(folder / "state.duckdb", memory_limit="300MB", folder=folder) as warehouse:
        yield warehouse


def copied(warehouse, payload):
    """The payload as SQL gets it."""
    is_suspect = any(warehouse.value("select regexp_matches(?, ?)", [payload, one]) for one in SUSPECT.values())
    return readable(payload) if is_suspect else payload


@pytest.mark.release
@settings(max_examples=100)
@given(st.lists(NUMBERS, min_size=20, max_size=80))
def test_any_number_comes_out_as_written(warehouse, numbers):
    payload = told({"fields": [{"value": Written(number)} for number in numbers]})
    copy = copied(warehouse, payload)
    query = (
        """select list_transform(json_extract(?::json, '$."fields"[*]."value"'), lambda v: staging.exact_value(v))"""
    )
    assert warehouse.value(query, [copy]) == numbers
    kinds = """select list_transform(json_extract(?::json, '$."fields"[*]."value"'), lambda v: staging.exact_kind(v))"""
    assert set(warehouse.value(kinds, [copy])) <= {"BIGINT", "UBIGINT", "DOUBLE"}


@settings(max_examples=150)
@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
def test_any_json_comes_out_as_written_whatever_looks_like_a_mark(warehouse, members):
    """DuckDB's own writing of texts and white space counts for nothing: what it says is compared."""
    payload = told(members)
    copy = copied(warehouse, payload)
    for name, value in members.items():
        place = json_path(in_copy((name,)))
        found, text = warehouse.rows(
            "select staging.exact_json(json_extract($1::json, $2))::varchar, "
            "staging.exact_value(json_extract($1::json, $2))",
            [copy, place],
        )[0]
        assert _read(found) == _read(told(value))
        if isinstance(value, str):
            assert text == str(value)


def _read(text):
    return json.loads(text, parse_int=Written, parse_float=Written)


def test_few_payloads_need_a_copy(warehouse):
    plain = told({"a": 1, "b": 0.25, "c": 51.507351, "d": "12.50", "e": -7, "f": "1E3", "g": 10.0, "h": 1e15})
    assert copied(warehouse, plain) == plain
    assert readable(plain) == plain


def test_a_number_is_marked_only_where_duckdb_would_write_it_otherwise():
    assert readable('{"a":12.5,"b":0.1234567890123456}') == '{"a":12.5,"b":0.1234567890123456}'
    assert readable('{"a":12.50}') == r'{"a":"\u0001#12.50"}'
    assert math.isinf(float("1e400"))
    assert readable('{"a":1e400}') == r'{"a":"\u0001#1e400"}'
