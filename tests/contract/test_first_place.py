"""One value under two names: the tables, `changes_between` and a push agree on the place that counts."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from contract.conftest import HomeFor
from kit.dialects import Dialect
from kit.world import Asset, AssetType, Result, small_world
from kit.world_server import WorldServer

from propsync.push.values.asset_values import _first_of

_ABSENT = "absent"
_HELD: tuple[Any, ...] = (_ABSENT, None, "", [], {}, "said")
PAIRS = [
    {name: held for name, held in zip(("value", "textValue"), pair, strict=True) if held != _ABSENT}
    for pair in product(_HELD, _HELD)
]


class TwoPlaces(Dialect):
    name = "two places"

    def result(self, of_type: AssetType | None, one: Result) -> dict[str, Any]:
        return {"type": one.kind, "fieldId": one.field, **PAIRS[int(one.value)]}


@pytest.mark.slow
def test_all_readers_agree_on_the_place_that_counts(home_for: HomeFor) -> None:
    world = small_world()
    doors = world.asset_types[0]
    text = next(one for one in doors.fields if one.kind == "text")
    world.assets = [Asset(f"a{n:02}", "p1", doors.id, []) for n in range(len(PAIRS))]
    with WorldServer(TwoPlaces(world)) as server:
        home = home_for(server)
        assert home.sync().left_behind == []
        for n, asset in enumerate(world.assets):
            asset.results = [Result(text.id, "text", str(n))]
        assert home.sync().left_behind == []
    expected = {f"a{n:02}": _text(_first_of(pair, [("value",), ("textValue",)])) for n, pair in enumerate(PAIRS)}
    written = "select asset_id, coalesce(value_text, value_json::varchar) from main.asset_field_values order by all"
    assert home.rows(written) == [*expected.items()]
    between = "changes_between((select min(valid_from) from history.assets), now())"
    changed = home.rows(f"select record_id, new_value from {between} where field = '{text.id}' order by all")
    assert changed == [one for one in expected.items() if one[1] is not None]


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)
