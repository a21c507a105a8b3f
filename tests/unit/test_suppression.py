"""Erased ids and texts are known again by marks alone, and cut out of JSON before anything keeps it."""

from __future__ import annotations

import errno
import json
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from propsync.errors import StateUnusable
from propsync.storage import LocalStorage
from propsync.suppression import (
    DONE,
    FORGOTTEN,
    ID,
    TEXT,
    Erasure,
    Erasures,
    Marker,
    Suppression,
    is_pseudonym,
    plain_text,
)

MARKER = Marker(b"k" * 32)
NOW = datetime(2026, 5, 4, tzinfo=UTC)
PATHS = {"record_paths": (("id",),), "field_paths": (("field",), ("id",))}


def erasing(*erasures: Erasure) -> Suppression:
    return Suppression(MARKER, erasures)


def of_asset(asset_id: str) -> Erasure:
    mark = MARKER.mark(ID, asset_id)
    return Erasure(
        "e1", "asset", NOW, "asked", record=mark, pseudonym=MARKER.pseudonym(asset_id), record_paths=(("id",),)
    )


def of_text(text: str) -> Erasure:
    return Erasure("e2", "text", NOW, "asked", text=MARKER.mark(TEXT, text))


@given(st.text(min_size=4), st.text(), st.text())
def test_a_text_is_found_wherever_it_is(text: str, before: str, after: str) -> None:
    if not plain_text(text).strip() or text != text.strip():
        return
    whole = f"{before} {text.upper().lower()} {after}"
    if plain_text(text) in plain_text(whole):
        assert erasing(of_text(text)).sees(whole)
        assert "[erased]" in erasing(of_text(text)).text(whole)


@given(st.text())
def test_a_text_without_it_stays_the_same_object(text: str) -> None:
    suppression = erasing(of_text("Jane Doe"), of_asset("9e107d9d372bb682"))
    if "jane" not in text.casefold():
        assert suppression.text(text) is text
        body = json.dumps({"a": text}).encode()
        assert suppression.json(body) is body


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("seen by JANE\n  doe.", "seen by [erased]."),
        ("Jane Doe and jane doe", "[erased] and [erased]"),
        ("Jane-Doe", "Jane-Doe"),
    ],
)
def test_case_and_blanks_of_a_text_do_not_matter(written: str, left: str) -> None:
    assert erasing(of_text("Jane Doe")).text(written) == left


def test_an_escaped_text_is_found_in_json() -> None:
    body = b'{"note": "Jos\\u00e9 D\\u006fe", "other": 1.50}'
    assert erasing(of_text("José Doe")).json(body) == b'{"note":"[erased]","other":1.50}'


@pytest.mark.parametrize("written", ["4711", " 4711 ", "4711\n"])
def test_a_record_goes_if_its_id_is_a_short_number_and_counts_stay(written: str) -> None:
    erasure = of_asset("4711")
    body = f'{{"assets":[{{"id":{written},"name":"A"}},{{"id":47111,"name":"B"}}],"total":4711}}'.encode()
    told = {"assets": [{"id": erasure.pseudonym}, {"id": 47111, "name": "B"}], "total": 4711}
    assert json.loads(erasing(erasure).json(body)) == told


def test_a_field_goes_if_its_id_is_a_short_number() -> None:
    erasure = Erasure("e", "field", NOW, "", field=MARKER.mark(ID, "17"), pseudonym=MARKER.pseudonym("17"), **PATHS)  # type: ignore[arg-type]
    body = b'{"assets":[{"id":"a","fields":[{"field":17,"value":1},{"field":18,"value":17}]}]}'
    assert json.loads(erasing(erasure).json(body)) == {"assets": [{"id": "a", "fields": [{"field": 18, "value": 17}]}]}


def test_an_erased_record_leaves_its_place_in_the_page() -> None:
    body = b'{"total": 2, "assets": [{"id": "abc12345", "note": "x"}, {"id": "d", "see": "/assets/abc12345/x"}]}'
    page = json.loads(erasing(of_asset("abc12345")).json(body))
    stub, other = page["assets"]
    assert page["total"] == 2
    assert list(stub) == ["id"]
    assert is_pseudonym(stub["id"])
    assert other == {"id": "d", "see": f"/assets/{stub['id']}/x"}


def test_a_longer_id_is_another_one() -> None:
    body = b'{"assets": [{"id": "abc123456"}, {"id": "1abc12345"}]}'
    assert erasing(of_asset("abc12345")).json(body) is body


def test_a_field_goes_from_all_records_or_from_one() -> None:
    first = b'{"id":"a","fields":[{"field":"f1","value":1},{"field":"f2"}]}'
    body = b'{"assets":[%b,{"id":"b","fields":{"f1":{"value":2}}}]}' % first
    mark = MARKER.mark(ID, "f1")
    everywhere = Erasure("e", "field", NOW, "", field=mark, pseudonym=MARKER.pseudonym("f1"), **PATHS)  # type: ignore[arg-type]
    of_one = Erasure("e", "asset field", NOW, "", field=mark, record=MARKER.mark(ID, "b"), **PATHS)  # type: ignore[arg-type]
    assert json.loads(erasing(everywhere).json(body)) == {
        "assets": [{"id": "a", "fields": [{"field": "f2"}]}, {"id": "b", "fields": {}}]
    }
    assert json.loads(erasing(of_one).json(body)) == {
        "assets": [{"id": "a", "fields": [{"field": "f1", "value": 1}, {"field": "f2"}]}, {"id": "b", "fields": {}}]
    }


