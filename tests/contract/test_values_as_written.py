"""The tables say what the API writes: numbers letter by letter, texts like marks, the last of two members."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kit.dialects import Dialect
from kit.encoding import Literal, encode
from kit.world import small_world
from kit.world_home import WorldHome
from kit.world_server import WorldServer

_RNG = Random("numbers as written")
_REPEATED = 3
_MARKS = ("\1exact:12.50", "\1#12.50", "\1'", "\1", "\1'\1#1", '"\1#1"')


def _literal() -> str:
    whole = str(_RNG.randrange(10 ** _RNG.choice((1, 2, 8, 17, 30))))
    fraction = "." + "".join(_RNG.choices("0123456789", k=_RNG.randrange(1, 20))) if _RNG.random() < 0.7 else ""
    exponent = f"{_RNG.choice('eE')}{_RNG.choice(('', '+', '-'))}{_RNG.randrange(310)}" if _RNG.random() < 0.3 else ""
    return f"{_RNG.choice(('', '-'))}{whole}{fraction}{exponent}"


LITERALS = [_literal() for _ in range(600)] + ["1e400", "1E+05", "-0", "0.10", "1.0", "100000000000000000000.5"]


def _result(field: str, kind: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "field": field, "value": value}


def _assets(type_id: str) -> list[Any]:
    told: dict[str, Any] = {"property": "p", "type": type_id}
    # one to an asset: what one number needs must not do good to another
    numbers = [
        told | {"id": f"{place:04}", "fields": [_result("n", "number", one), _result("p", "pin", {"x": one})]}
        for place, one in enumerate(map(Literal, LITERALS))
    ]
    texts = [_result(f"t{place}", "text", one) for place, one in enumerate(_MARKS)]
    marks = [_result(f"q{place}", "pin", {"x": [one, Literal("1.50")]}) for place, one in enumerate(_MARKS)]
    chosen = [_result("o", "option", [Literal("7"), "\1#7", Literal("123456789012345678901")])]
    repeated = (
        f'{{"id":"of no one","id":"repeated","property":"p0","type":"t0","property":"p1","type":"{type_id}",'
        '"note":"first","note":"last","plan":{"floor":1,"floor":2},"fields":[],'
        '"fields":[{"type":"number","field":"f","value":1.50,"value":2.50},'
        '{"type":"pin","field":"g","value":{"x":1,"\\u0078":2.0}}]}'
    )
    return [
        told | {"id": "mixed 1", "mixed": Literal("12.50"), "long": Literal("1" * 30)},
        told | {"id": "mixed 2", "mixed": "a text", "long": 1},
        told | {"id": "texts", "fields": [*texts, *marks, *chosen], "mixed": "\1#12.50", "\1#name": Literal("1.50")},
        Literal(repeated),
        *numbers,
    ]


def _types() -> list[Any]:
    options = [{"id": Literal("7.0"), "label": Literal("1.50")}]
    defined = [{"id": "of", "type": "option", "label": "Grade", "options": options}]
    repeated = (
        '{"id":"tr","name":"First","name":"Last","nameSingular":"x","fields":[{"id":"f1","id":"f2","type":"text"}]}'
    )
    return [{"id": "tx", "name": "Exact", "nameSingular": "Exact", "fields": defined}, Literal(repeated)]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorldHome]:
    world = small_world(assets=12, assessments=6, schedules=4)
    world.odd = {
        "assets": _assets(world.asset_types[0].id),
        "asset_types": _types(),
        "assessments": [
            {"id": "exact", "status": "approved", "flags": [{"label": Literal("1.50"), "at": {"x": Literal("1E3")}}]},
            Literal(
                '{"id":"a","id":"twice","status":"submitted","status":"approved","flags":[],"flags":[{"label":"b"}]}'
            ),
        ],
        "schedules": [{"property": "p", "type": "k", "status": "notstarted", "description": Literal("12.50")}],
    }
    with WorldServer(Dialect(world)) as server:
        home = WorldHome(tmp_path_factory.mktemp("exact") / "home", server)
        assert home.sync(page_limit=1000).exit_code == 0
        yield home


def _numbered(home: WorldHome, columns: str, kind: str) -> list[Any]:
    told = f"select {columns} from asset_field_values where asset_id similar to '[0-9]{{4}}' and kind = '{kind}'"
    return home.rows(f"{told} order by asset_id")


def _values(home: WorldHome, asset_id: str, columns: str, kind: str) -> list[Any]:
    told = (
        f"select {columns} from asset_field_values where asset_id = '{asset_id}' and kind = '{kind}' order by position"
    )
    return home.rows(told)


def test_value_text_is_any_number_letter_by_letter(home: WorldHome) -> None:
    found = _numbered(home, "value_text, value_number", "number")
    assert [text for text, _ in found] == LITERALS
    assert [number for _, number in found] == [
        None if float(one) in (float("inf"), float("-inf")) else float(one) for one in LITERALS
    ]


def test_value_json_keeps_numbers_and_texts_as_they_are(home: WorldHome) -> None:
    found = [told for (told,) in _numbered(home, "value_json::varchar", "pin")]
    assert found == [f'{{"x":{one}}}' for one in LITERALS]
    marked = [json.loads(told) for (told,) in _values(home, "texts", "value_json::varchar", "pin")]
    assert marked == [{"x": [one, 1.5]} for one in _MARKS]


def test_a_text_that_looks_like_a_mark_is_a_text(home: WorldHome) -> None:
    found = _values(home, "texts", "value_text, value_number, value_json", "text")
    assert found == [(one, None, None) for one in _MARKS]


def test_an_option_s_id_may_be_a_number_or_look_like_a_mark(home: WorldHome) -> None:
    (told,) = _values(home, "texts", "value_options, value_json::varchar", "option")
    assert told == (None, '[7,"\\u0001#7",123456789012345678901]')  # the last is too long for a whole number


def test_options_and_labels_keep_their_numbers(home: WorldHome) -> None:
    assert home.rows("select option_id, label from asset_field_options where field_id = 'of'") == [("7.0", "1.50")]


def test_a_column_of_texts_shows_numbers_as_written(home: WorldHome) -> None:
    query = 'select mixed, "long" from assets where mixed is not null or "long" is not null order by asset_id'
    assert home.rows(query) == [("12.50", "1" * 30), ("a text", "1"), ("\1#12.50", None)]
    described = home.rows("select column_name from (describe assets)")
    (named,) = [name for (name,) in described if name.endswith("name") and name != "asset_type"]
    assert home.rows(f"select \"{named}\" from assets where asset_id = 'texts'") == [(1.5,)]
    assert home.rows("select description from schedules where property_id = 'p'") == [("12.50",)]


def test_flags_keep_their_numbers(home: WorldHome) -> None:
    query = "select payload::varchar from assessment_flags where assessment_id = 'exact'"
    assert home.rows(query) == [('{"label":1.50,"at":{"x":1E3}}',)]


def test_of_a_member_that_comes_twice_the_last_counts_everywhere(home: WorldHome) -> None:
    told = "property_id, note, plan_floor, payload->>'$.note', payload->>'$.plan.floor'"
    assert home.rows(f"select {told} from assets where asset_id = 'repeated'") == [("p1", "last", 2, "last", "2")]
    assert _values(home, "repeated", "field_id, value_text", "number") == [("f", "2.50")]
    assert _values(home, "repeated", "value_json::varchar", "pin") == [('{"x":2.0}',)]
    assert home.rows("select count(*) from assets where asset_id = 'of no one'") == [(0,)]
    assert home.rows("select name from asset_types where asset_type_id = 'tr'") == [("Last",)]
    assert home.rows("select field_id from asset_type_fields where asset_type_id = 'tr'") == [("f2",)]
    assert home.rows("select status from assessments where assessment_id = 'twice'") == [("approved",)]
    assert home.rows("select label from assessment_flags where assessment_id = 'twice'") == [("b",)]
    assert home.rows("select payload->>'$.note' from history.assets where asset_id = 'repeated'") == [("last",)]


@pytest.mark.release
def test_only_the_last_of_two_members_makes_a_new_version(home: WorldHome) -> None:
    odd = home.server.world.odd["assets"]
    before = home.rows("select max(valid_from) from history.assets")[0][0]
    repeated = str(odd[_REPEATED])
    odd[_REPEATED] = Literal(repeated.replace('"note":"first"', '"note":"other"'))
    assert home.sync().resources["assets"]["updated"] == 0
    odd[_REPEATED] = Literal(
        repeated.replace('"note":"last"', '"note":"later"').replace('"value":2.50', '"value":3.50')
    )
    assert home.sync().resources["assets"]["updated"] == 1
    changes = f"select field, old_value, new_value from changes_between(timestamptz '{before}', now()) order by field"
    (number, note) = home.rows(changes)
    assert (number[0], *map(float, number[1:])) == ("f", 2.5, 3.5)
    assert note == ("note", "last", "later")


def test_pages_that_tell_total_and_list_twice_are_read_by_the_last(tmp_path: Path) -> None:
    class Twice(Dialect):
        def assessments_body(self, total: int, records: list[Any]) -> Any:
            told = encode(super().assessments_body(total, records))
            return Literal('{"total":1,"assessments":[],' + told[1:])

    with WorldServer(Twice(small_world(assets=6, assessments=9, schedules=0))) as server:
        home = WorldHome(tmp_path / "home", server)
        assert home.sync().exit_code == 0
        assert home.rows("select count(*) from assessments") == [(9,)]
