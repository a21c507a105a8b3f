"""An option keeps its label after its field no longer offers it, and `ops.schema_changes` says what became of it."""

from __future__ import annotations

from typing import Any

import pytest
from kit.small_api import SmallHome

pytestmark = pytest.mark.usefixtures("desk")

REGISTER = "select asset_id, result from marts.asset_register order by all"
NOTED = "select change, before, after from ops.schema_changes where starts_with(change, 'option') order by all"


def _doors(**options: str) -> dict[str, Any]:
    offered = [{"id": option_id, "label": label} for option_id, label in options.items()]
    return {
        "id": "t1",
        "name": "Doors",
        "fields": [{"id": "f1", "type": "option", "label": "Result", "options": offered}],
    }


def _door(key: str, *chosen: str) -> dict[str, Any]:
    results = [{"type": "option", "field": "f1", "value": list(chosen)}]
    return {"id": key, "property": "p1", "type": "t1", "fields": results}


@pytest.mark.slow
def test_assets_that_chose_an_option_keep_its_label(small_nights: SmallHome) -> None:
    home = small_nights
    home.server.types = [_doors(p="Pass", f="Fail", n="No access")]
    home.server.assets = [_door("a1", "p"), _door("a2", "f"), _door("a3", "n")]
    home.sync()
    home.server.types = [_doors(p="Pass", f="Failed")]
    home.sync()
    after = [("a1", "Pass"), ("a2", "Failed"), ("a3", "No access")]
    assert home.rows(REGISTER) == after
    assert home.column("select result from by_type.doors where asset_id = 'a3'") == ["No access"]
    assert home.rows("select label, is_listed from asset_field_options order by all") == [
        ("Failed", True),
        ("No access", False),
        ("Pass", True),
    ]
    noted = [("option offered no more", "No access", None), ("option renamed", "Fail", "Failed")]
    assert home.rows(NOTED) == noted
    assert home.rows("from ops.value_issues") == [], "it was an option when somebody chose it"
    home.sync()
    assert home.rows(NOTED) == noted, "each is noted once"
    home.server.types = [_doors(p="Pass", f="Failed", n="No access")]
    home.sync()
    assert ("option offered again", "No access", "No access") in home.rows(NOTED)
    noted = home.rows(NOTED)
    assert home.rows("select offending from ops.checks where check_name = 'new_options'") == [(0,)], "it is not new"
    home.rebuild()
    assert (home.rows(REGISTER), home.rows(NOTED)) == (after, noted)


@pytest.mark.slow
def test_a_field_that_becomes_a_text_keeps_the_options_chosen_before(small_nights: SmallHome) -> None:
    home = small_nights
    home.server.types = [_doors(p="Pass", f="Fail")]
    home.server.assets = [_door("a1", "p"), _door("a2", "f"), _door("a3")]
    home.sync()
    home.server.types[0]["fields"][0] = {"id": "f1", "type": "text", "label": "Result"}
    home.server.assets[1]["fields"] = [{"type": "text", "field": "f1", "value": "Failed twice"}]
    home.sync()
    shown = "select asset_id, result from by_type.doors order by all"
    assert home.rows(shown) == [("a1", "Pass"), ("a2", "Failed twice"), ("a3", "")]
    home.rebuild()
    assert home.rows(shown) == [("a1", "Pass"), ("a2", "Failed twice"), ("a3", "")]