def test_an_erasure_says_nothing_of_what_it_erased() -> None:
    assert "jane" not in repr(of_text("Jane Doe")).casefold()
    assert Marker(b"o" * 32).mark(TEXT, "Jane Doe").digest != MARKER.mark(TEXT, "Jane Doe").digest


@pytest.mark.parametrize("text", ["Jane 😀 Doe", "DOM\\bob", 'Jo "Jojo" O\'Hara', "C:\\new\\file", "50% of [a-z]*"])
def test_no_spelling_of_json_hides_a_text(text: str) -> None:
    suppression = erasing(of_text(text))
    for body in (json.dumps({"a": [f"by {text}."]}), json.dumps({"a": [f"by {text}."]}, ensure_ascii=False)):
        assert json.loads(suppression.json(body.encode())) == {"a": ["by [erased]."]}
    assert suppression.text(f"by {text}.") == "by [erased]."
    assert suppression.document(f"by {text}.") == "by [erased]."
    within = json.dumps({"payload": json.dumps({"a": f"by {text}."})})
    assert not suppression.sees(suppression.json(within.encode()).decode())


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("O&#39;Brien &amp; O&apos;Brien", "[erased] &amp; [erased]"),
        ("/?q=O%27Brien&next=%2Fa+b", "/?q=[erased]&next=%2Fa+b"),
        ("a\\tO\\u0027Brien\\n", "a\\t[erased]\\n"),
        ("O&amp;#39;Brien 100%", "[erased] 100%"),
        ("O'Brien, o%2527brien", "[erased], [erased]"),
        ("&copy=1&O'brian; %zz %e2%28", "&copy=1&O'brian; %zz %e2%28"),
    ],
)
def test_an_escape_goes_with_the_text_and_other_escapes_stay(written: str, left: str) -> None:
    suppression = erasing(of_text("O'Brien"))
    assert suppression.text(written) == left
    assert json.loads(suppression.json(json.dumps({"a": written}).encode())) == {"a": left}


def test_a_sign_that_escapes_take_apart_is_found() -> None:
    assert erasing(of_text("José Doe")).text("by Jose%CC%81%20Doe, %2F") == "by [erased], /"
    assert erasing(of_asset("abc12345")).text("?next=%2Fassets%2Fabc12345%2Fé").endswith("%2Fé")


@pytest.mark.parametrize("other", ["f-notes-2", "x-f-notes", "f-notes.b", "f-notesé", "f-notes_1"])
def test_an_id_that_begins_another_leaves_it_alone(other: str) -> None:
    suppression = erasing(of_asset("f-notes"))
    body = json.dumps({"id": other, "of": [other]}).encode()
    assert suppression.json(body) is body
    assert suppression.text(other) is other


@pytest.mark.parametrize(
    "words", ["see f-notes.", "f-notes, then", "(f-notes)", "a/f-notes/b", "“f-notes”", "门f-notes门"]
)
def test_an_id_in_other_words_is_found(words: str) -> None:
    assert "f-notes" not in erasing(of_asset("f-notes")).text(words)


def test_a_number_with_an_erased_text_goes_and_words_of_json_stay() -> None:
    body = b'{"tel":5550001,"other":555,"yes":true,"no":null}'
    assert erasing(of_text("5550001")).json(body) == b'{"tel":null,"other":555,"yes":true,"no":null}'
    assert erasing(of_text("null")).json(body) is body


def test_a_whole_key_that_is_not_that_of_an_erasure_is_refused(tmp_path: Path) -> None:
    erasures, others = (Erasures(LocalStorage(tmp_path / name)) for name in ("home", "other"))
    others.marker()
    erasures.put(replace(of_asset("asset-1"), state=DONE, key=erasures.marker().check))
    kept = tmp_path / "home/landing/erasures/key"
    assert erasures.damaged() == []
    shutil.copyfile(tmp_path / "other/landing/erasures/key", kept)

    with pytest.raises(StateUnusable, match="landing/erasures/key: it is not the key of erasure e1"):
        erasures.marker()
    assert erasures.damaged() == ["landing/erasures/key"]
    erasures.change(*erasures.all(), state=FORGOTTEN)
    erasures.marker()
    assert erasures.damaged() == []


@pytest.mark.parametrize(
    "body",
    [
        b'{"assets": [{"id": "a", "note": "Jane Doe", "note": "new"}]}',
        b'{"assets": [{"id": "a", "by": {"name": "Jane Doe", "name": "new"}}]}',
        b'{"assets": [{"id": "a", "n\\u006fte": "Jane Doe", "note": "new"}]}',
        b'{"assets": [{"id": "a", "Jane Doe": 1, "Jane Doe": 2}]}',
    ],
)
def test_a_member_that_comes_twice_hides_no_text(body: bytes) -> None:
    """The last one counts, and landing would keep the one before."""
    erased = erasing(of_text("Jane Doe"))
    assert not erased.sees(erased.json(body).decode(), is_json=True)
    assert erased.json(erased.json(body)) == erased.json(body)


@pytest.mark.parametrize(("number", "step"), [(errno.EACCES, "chown -R"), (errno.EIO, "dmesg")])
def test_an_erasure_that_the_system_keeps_from_us_is_not_to_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, step: str
) -> None:
    """Without its file, what was erased would come back; an erasure by root leaves one that only root may read."""
    erasures = Erasures(LocalStorage(tmp_path))
    erasures.put(of_asset("a"))

    def refused(_storage: LocalStorage, _key: str) -> bytes:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(LocalStorage, "get", refused)
    with pytest.raises(StateUnusable) as told:
        erasures.all()
    assert step in str(told.value)
    assert "remove" not in str(told.value)
