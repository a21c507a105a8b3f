"""Promises of the cutter: a page's records as they came, and keys that can be relied on."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.records import Cutter, PayloadUnreadable, bytes_hash, decode

ID = Cutter(("assets",), ((("id",), ("id", "value")),))
PAIR = Cutter(("items",), ((("property",), ("property", "id"), ("asset",)), (("type",), ("type", "id"))))
scalars = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
objects = st.dictionaries(st.text(), scalars | st.lists(scalars, max_size=3), max_size=4)


def spelt(value, indent, ascii_only):
    return json.dumps(value, indent=indent, ensure_ascii=ascii_only)


def key(cutter, record):
    return cutter.key(msgspec.Raw(record if isinstance(record, bytes) else json.dumps(record).encode()))


@given(
    st.lists(objects, max_size=4), st.sampled_from([None, 3]), st.booleans(), st.sampled_from([("", ""), (" ", "\n\t")])
)
def test_each_record_keeps_the_bytes_that_it_came_with(records, indent, ascii_only, padding):
    texts = [spelt(record, indent, ascii_only) for record in records]
    before, after = padding
    array = "[" + ",".join(f"{before}{text}{after}" for text in texts) + "]"
    for body, cutter in [
        (array, Cutter(())),
        (f" {array}", Cutter(())),
        (f'{{"total": {len(texts)}, "assets": {array}}}', ID),
        (f'{{"a": {{"b": {array}}}, "total": {len(texts)}}}', Cutter(("a", "b"))),
    ]:
        page = cutter.cut(body.encode("utf-8", "surrogatepass"))
        assert [bytes(record).decode("utf-8", "surrogatepass").strip() for record in page.records] == texts
        assert page.total == (None if cutter.list_path == () else len(texts))


def test_a_number_s_spelling_stays_in_the_bytes():
    record = b'{"n":12.50,"big":123456789012345678901234567890,"e":1E400}'
    assert bytes(Cutter(()).cut(b"[" + record + b"]").records[0]) == record


def test_what_stands_beside_the_records_is_kept():
    page = ID.cut(b'{"total":0,"types":[{"id": 1}],"assets":[]}')
    assert page.types is not None
    assert bytes(page.types) == b'[{"id": 1}]'


@pytest.mark.parametrize(
    ("told", "total"),
    [
        ("5", 5),
        ("0", 0),
        ("5.0", 5),
        ("5e1", 50),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("5.5", None),
        ("-1", None),
        ("true", None),
        ("null", None),
        ('"5"', None),
        ("[5]", None),
        ("1e400", None),
        ("9" * 5000, None),
    ],
)
def test_a_total_is_a_whole_number_from_nought_however_it_is_written(told, total):
    assert ID.cut(f'{{"total":{told},"assets":[]}}'.encode()).total == total


@pytest.mark.parametrize("missing", [b"{}", b'{"total":null}', b'{"assets":null}'])
def test_a_page_without_a_total_tells_none(missing):
    assert Cutter(None).cut(missing).total is None


def test_before_the_list_was_found_a_page_shows_only_what_stands_beside():
    page = Cutter(None).cut(b'{"total":1,"assets":[{}],"types":[]}')
    assert page.types is not None
    assert (page.total, page.records, bytes(page.types)) == (1, [], b"[]")


@pytest.mark.parametrize("body", [b'{"total":0}', b'{"total":0,"assets":null}', b'{"total":0,"assets":[]}'])
def test_a_list_of_nothing_may_leave_its_array_out(body):
    assert ID.cut(body).records == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (("assets",), b'{"total":1}'),
        (("assets",), b'{"total":1,"assets":{}}'),
        (("assets",), b'{"total":1,"assets":"x"}'),
        (("assets",), b'{"total":1,"assets":7}'),
        (("a", "b"), b'{"a":[]}'),
        (("a", "b"), b'{"a":null}'),
        (("a", "b"), b'{"a":{"c":[]}}'),
        (("assets",), b"[{}]"),
        ((), b'{"message":"welcome"}'),
        ((), b'{"total":0}'),
        ((), b'"text"'),
        (("assets",), b"7"),
        (("assets",), b"null"),
        (("assets",), b""),
        (("assets",), b'{"assets":[{}'),
    ],
)
def test_a_page_of_the_wrong_kind_is_refused_and_never_an_empty_one(path, body):
    with pytest.raises(PayloadUnreadable):
        Cutter(path).cut(body)


@given(st.text(min_size=1, alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_key_that_is_text_is_kept_as_it_is(text):
    assert key(ID, {"id": text}) == (text,)
    assert key(ID, {"x": 1, "id": {"value": text, "label": "…"}}) == (text,)


@given(st.integers(min_value=-(10**40), max_value=10**40))
def test_a_key_that_is_a_whole_number_is_its_digits(number):
    assert key(ID, {"id": number}) == (str(number),)


@pytest.mark.parametrize(
    "record",
    [
        *({}, {"id": None}, {"id": ""}, {"id": True}, {"id": 1.5}, {"id": []}, {"id": ["a"]}, {"id": {"x": "a"}}),
        *(b"7", b"null", b'"a"', b"[]", b'{"id":1e400}', b'{"id":1.0}', b'{"ID":"a"}'),
    ],
)
def test_what_identifies_nothing_is_no_key(record):
    assert key(ID, record) is None


def test_a_number_that_no_float_holds_beside_the_key_does_no_harm():
    assert key(ID, b'{"id":{"value":"a","size":1e400},"n":1e999}') == ("a",)


def test_a_key_of_two_parts_takes_the_first_path_that_leads_to_one_and_needs_both():
    assert key(PAIR, {"property": "p", "asset": "old", "type": {"id": 5}}) == ("p", "5")
    assert key(PAIR, {"asset": "old", "type": "t"}) == ("old", "t")
    assert key(PAIR, {"property": {"id": ""}, "asset": "old", "type": "t"}) == ("old", "t")
    assert key(PAIR, {"property": "p"}) is None


@given(st.binary(), st.binary())
def test_equal_bytes_and_only_they_have_equal_hashes(one, other):
    assert (bytes_hash(one) == bytes_hash(other)) is (one == other)
    assert bytes_hash(msgspec.Raw(one)) == bytes_hash(one)


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(st.characters(codec="utf-8")))
def test_decoding_is_that_of_json(value):
    assert decode(json.dumps([value]).encode()) == [value]


def test_numbers_that_nothing_holds_are_infinite_rather_than_an_error():
    assert decode(b"[1e400,-1e400]") == [float("inf"), float("-inf")]
    assert decode(b"[" + b"9" * 5000 + b"]") == [float("inf")]
